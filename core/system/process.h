// Other processes: whether one still runs, by kill(pid, 0) and /proc/PID/stat where it exists; programs that
// are given something.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

/// False where no process has this number, or where it has ended and its parent has not waited for it (a
/// zombie).
bool process_runs(int process);
/// Runs a program, found by its name, with these bytes as its input, and waits until it has ended; what it
/// prints is not read. One that runs longer than `most` is ended. Errors: not_found where there is no such
/// program; io_failed with its exit status, or that it did not answer.
Status run_with_input(const std::vector<std::string>& words, std::string_view input,
                      std::chrono::milliseconds most = std::chrono::seconds(20));

}  // namespace attnscope
