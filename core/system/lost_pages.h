// Mapped files whose pages go away: somebody cuts the file short, or its disk fails. The next touch of such a
// page raises SIGBUS, which would end the program; here it reads zeros, and whoever mapped the file is told.
// Refuses to hide a SIGBUS anywhere else: it ends the program as it always did.
#pragma once

#include <atomic>
#include <cstddef>

namespace attnscope {

/// From now on a lost page between `begin` and `begin + bytes` reads zeros and sets `lost`, which outlives
/// the watch.
void watch_pages(const void* begin, std::size_t bytes, std::atomic<bool>& lost);
/// Ends the watch over the mapping that begins there; before it is unmapped.
void unwatch_pages(const void* begin);

}  // namespace attnscope
