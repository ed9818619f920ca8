// The rows of the Check view: every step with its largest error, green or red, as stripes and as a table; and
// what they come to.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/views/view.h"
#include "core/view/checked_rows.h"

namespace attnscope {

/// What is written of them, made once for as long as they are the same.
struct CheckWords {
  struct Row {
    std::string id, item, name, error, first, second, place, alone;
  };
  CheckedSteps of;  ///< held, so that no others have its address
  std::vector<Row> rows;
  std::string verdict;
  float widest = 0;  ///< place, pixels
};
const CheckWords& check_words(const CheckRows& rows);

/// Goes to the step and, where the numbers are those of a cell of this run, pins it.
void go_to(const ViewContext& context, const CheckRows& rows, const StepDifference& one);
/// One stripe per step, in timeline order; the row that was clicked.
std::optional<std::size_t> draw_check_strip(const ViewContext& context, const CheckRows& rows, float width);
/// `scroll_to`: a row that is to be seen; < 0: none. Reset when it was done.
void draw_check_table(const ViewContext& context, const CheckRows& rows, int& scroll_to);

}  // namespace attnscope
