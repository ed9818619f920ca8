// Signals that end a program (Ctrl+C, SIGTERM, SIGHUP of a terminal that is closed). The handler sets a
// flag that the program checks where it can stop; Ctrl+C a second time ends it at once.
// The handler does nothing else: few functions are async-signal-safe.
#pragma once

#include <csignal>

#include "core/base/no_copy.h"

namespace attnscope {

/// While it lives, a request to end is noted and nothing else happens. Signals that were ignored before
/// (nohup) stay ignored. One at a time.
class StopSignals : NoCopy {
 public:
  /// `wake` is called from the handler, so it may set a flag or write to a pipe and nothing else.
  explicit StopSignals(void (*wake)() = nullptr);
  ~StopSignals();
  /// True once a signal to end has arrived.
  static bool wanted();

 private:
  struct sigaction before_[3]{};
};

/// A file that may not grow further (ulimit -f) fails its write with a reason instead of ending the program.
void survive_file_limits();
/// A pipe without a reader fails its write likewise (EPIPE): for commands whose work is not what they
/// print.
void survive_closed_pipes();

}  // namespace attnscope
