// A lesson's page in presenter mode: below the figure, text on the left and the question on the right, in a
// large font.
#include <algorithm>

#include "app/panels/lesson/lesson_ask.h"
#include "app/panels/lesson/lesson_panel.h"
#include "app/panels/lesson/lesson_recap.h"
#include "app/state/controls.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kLessonPresentedType = 21.f;  // pixels at 1280 x 720
constexpr float kMostHeight = 0.44f;          // of the screen's height; the rest is the figure's
constexpr float kTold = 0.52f;                // of the width: the text's column

float screen_share() {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  return std::min(screen.x / 1280, screen.y / 720);
}

// A column at `at` (screen pixels); returns the height of its content, pixels.
template <class Draw>
float column(const char* id, ImVec2 at, ImVec2 size, float type, const Draw& draw) {
  ImGui::SetCursorScreenPos(at);
  ImGui::SetNextWindowContentSize(
      ImVec2(size.x - px(6), 0));  // scaled glyphs are wider than ImGui computes for them
  compat::begin_child(id, size, false);
  ImGui::SetWindowFontScale(type / compat::font_size(fonts().reading));
  draw();
  const float height = ImGui::GetCursorPosY() + ImGui::GetScrollY();
  ImGui::EndChild();
  return height;
}

}  // namespace

bool presents_words(const FrameState& state) {
  return state.presenter.on && state.presenter.words && state.lessons.open();
}

float presented_words_height(const FrameState& state) {
  if (!presents_words(state)) return 0;
  const float most = kMostHeight * ImGui::GetIO().DisplaySize.y;
  return std::clamp(state.lessons.words_height + px(12), px(40), most);
}

void draw_presented_words(FrameState& state, ImVec2 min, ImVec2 max) {
  LessonPlayer& player = state.lessons;
  const Page& page = player.page();
  const float type = kLessonPresentedType * screen_share() * state.presenter.zoom, pad = px(8);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(min, max, theme().panel);
  list->AddLine(min, ImVec2(max.x, min.y), theme().accent, px(1));
  if (player.at_end()) {
    player.words_height = column("###lesson_told", ImVec2(min.x + pad, min.y + pad),
                                 ImVec2(max.x - min.x - 2 * pad, std::max(1.f, max.y - min.y - pad)), type,
                                 [&] { draw_recap(state); });
    return;
  }
  const bool asks = page.ask.index() > 0;
  const float width = max.x - min.x - 2 * pad, told = asks ? width * kTold : width;
  const float height = std::max(1.f, max.y - min.y - pad);
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(4), px(2)));
  const WithVar frame(ImGuiStyleVar_FramePadding, ImVec2(px(6), px(2)));
  float tall =
      column("###lesson_told", ImVec2(min.x + pad, min.y + pad), ImVec2(told - pad, height), type, [&] {
        reading_text(std::to_string(player.page_index() + 1) + " / " +
                         std::to_string(player.lesson().pages.size()) + "   " +
                         page_words(player.lesson(), page, "title"),
                     theme().accent, true);
        reading_text(page_words(player.lesson(), page, "text"), theme().text);
      });
  if (asks)
    tall = std::max(tall, column("###lesson_asked", ImVec2(min.x + pad + told, min.y + pad),
                                 ImVec2(width - told, height), type, [&] {
                                   draw_question(state);
                                   draw_verdict(state);
                                   draw_hint_button(state);
                                   const float end = ImGui::GetCursorPosY();
                                   ImGui::SameLine(0, px(8));
                                   draw_check_button(state);  // a page that needs none has no line of it
                                   ImGui::SetCursorPosY(std::max(end, ImGui::GetCursorPosY()));
                                 }));
  player.words_height = tall;
}

}  // namespace attnscope
