// Frame times: every view drawn offscreen while idle, while the mouse moves over it, while it scrolls and
// while the timeline plays. Each frame ends with glFinish(), so that GPU time is included. Prints the
// measurements without a verdict.
#pragma once

#include <atomic>
#include <cstdint>

#include "app/shell/options.h"

namespace attnscope {

/// Number of heap allocations of this program (app/counted_new.cpp).
extern std::atomic<std::int64_t> allocations_counted;

/// Measures and prints a table, or JSON. Returns the exit status; errors go to stderr.
int bench_frames(const Options& options);

}  // namespace attnscope
