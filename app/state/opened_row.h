// The row and the block that are looked at when a view comes on the stage: a view with a row or a block of
// its own (opening_row, opening_layer) begins there, and the cursor goes back when another view follows.
#pragma once

#include <string>

#include "core/view/view.h"

namespace attnscope {

class OpenedRow {
 public:
  /// Once per frame: `row` is that of the cursor, `usual` the row that is begun with, `view` what is shown of
  /// `state`, `opened` the session's count of what it opened. Returns the row to look at.
  std::int64_t follow(const std::string& view, const ViewState& state, std::uint64_t opened, std::int64_t row,
                      std::int64_t usual);

  /// The same of the block, `state.layer`, after follow(): a block that somebody chose stays.
  int layer(const ViewState& state);

 private:
  std::string view_;
  std::uint64_t opened_ = 0;
  std::int64_t went_ = -1, from_ = -1;  ///< where the cursor was sent and where it was; -1: nowhere
  bool new_view_ = false, new_model_ = false;
  int went_layer_ = -1, from_layer_ = -1;
};

}  // namespace attnscope
