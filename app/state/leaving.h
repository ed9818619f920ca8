// Exit of the program. If there are unsaved changes, a dialog offers to save, to keep for the next start or
// to discard them; otherwise the program exits at once. Changed works in the background are always kept.
#pragma once

#include <functional>
#include <memory>

#include "core/base/result.h"

namespace attnscope {

struct FrameState;
struct OpenedModel;

/// State of the exit dialog.
struct Leaving {
  bool ask = false;        ///< open the dialog in this frame
  bool asked = false;      ///< the dialog is open
  bool decided = false;    ///< the program may exit
  bool discarded = false;  ///< the open document is discarded
  int at = 0;              ///< index of the default button (Enter)
  /// The answer that was given, until the work that was asked about is open with where one looked.
  std::function<void(FrameState&)> answer;
};

/// Called on a request to exit. True if the program may exit now; otherwise the dialog is open. A second
/// request while it is open keeps the document for the next start.
bool may_leave(FrameState& state);
/// The work that is asked about: what is open, or what was made and lies under it (a lesson, a model that was
/// only looked at), which stays there while the question is open.
std::shared_ptr<const OpenedModel> asked_about(const FrameState& state);
/// How many works beside that one are in no file.
int others_set_aside(const FrameState& state);
/// Once per frame: carries out an answer that had to wait.
void follow_leaving(FrameState& state);
/// The buttons. Save opens the file browser if there is no file yet; on errors the program does not exit.
void leave_and_save(FrameState& state);
void leave_and_keep(FrameState& state);
void leave_and_discard(FrameState& state);
void leave_not(FrameState& state);
/// At the very end: keeps background works for the next start, and the open document if the program was
/// terminated from outside (`asked` false). Deletes the autosaves. Errors: what could not be kept, with the
/// path it was written to instead, or why it was not written.
Status keep_works(FrameState& state, bool asked);

}  // namespace attnscope
