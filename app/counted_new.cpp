// Replaces operator new to count heap allocations: one atomic addition each, read by attnscope
// --bench-frames. Not in builds with AddressSanitizer, which has its own allocator.
#include <cstdlib>
#include <new>

#include "app/shell/bench_frames.h"

#ifndef __SANITIZE_ADDRESS__

// The array and nothrow forms of the standard library call these two.
void* operator new(std::size_t bytes) {
  attnscope::allocations_counted.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }

#endif
