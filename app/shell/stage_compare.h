// A (pinned, or the run before the last change), B and B - A in place of a view that shows one matrix: three
// pictures, the looked-at row of all three in digits, both answers.
#pragma once

#include "app/figure/figure_box.h"
#include "app/views/view.h"
#include "app/widgets/figure_hands.h"

namespace attnscope {

class StageCompare {
 public:
  /// Fills the room that is left of the window. False: nothing was drawn, as no difference is asked for,
  /// there is nothing to compare with, or the view `id` compares in its own picture.
  bool draw(const ViewContext& context, std::string_view id);

 private:
  FigureBox box_;
  FigureHands hands_;
  std::uint64_t failed_key_ = 0;
};

}  // namespace attnscope
