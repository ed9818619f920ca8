// The rows that are looked at stay with their tokens: while a text is typed over, shortened, undone, the
// query, the key and the pinned number are those that the person chose, as far as the new run has them.
// Refuses to follow from run to run: each is compared with the run in which the choice was made, so that the
// way does not matter.
#pragma once

#include <memory>

#include "core/session/session.h"

namespace attnscope {

class CursorAnchor {
 public:
  /// Once per frame with the newest run, before the cursor is made to fit it.
  void follow(Cursor& cursor, const std::shared_ptr<const RunResult>& run);
  /// Afterwards.
  void settle(const Cursor& cursor) { settled_ = cursor; }

 private:
  std::shared_ptr<const RunResult> chosen_in_, shown_;
  Cursor chosen_, settled_;
};

}  // namespace attnscope
