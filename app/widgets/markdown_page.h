// A page of Markdown (core/base/markdown.h) as one reads it: laid out once for a width, drawn where it is in
// sight.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/markdown.h"

namespace attnscope {

class MarkdownPage {
 public:
  /// Another text, shown from its beginning.
  void show(std::string_view markdown);
  /// Draws it at the ImGui cursor, `width` pixels wide. The target of the link that was clicked; else empty.
  std::string draw(float width);

 private:
  /// A run of one style on one line; positions in pixels from the top left of the page.
  struct Piece {
    ImVec2 at;
    float width = 0;
    ImFont* font = nullptr;
    ImU32 colour = 0;
    std::string text;
    int link = -1;  ///< in links_
  };
  struct Ground {
    ImVec2 p0, p1;
    ImU32 colour = 0;
  };
  /// The faces of one size of text.
  struct Faces {
    ImFont *plain, *bold;
    ImU32 colour;
  };

  void lay_out(float width);
  void lay_out_block(const MarkdownBlock& block, bool first);
  void lay_out_code(const std::string& code);
  void lay_out_table(const std::vector<std::vector<MarkdownText>>& rows);
  /// Wraps the text into [x, x + width] from y on; the y below it.
  float flow(const MarkdownText& text, const Faces& faces, float x, float y, float width);
  void put(const MarkdownSpan& span, const Faces& faces, std::string_view word, ImVec2 at, float line);

  std::vector<MarkdownBlock> blocks_;
  std::vector<Piece> pieces_;
  std::vector<Ground> grounds_;
  std::vector<std::string> links_;
  float width_ = 0, height_ = 0;
  std::uint64_t key_ = 0;  ///< of the layout; 0: none
};

}  // namespace attnscope
