// How the program is left: what was made and is in no file is asked about, once, and can be saved, kept for
// the next start or let go of. Refuses to ask where nothing was made, and to lose what else was set aside.
#pragma once

#include <functional>
#include <memory>

#include "core/base/result.h"

namespace attnscope {

struct FrameState;
struct OpenedModel;

/// What was asked and answered when the program was to end.
struct Leaving {
  bool ask = false;        ///< the question opens in this frame
  bool asked = false;      ///< it is open
  bool decided = false;    ///< the program may end
  bool discarded = false;  ///< what is open is let go of
  int at = 0;              ///< the answer that Enter gives
  /// The answer that was given, until the work that was asked about is open with where one looked.
  std::function<void(FrameState&)> answer;
};

/// The program is asked to end. True where it may at once; else the question is open. Asked again while it
/// is open, it keeps what is open for the next start.
bool may_leave(FrameState& state);
/// The work that is asked about: what is open, or what was made and lies under it (a lesson, a model that was
/// only looked at), which stays there while the question is open.
std::shared_ptr<const OpenedModel> asked_about(const FrameState& state);
/// How many works beside that one are in no file.
int others_set_aside(const FrameState& state);
/// Once per frame: carries out an answer that had to wait.
void follow_leaving(FrameState& state);
/// The answers. Saving asks where to, where there is no file yet; what fails is told, and the program stays.
void leave_and_save(FrameState& state);
void leave_and_keep(FrameState& state);
void leave_and_discard(FrameState& state);
void leave_not(FrameState& state);
/// At the very end: what is set aside is kept for the next start, and what is open, where the program was
/// ended from outside (`asked` false). Removes what was kept while the program ran. Errors: what could not be
/// kept, with where it is instead, or why it is nowhere.
Status keep_works(FrameState& state, bool asked);

}  // namespace attnscope
