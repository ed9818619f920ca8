// Attention as lines between two columns of tokens: queries left, keys right, opacity and width by weight,
// several heads in colours (the idea of BertViz's head view, Vig 2019). Invisibly small weights are not
// drawn. Moves the cursor only to another head; returns the hovered pair.
#pragma once

#include <vector>

#include "app/views/attention_common.h"
#include "app/views/attention_pane.h"
#include "app/views/choices.h"

namespace attnscope {

class LinesPane {
 public:
  PairEvent draw(const ViewContext& context, const AttentionScene& scene, ImVec2 position, ImVec2 size);

  void keep(Choices& choices) {
    std::string on(on_.begin(), on_.end());
    for (char& one : on) one = one ? '1' : '0';
    choices.of("lines", on);
    on_.clear();
    for (const char one : on) on_.push_back(one == '1' ? 1 : 0);
  }

 private:
  struct Line {
    int head = 0;
    std::int64_t query = 0, key = 0;
    float weight = 0;
  };
  /// Geometry of the two columns of tokens, pixels.
  struct Columns {
    ImVec2 p0, p1;              ///< rectangle of tokens and lines
    float left = 0, right = 0;  ///< x of the line ends
    float row = 0;              ///< row height
    double first_query = 0, first_key = 0;
    float y(std::int64_t at, bool query) const;
  };
  bool is_on(const AttentionScene& scene, int head) const;
  float draw_heads(const ViewContext& context, const AttentionScene& scene, int heads, ImVec2 at,
                   float width);
  void take_lines(const ViewContext& context, const AttentionScene& scene, int heads, const Columns& columns);
  Columns columns_in(const ViewContext& context, const AttentionScene& scene, ImVec2 p0, ImVec2 p1);
  void draw_lines(const Columns& columns, std::int64_t cursor) const;
  void draw_words(const ViewContext& context, const AttentionScene& scene, const Columns& columns) const;

  std::uint64_t subject_ = 0, key_ = 0;
  int head_ = -1;
  std::vector<char> on_;                        ///< by head: shown besides the cursor's
  std::vector<Line> lines_;                     ///< largest weight last
  std::int64_t query_ = -1, pointed_key_ = -1;  ///< hovered in the last frame
  double scroll_ = 0;                           ///< in rows
  std::int64_t shown_query_ = -1;
};

}  // namespace attnscope
