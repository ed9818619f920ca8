#include "app/shell/welcome.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/state/actions.h"
#include "app/state/controls.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kListWidth = 1180.f, kButtonWidth = 220.f, kSceneWidth = 287.f, kRowHeight = 28.f;

bool entry(const std::string& label, const std::string& id, float units = kButtonWidth) {
  const WithVar align(ImGuiStyleVar_ButtonTextAlign, ImVec2(0.5f, 0.5f));
  const float width = px(units);
  const bool chosen =
      ImGui::Button((shortened(label, width - px(16)) + "###" + id).c_str(), ImVec2(width, px(kRowHeight)));
  note_item(id);
  return chosen;
}

void welcome_heading(const char* key, float left) {
  ImGui::Dummy(ImVec2(1, px(2)));
  ImGui::SetCursorPosX(left);
  const WithFont face(fonts().body_bold);
  ImGui::TextUnformatted(tr(key));
}

void list_models(FrameState& state, float left, float width) {
  const float beside = px(kButtonWidth + 14), room = width - beside, row = px(kRowHeight);
  const WithColour ink(ImGuiCol_Text, theme().text_dim);
  for (const ShippedModel& model : state.models()) {
    const float top = ImGui::GetCursorPosY();
    const float words = ImGui::CalcTextSize(model.sentence.c_str(), nullptr, false, room).y;
    ImGui::SetCursorPosX(left);
    {
      const WithColour plain(ImGuiCol_Text, theme().text);
      if (entry(model.title, "empty_model_" + model.name))
        state.commands.act([&state, name = model.name](Session&) { state.open_shipped_model(name); });
    }
    ImGui::SetCursorPos(ImVec2(left + beside, top + std::max(0.f, (row - words) / 2)));
    figure_text(model.sentence, room);
    const float below = top + std::max(row, words) + ImGui::GetStyle().ItemSpacing.y - ImGui::GetCursorPosY();
    end_at(ImVec2(ImGui::GetCursorScreenPos().x, ImGui::GetCursorScreenPos().y + below));
  }
}

// In as many columns as fit.
void list_scenes(FrameState& state, float left, float width) {
  const float step = px(kSceneWidth + 10);
  const int columns = std::max(1, static_cast<int>((width + px(10)) / step));
  int place = 0;
  for (const auto& [name, title] : state.scenes()) {
    if (place % columns > 0) ImGui::SameLine(left + static_cast<float>(place % columns) * step);
    if (place % columns == 0) ImGui::SetCursorPosX(left);
    if (entry(title, "empty_" + name, kSceneWidth))
      state.commands.act([&state, name = name](Session&) { state.open_shipped(name); });
    ++place;
  }
}

}  // namespace

void centred_text(const std::string& text, ImU32 colour, ImFont* font) {
  const WithFont face(font);
  const WithColour ink(ImGuiCol_Text, colour);
  const float room = ImGui::GetContentRegionAvail().x;
  const float width = std::min(room, ImGui::CalcTextSize(text.c_str()).x);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + (room - width) / 2);
  text_in_lines(text);
}

void draw_welcome(FrameState& state) {
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(8), px(5)));
  const bool models = !state.models().empty();
  ImGui::Dummy(ImVec2(1, ImGui::GetContentRegionAvail().y * (models ? 0.01f : 0.2f)));
  centred_text(tr("frame.empty.title"), theme().text, fonts().title);
  centred_text(tr("frame.empty.text"), theme().text_dim, fonts().body);
  ImGui::Dummy(ImVec2(1, px(4)));
  const float room = ImGui::GetContentRegionAvail().x, width = std::min(px(kListWidth), room);
  const float left = ImGui::GetCursorPosX() + (room - width) / 2;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + (room - px(kButtonWidth)) / 2);
  if (entry(tr("frame.empty.open"), "empty_open")) state.ask_open = true;
  const float both = px(2 * kButtonWidth + 10);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + (room - (models ? both : px(kButtonWidth))) / 2);
  if (entry(tr("lessons.list"), "empty_lessons")) state.lessons.list_open = true;
  if (models) {
    ImGui::SameLine(0, px(10));
    if (entry(tr("action.learn.families"), "empty_families"))
      state.commands.act([&state](Session&) { perform(state, "learn.families"); });
    if (ImGui::IsItemHovered()) compat::item_tooltip(tr("lab.sentence.sentence"));
  }
  if (models) welcome_heading("shipped.models", left);
  list_models(state, left, width);
  welcome_heading("shipped.scenes", left);
  list_scenes(state, left, width);
}

}  // namespace attnscope
