#include "app/state/opened_row.h"

#include <utility>

#include "core/view/opening_row.h"

namespace attnscope {

std::int64_t OpenedRow::follow(const std::string& view, const ViewState& state, std::uint64_t opened,
                               std::int64_t row, std::int64_t usual) {
  const bool same = std::exchange(opened_, opened) == opened;
  if (!same) went_ = -1;
  if (std::exchange(view_, view) == view && same) return row;
  if (went_ >= 0 && went_ == row) row = from_;  // nobody has looked elsewhere since
  went_ = -1;
  if (row != usual) return row;
  ViewState there = state;
  there.row = row;
  if (const std::int64_t own = opening_row(view, there); own >= 0 && own != row)
    from_ = row, went_ = own, row = own;
  return row;
}

}  // namespace attnscope
