// Keeps the cursor on its tokens while the text is edited, shortened or undone: query and key are mapped
// from the run in which the user chose them to the newest run, by aligning the tokens. Always mapped
// from that run directly, not from run to run, so that the result does not depend on the edits in
// between.
#pragma once

#include <memory>

#include "core/session/session.h"

namespace attnscope {

class CursorAnchor {
 public:
  /// Once per frame with the newest run, before tidy_cursor().
  void follow(Cursor& cursor, const std::shared_ptr<const RunResult>& run);
  /// After tidy_cursor(): the cursor that this frame starts with.
  void settle(const Cursor& cursor) { settled_ = cursor; }

 private:
  std::shared_ptr<const RunResult> chosen_in_, shown_;
  Cursor chosen_, settled_;
};

}  // namespace attnscope
