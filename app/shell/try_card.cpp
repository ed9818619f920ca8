#include "app/shell/try_card.h"

#include "app/look/scopes.h"
#include "app/look/text_lines.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {

float draw_try_frame(ImVec2 at, ImVec2 end) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, end, with_alpha(theme().v, 0.10f), px(8));
  list->AddRect(at, end, with_alpha(theme().v, 0.8f), px(8), 0, px(1.2f));
  const WithFont face(fonts().reading_bold);
  const WithColour ink(ImGuiCol_Text, theme().v);
  const float left = at.x + px(14);
  ImGui::SetCursorScreenPos(ImVec2(left, (at.y + end.y - ImGui::GetTextLineHeight()) / 2));
  ImGui::TextUnformatted(tr("easy.try"));
  return left + ImGui::GetItemRectSize().x + px(14);
}

void draw_try_words(const char* words, float left, float right, float middle) {
  const WithFont face(fonts().reading);
  const float high = ImGui::CalcTextSize(words, nullptr, false, right - left).y;
  ImGui::SetCursorScreenPos(ImVec2(left, middle - high / 2));
  text_in_lines(words, right - left);
}

}  // namespace attnscope
