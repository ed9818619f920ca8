// Mapped files whose pages go away: the file is cut short, or its disk fails. The next read of such a
// page raises SIGBUS, which would end the program; here it reads zeros and a flag is set.
// A SIGBUS outside of the watched ranges ends the program as by default.
#pragma once

#include <atomic>
#include <cstddef>

namespace attnscope {

/// From now on a lost page between `begin` and `begin + bytes` reads zeros and sets `lost`; that must outlive
/// the watch.
void watch_pages(const void* begin, std::size_t bytes, std::atomic<bool>& lost);
/// Ends the watch over the mapping that begins there; before it is unmapped.
void unwatch_pages(const void* begin);

}  // namespace attnscope
