// The line above the easy window's picture: its question, and which head or lab is looked at.
#include <algorithm>

#include "app/look/item_map.h"
#include "app/look/scopes.h"
#include "app/look/text_lines.h"
#include "app/shell/easy_window.h"
#include "app/state/actions.h"
#include "app/state/controls.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/words.h"
#include "core/step/catalog.h"

namespace attnscope {
namespace {

constexpr float kHeadChip = 36.f;  // units, from one head of the list to the next

void open_question(Workspace& workspace, const ViewSpec& view) {
  workspace.view = view.id;
  if (workspace.station == view.aside) workspace.station.clear();  // its own picture
}

}  // namespace

// The question of the view; a click offers the others.
void EasyWindow::draw_question(FrameState& state, ImVec2 at) {
  const ViewSpec* now = chosen(state);
  if (!now) return;
  ImGui::SetCursorScreenPos(at);
  {
    const WithFont face(fonts().title);
    const WithColour ground(ImGuiCol_Button, IM_COL32_BLACK_TRANS);
    const WithColour border(ImGuiCol_Border, IM_COL32_BLACK_TRANS);
    const Label key("figure.", now->id, ".question");
    const DisabledScope held(state.workspace.holds_back);
    const bool own = !box_.empty() && shown_ == now && !film_.before_first(state);
    const std::string& title = title_.get({box_.serial(), own, key_of(now->id)},
                                          [&] { return own ? box_.title().str() : std::string(tr(key)); });
    if (ImGui::Button(Label(title, " \u25be###question").c_str())) ImGui::OpenPopup("###questions");
  }
  note_item("question");
  {
    const TooltipsBeside beside;  // below stands the sentence
    compat::item_tooltip(tr("easy.question.help"));
  }
  popup_below_item(false);
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(14), px(12)));
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(8), px(9)));
  if (!ImGui::BeginPopup("###questions")) return;
  for (const ViewSpec* view : offered_) {
    const Label name("question_", view->id);
    const Label key("figure.", view->id, ".question");
    const Action* action = find_action(Label("view.", view->id));
    const std::string shortcut = action ? action_key(*action) : std::string();
    if (ImGui::MenuItem(Label(tr(key), "###", name).c_str(), shortcut.empty() ? nullptr : shortcut.c_str(),
                        view == now))
      open_question(state.workspace, *view);
    note_item(name);
  }
  draw_full_views(state);
  ImGui::EndPopup();
}

// The views that the full window alone has: a click goes there.
void EasyWindow::draw_full_views(FrameState& state) const {
  ImGui::Separator();
  dim_text(tr("easy.question.full"));
  for (const std::unique_ptr<View>& view : state.views) {
    const auto is_it = [&](const ViewSpec* one) { return one->id == view->id(); };
    if (std::any_of(offered_.begin(), offered_.end(), is_it) || !view->unavailable(*state.run).empty())
      continue;
    const Label name("question_", view->id());
    const Label key(find_view(view->id()) ? "figure." : "easy.", view->id(), ".question");
    if (ImGui::MenuItem(Label(tr(key), "###", name).c_str()))
      state.workspace.level = Level::full, state.workspace.view = view->id();
    note_item(name);
  }
}

// "block 1, head 3 ▾": which of the heads is looked at. Returns the left end of what it drew.
float EasyWindow::draw_head(FrameState& state, float right, float y) {
  const ViewSpec* now = chosen(state);
  if (!now || !now->heads || film_.outside_blocks(state)) return right;
  const Record* pattern = view_.run->find(view_.place.pattern(view_.layer));
  if (!pattern || pattern->shape.empty()) return right;
  const std::int64_t heads = pattern->shape[0];
  const int layers = view_.run->config().of(view_.place.stack).n_layers();
  const std::string& shown =
      head_.get({static_cast<std::uint64_t>(view_.layer), static_cast<std::uint64_t>(view_.head)}, [&] {
        return tr("easy.head", {std::to_string(view_.layer), std::to_string(view_.head)}) + " \u25be###heads";
      });
  const float left = right - button_width(shown);
  ImGui::SetCursorScreenPos(ImVec2(left, y + px(5)));
  {
    const WithColour ink(ImGuiCol_Text, theme().accent);
    if (raised_button(shown)) ImGui::OpenPopup("###heads_popup");
  }
  if (ImGui::IsItemHovered())
    compat::item_tooltip(tr("easy.head.help", {std::to_string(heads * layers)}).c_str());
  popup_below_item(true);
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(12), px(10)));
  if (!ImGui::BeginPopup("###heads_popup")) return left;
  Cursor& cursor = state.workspace.cursor;
  const float names = ImGui::CalcTextSize(tr("easy.heads.row", {std::to_string(layers)}).c_str()).x + px(10);
  for (int layer = 0; layer < layers; ++layer) {
    const float start = ImGui::GetCursorPosX();
    ImGui::AlignTextToFramePadding();
    dim_text(tr("easy.heads.row", {std::to_string(layer)}));
    for (std::int64_t head = 0; head < heads; ++head) {
      ImGui::SameLine(start + names + px(kHeadChip) * static_cast<float>(head));
      const std::string number = std::to_string(head), name = std::to_string(layer) + "." + number;
      const bool on = layer == view_.layer && head == view_.head;
      if (chip(Label(number, "###head_", name), on)) {
        cursor.layer = layer, cursor.head = static_cast<int>(head);
        if (cursor.step.layer >= 0) cursor.step.layer = layer;
        ImGui::CloseCurrentPopup();
      }
    }
  }
  ImGui::EndPopup();
  return left;
}

}  // namespace attnscope
