// The row that is looked at, large, below the matrices of a step: their cells may be as small as the room
// makes them. The figure is core/view's; its numbers are changed as in any figure.
#pragma once

#include "app/figure/figure_box.h"
#include "app/views/steps_figure.h"
#include "app/views/view.h"
#include "app/widgets/figure_hands.h"

namespace attnscope {

class StepsRow {
 public:
  /// Height in pixels of the row of this figure, at most `most.y`; 0: it has none, or no room. `difference`:
  /// new minus old is one more row, where the two runs can be compared.
  float follow(const ViewContext& context, const Figure& figure, ImVec2 most, bool difference);
  /// At the cursor; the height is that of follow().
  void draw(const ViewContext& context, const Figure& figure);

 private:
  bool make(const ViewContext& context, const Figure& figure, ImVec2 most, bool difference);

  FigureBox box_;
  FigureHands hands_;
  std::uint64_t key_ = 0, failed_ = 0;
  ImVec2 room_;       ///< with the margin that a figure has around it
  float margin_ = 0;  ///< pixels
};

}  // namespace attnscope
