// Exceptions become errors where work ends: at the bottom of a thread, of a job, of a frame. The libraries
// below throw where memory ends or a size is absurd; the program itself never does across rooms.
#pragma once

#include <string>
#include <utility>

#include "core/base/result.h"

namespace attnscope {

/// An Error on its way up to where its part of the frame is guarded: thrown by Computed::get alone.
struct ErrorThrown {
  Error error;
};

/// Inside of a catch: the exception in flight as a sentence; `what` names the work, as in "the view Steps".
Error caught_error(const Text& what);

/// Carries out `work`; an exception becomes an Error.
template <class Work>
Status guarded(const Text& what, Work&& work) {
  try {
    std::forward<Work>(work)();
    return Done{};
  } catch (...) {
    return caught_error(what);
  }
}

}  // namespace attnscope
