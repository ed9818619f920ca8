// One pool of worker threads for the whole program; parallel_for splits a loop over them.
// The caller works too; nested calls run inline, so that ops may be called from inside of a parallel loop.
#pragma once

#include <cstdint>
#include <functional>

namespace attnscope {

/// Number of threads parallel_for uses (workers + the caller), at least 1.
int thread_count();
/// How many a loop uses that begins here: 1 inside of another one.
int threads_here();
/// Limits the threads used from now on; 0 = all cores that this process may run on. For measurements and
/// tests.
void set_thread_count(int count);

/// Calls body(begin, end) on disjoint pieces that together cover [0, count). Pieces are at least `grain` long
/// (but for the last). Returns when all are done. The split depends on count, grain and thread_count() only.
/// What a body throws ends the loop and is thrown here, when no other piece runs any more.
void parallel_for(std::int64_t count, std::int64_t grain,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body);

}  // namespace attnscope
