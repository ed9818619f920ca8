// Flushes standard output at the end and reports a write error (full disk, closed pipe), so that truncated
// output does not end with exit status 0.
#pragma once

#include "core/base/result.h"

namespace attnscope {

/// Flushes stdout and std::cout. Error (io_failed): something printed so far could not be written, whenever
/// that was.
Status finish_output();

}  // namespace attnscope
