#include "app/state/opened_row.h"

#include <utility>

#include "core/view/opening_row.h"

namespace attnscope {

std::int64_t OpenedRow::follow(const std::string& view, const ViewState& state, std::uint64_t opened,
                               std::int64_t row, std::int64_t usual) {
  const bool same = std::exchange(opened_, opened) == opened;
  if (!same) went_ = -1;
  new_model_ = !same;
  new_view_ = std::exchange(view_, view) != view || !same;
  if (!new_view_) return row;
  if (went_ >= 0 && went_ == row) row = from_;  // nobody has looked elsewhere since
  went_ = -1;
  if (row != usual) return row;
  ViewState there = state;
  there.row = row;
  if (const std::int64_t own = opening_row(view, there); own >= 0 && own != row)
    from_ = row, went_ = own, row = own;
  return row;
}

int OpenedRow::layer(const ViewState& state) {
  if (!new_view_) return state.layer;
  ViewState there = state, usual = state;
  if (went_layer_ >= 0 && went_layer_ == state.layer && !new_model_) there.layer = from_layer_;
  went_layer_ = -1;
  look_at_first_try(usual);
  if (there.layer != usual.layer) return there.layer;
  if (const int own = opening_layer(view_, there); own >= 0 && own != there.layer)
    from_layer_ = std::exchange(there.layer, own), went_layer_ = own;
  return there.layer;
}

}  // namespace attnscope
