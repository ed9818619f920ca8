// How long frames take: every view drawn offscreen while nothing changes, while the pointer moves over it,
// while it is scrolled and while the walk plays, each frame finished by the graphics card before the next one
// begins. Refuses to judge: it prints what it measured.
#pragma once

#include <atomic>
#include <cstdint>

#include "app/shell/options.h"

namespace attnscope {

/// Counts the heap's allocations of this program (app/counted_new.cpp).
extern std::atomic<std::int64_t> allocations_counted;

/// Measures and prints a table, or JSON. Exit status; errors go to stderr.
int bench_frames(const Options& options);

}  // namespace attnscope
