// The end of what a program prints. Refuses to call an output complete that a full disk or a closed pipe cut
// short.
#pragma once

#include "core/base/result.h"

namespace attnscope {

/// Flushes stdout and std::cout. Error (io_failed): something printed so far could not be written, whenever
/// that was.
Status finish_output();

}  // namespace attnscope
