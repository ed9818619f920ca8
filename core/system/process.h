// Whether another process still runs, by kill(pid, 0) and /proc/PID/stat where it exists.
#pragma once

namespace attnscope {

/// False where no process has this number, or where it has ended and its parent has not waited for it (a
/// zombie).
bool process_runs(int process);

}  // namespace attnscope
