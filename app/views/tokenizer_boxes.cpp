#include "app/views/tokenizer_boxes.h"

#include <algorithm>

#include "app/figure/canvas.h"
#include "app/look/item_map.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {

std::string score_text(double value) { return number_text(static_cast<float>(value), 2); }

void show_piece(const TokenizerScene& scene, const SegmentedWord& word, const WordPart& piece,
                const std::string& more) {
  const std::string_view seen = word.text.text();
  const std::size_t end = std::min<std::size_t>(piece.end, seen.size()),
                    begin = std::min<std::size_t>(piece.begin, end);
  const ByteSpan place = word.text.span(begin, end);
  const std::string_view bytes =
      std::string_view(scene.text)
          .substr(static_cast<std::size_t>(place.begin), static_cast<std::size_t>(place.end - place.begin));
  const std::string name = piece_name(scene, word, piece);
  std::string text = piece.id >= 0 ? tr("tokenizer.tip.token", {name, std::to_string(piece.id)})
                                   : tr("tokenizer.tip.no_token", {name});
  text += "\n" + tr("tokenizer.tip.place",
                    {std::to_string(place.begin), std::to_string(place.end), hex_bytes(bytes)});
  if (!more.empty()) text += "\n" + more;
  note_text(text);
  ImGui::SetTooltip("%s", text.c_str());
}

bool draw_piece_box(ImVec2 at, float width, float height, std::string_view name, const PieceInk& ink,
                    float right) {
  const Canvas canvas;
  const ImVec2 end(at.x + width, at.y + height);
  canvas.fill_rect(at, end, ink.ground, scaled(4));
  canvas.rect(at, end, ink.edge, scaled(4), 0, ink.outline);
  const ImVec2 extent = text_size(fonts().mono, name);
  draw_text(canvas, fonts().mono,
            ImVec2(at.x + (width - right - extent.x) / 2, at.y + (height - extent.y) / 2), ink.text, name);
  return ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(at, end);
}

bool step_button(const char* prefix, std::int64_t row, bool current, ImVec2 at, float width, float height) {
  ImGui::SetCursorScreenPos(at);
  const std::string id = std::string("###") + prefix + std::to_string(row);
  const bool clicked = hit_area(id.c_str(), ImVec2(std::max(1.f, width), height));
  note_item(id);
  if (current)
    Canvas().fill_rect(at, ImVec2(at.x + width, at.y + height), with_alpha(theme().accent_soft, 0.55f),
                       scaled(4));
  return clicked;
}

}  // namespace attnscope
