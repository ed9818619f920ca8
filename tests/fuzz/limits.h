// What one input may take: seconds of processor time, and bytes of memory at a time beyond what was there
// before. Whoever takes more ends the process with a sentence and the place where it happened.
#pragma once

namespace attnscope::fuzz {

inline constexpr int kMostSeconds = 10;
inline constexpr long kMostMegabytes = 256;

/// Once per process.
void watch_limits();
/// Around one input.
void begin_input();
void end_input();

}  // namespace attnscope::fuzz
