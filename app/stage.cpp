#include "app/stage.h"

#include <algorithm>

#include "app/controls.h"
#include "app/fault.h"
#include "app/look/item_map.h"
#include "app/welcome.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kTabsHeight = 39.f;
constexpr double kPatienceSeconds = 0.1;  // a shorter run shows no progress
constexpr float kLeastShare = 0.2f;

std::string view_title(const View& view) { return tr(std::string("view.") + view.id()); }

/// One tab: the word, and the open one raised with a line of the accent colour on top. True when clicked.
/// `padding` stands left and right of the word.
bool tab(const View& view, bool open, float height, float padding, const char* prefix) {
  const Theme& t = theme();
  const std::string title = view_title(view);
  const ImVec2 text = ImGui::CalcTextSize(title.c_str());
  const ImVec2 at = ImGui::GetCursorScreenPos(), size(text.x + 2 * padding, height);
  const std::string id = std::string("###") + prefix + view.id();
  const bool clicked = ImGui::InvisibleButton(id.c_str(), size);
  note_item(id);
  const bool hovered = ImGui::IsItemHovered();
  const ImVec2 end(at.x + size.x, at.y + size.y);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImDrawFlags top = ImDrawFlags_RoundCornersTop;
  if (open || hovered)
    list->AddRectFilled(at, end, open ? t.panel_raised : with_alpha(t.hovered, 0.6f), px(6), top);
  if (open) {
    list->PushClipRect(at, ImVec2(end.x, at.y + px(5)), true);
    list->AddRect(at, ImVec2(end.x, end.y + px(4)), t.accent, px(6), top, px(2));
    list->PopClipRect();
  }
  const ImU32 ink = open || hovered ? t.text : t.text_dim;
  list->AddText(ImVec2(at.x + (size.x - text.x) / 2, at.y + (size.y - text.y) / 2), ink, title.c_str());
  compat::item_tooltip(tr("view." + std::string(view.id()) + ".help"));
  return clicked;
}

/// The sign of one view or two: a rectangle, divided when there are two.
bool split_button(bool two) {
  const float side = px(26);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::InvisibleButton("###two_views", ImVec2(side, side));
  note_item("two_views");
  const ImU32 colour = two ? theme().accent : ImGui::IsItemHovered() ? theme().text : theme().text_dim;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 p0(at.x + px(5), at.y + px(6)), p1(at.x + side - px(5), at.y + side - px(6));
  list->AddRect(p0, p1, colour, px(2), 0, px(1.4f));
  list->AddLine(ImVec2((p0.x + p1.x) / 2, p0.y), ImVec2((p0.x + p1.x) / 2, p1.y), colour, px(1.4f));
  compat::item_tooltip(tr(two ? "frame.one_view" : "frame.two_views"));
  return clicked;
}

/// Room beside the words of the tabs, so that all fit into `width`; at most 13 units.
float tab_padding(const FrameState& state, float width) {
  float words = 0;
  for (const auto& view : state.views) words += ImGui::CalcTextSize(view_title(*view).c_str()).x + px(2);
  const float count = static_cast<float>(std::max<std::size_t>(1, state.views.size()));
  return std::clamp((width - words) / (2 * count), px(3), px(13));
}

}  // namespace

void Stage::draw_tabs(FrameState& state, const char* id, ImVec2 position, float width, std::string& shown,
                      std::string& other) {
  const float height = px(kTabsHeight - 9);
  ImGui::SetCursorScreenPos(ImVec2(position.x, position.y + px(9)));
  compat::begin_child(id, ImVec2(width - px(40), height + 1), false, ImGuiWindowFlags_NoScrollbar);
  const float padding = tab_padding(state, width - px(54));
  ImGui::SetCursorPosX(px(12));
  {
    const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(2), 0));
    for (const auto& view : state.views) {
      if (tab(*view, view->id() == shown, height, padding, "tab_")) {
        if (view->id() == other) other = shown;
        shown = view->id();
      }
      ImGui::SameLine();
    }
  }
  ImGui::NewLine();
  ImGui::EndChild();
  ImGui::SetCursorScreenPos(ImVec2(position.x + width - px(36), position.y + px(7)));
  const WithId scope(id);
  if (!split_button(!state.workspace.second_view.empty())) return;
  if (state.workspace.second_view.empty()) {
    for (const auto& view : state.views)
      if (view->id() != shown && state.workspace.second_view.empty())
        state.workspace.second_view = view->id();
  } else {
    state.workspace.view = std::string(shown);  // the one beside this button stays
    state.workspace.second_view.clear();
  }
}

void Stage::draw_view(FrameState& state, const std::string& shown, const RunResult* run,
                      const RunResult* before, Painter& painter) {
  View* view = state.view(shown);
  if (!view && !state.views.empty()) view = state.views.front().get();
  if (!run || !view) {
    ImGui::Dummy(ImVec2(1, ImGui::GetContentRegionAvail().y * 0.4f));
    if (state.session.mixed())
      centred_text(tr("files.nothing_shown"), theme().text_dim, fonts().body);
    else if (!state.session.error())
      centred_text(tr("frame.computing"), theme().text_dim, fonts().body);
    return;
  }
  const auto draw = [&] {
    if (const std::string why = view->unavailable(*run); !why.empty()) {
      ImGui::Dummy(ImVec2(1, ImGui::GetContentRegionAvail().y * 0.35f));
      centred_text(view_title(*view), theme().text, fonts().title);
      centred_text(tr(why), theme().text_dim, fonts().body);
      return;
    }
    view->draw({state.session, *run, before, state.workspace, state.commands, painter});
  };
  draw_part(state, std::string("view_") + view->id(), tr("fault.view", {view_title(*view)}), draw);
}

