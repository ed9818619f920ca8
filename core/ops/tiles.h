// Work that is cut into tiles by its shape alone and handed out one tile at a time, so that a slow thread
// takes fewer and results do not depend on how many threads there are.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/base/thread_pool.h"

namespace attnscope {

/// Calls body(tile) once for every tile in [0, count), on all threads, in no particular order.
template <class Body>
void for_each_tile(std::int64_t count, Body body) {
  std::atomic<std::int64_t> next{0};
  const auto drain = [&](std::int64_t, std::int64_t) {
    for (std::int64_t tile = next++; tile < count; tile = next++) body(tile);
  };
  const std::int64_t threads = thread_count();
  parallel_for(threads < count ? threads : count, 1, drain);
}

/// The same where tiles lie one after another in memory, which is read once: two threads go over neighbouring
/// tiles from both ends of a run of them, until they meet, and then help at the other runs.
template <class Body>
void for_each_tile_from_ends(std::int64_t count, Body body, std::int64_t threads = thread_count()) {
  struct Run {
    std::int64_t begin, size;
    std::atomic<std::int64_t> taken{0}, up{0}, down{0};
  };
  constexpr std::int64_t kRuns = 8;
  if (threads > count) threads = count;
  const std::int64_t runs = threads < 2 * kRuns ? (threads + 1) / 2 : kRuns;
  Run all[kRuns];
  for (std::int64_t i = 0; i < runs; ++i) {
    all[i].begin = count * i / runs;
    all[i].size = count * (i + 1) / runs - all[i].begin;
  }
  parallel_for(threads, 1, [&](std::int64_t thread, std::int64_t) {
    for (std::int64_t i = 0; i < runs; ++i) {
      Run& run = all[(thread / 2 + i) % runs];
      while (run.taken++ < run.size)
        body(run.begin + (thread % 2 == 0 ? run.up++ : run.size - 1 - run.down++));
    }
  });
}

/// Cuts [0, size) into the fewest pieces of at most `longest`, nearly equal, whose borders are multiples of
/// `step`.
struct Cut {
  std::int64_t size, piece, count;
  Cut(std::int64_t size_in, std::int64_t longest, std::int64_t step) : size(size_in) {
    const std::int64_t pieces = (size + longest - 1) / longest;
    piece = pieces > 0 ? ((size + pieces - 1) / pieces + step - 1) / step * step : step;
    count = (size + piece - 1) / piece;
  }
  std::int64_t begin(std::int64_t index) const { return index * piece; }
  std::int64_t end(std::int64_t index) const {
    return index * piece + piece < size ? index * piece + piece : size;
  }
};

}  // namespace attnscope