void Stage::draw_pane(FrameState& state, const char* id, ImVec2 min, ImVec2 max, std::string& shown,
                      std::string& other, const RunResult* run, const RunResult* before, Painter& painter) {
  const std::string tabs = std::string(id) + "_tabs";
  draw_tabs(state, tabs.c_str(), min, max.x - min.x, shown, other);
  const float line = min.y + px(kTabsHeight);
  ImGui::GetWindowDrawList()->AddLine(ImVec2(min.x, line), ImVec2(max.x, line), theme().border,
                                      metric::kHairline);
  const ImVec2 pad(px(24), px(18));
  ImGui::SetCursorScreenPos(ImVec2(min.x + pad.x, line + pad.y));
  const ImVec2 size(std::max(1.f, max.x - min.x - pad.x - px(10)),
                    std::max(1.f, max.y - line - pad.y - px(8)));
  compat::begin_child(id, size, false);
  const bool nothing = !state.session.document().opened && !state.session.opening();
  if (nothing)
    draw_welcome(state);
  else
    draw_view(state, shown, run, before, painter);
  ImGui::EndChild();
}

void Stage::draw_split(FrameState& state, float x) {
  ImGui::SetCursorScreenPos(ImVec2(x - px(3), state.stage_min.y));
  ImGui::InvisibleButton("###split_stage",
                         ImVec2(px(6), std::max(1.f, state.stage_max.y - state.stage_min.y)));
  const bool lit = ImGui::IsItemHovered() || ImGui::IsItemActive();
  if (lit) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (ImGui::IsItemActive() && !ImGui::IsItemActivated()) {
    const float moved = ImGui::GetIO().MouseDelta.x / std::max(1.f, state.stage_max.x - state.stage_min.x);
    state.workspace.stage_share =
        std::clamp(state.workspace.stage_share + moved, kLeastShare, 1 - kLeastShare);
  }
  ImGui::GetWindowDrawList()->AddLine(ImVec2(x, state.stage_min.y), ImVec2(x, state.stage_max.y),
                                      lit ? theme().accent : theme().border, lit ? px(2) : metric::kHairline);
}

void Stage::draw_progress(FrameState& state) {
  Session& session = state.session;
  const auto now = std::chrono::steady_clock::now();
  const bool computing_model =
      session.running() && !session.shows_training();  // that picture moves by itself
  if (!computing_model && !session.opening() && !session.generating()) {
    quiet_since_ = now;
    return;
  }
  if (std::chrono::duration<double>(now - quiet_since_).count() < kPatienceSeconds) return;
  const ImVec2 min = state.stage_min, max = state.stage_max, card(px(300), px(84));
  ImGui::SetCursorScreenPos(min);
  compat::begin_child("progress", ImVec2(max.x - min.x, max.y - min.y), false, ImGuiWindowFlags_NoScrollbar);
  ImGui::GetWindowDrawList()->AddRectFilled(min, max, with_alpha(theme().ground, 0.55f));
  const ImVec2 at((min.x + max.x - card.x) / 2, (min.y + max.y - card.y) / 2);
  const ImVec2 end(at.x + card.x, at.y + card.y);
  ImGui::GetWindowDrawList()->AddRectFilled(at, end, theme().panel, px(8));
  ImGui::GetWindowDrawList()->AddRect(at, end, theme().border, px(8));
  ImGui::SetCursorScreenPos(ImVec2(at.x + px(14), at.y + px(12)));
  const bool computing = session.running() && !session.opening();
  const char* what = session.opening()   ? "frame.opening"
                     : session.running() ? "frame.computing"
                                         : "frame.generating";
  ImGui::TextUnformatted(tr(what));
  ImGui::SetCursorScreenPos(ImVec2(at.x + px(14), at.y + px(44)));
  const std::string share = computing ? format("%.0f %%", session.progress() * 100) : std::string();
  const float button = button_width(tr("frame.cancel"));
  ImGui::ProgressBar(computing ? static_cast<float>(session.progress()) : 0.f,
                     ImVec2(card.x - px(36) - button, px(26)), share.c_str());
  ImGui::SameLine();
  if (ImGui::Button((std::string(tr("frame.cancel")) + "###cancel_run").c_str()))
    state.commands.act([](Session& s) {
      s.cancel_opening();
      s.cancel_run();
      s.cancel_generating();
    });
  ImGui::EndChild();
}

void Stage::draw(FrameState& state, const RunResult* run, const RunResult* before, Painter& painter) {
  Workspace& workspace = state.workspace;
  const ImVec2 min = state.stage_min, max = state.stage_max;
  if (!state.view(workspace.view) && !state.views.empty()) workspace.view = state.views.front()->id();
  if (!workspace.second_view.empty() &&
      (!state.view(workspace.second_view) || workspace.second_view == workspace.view))
    workspace.second_view.clear();
  const bool two = !workspace.second_view.empty();
  const float middle = two ? min.x + (max.x - min.x) * workspace.stage_share : max.x;
  draw_pane(state, "stage", min, ImVec2(middle, max.y), workspace.view, workspace.second_view, run, before,
            painter);
  if (two) {
    if (!workspace.second_view.empty())
      draw_pane(state, "stage2", ImVec2(middle, min.y), max, workspace.second_view, workspace.view, run,
                before, painter);
    draw_split(state, middle);
  }
  draw_progress(state);
}

}  // namespace attnscope
