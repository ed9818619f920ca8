// The heap of the window's program, counted: one addition per allocation, for attnscope --bench-frames. A
// sanitizer brings a heap of its own, which stays as it is.
#include <cstdlib>
#include <new>

#include "app/shell/bench_frames.h"

#ifndef __SANITIZE_ADDRESS__

// The array forms and those that do not throw end in these two.
void* operator new(std::size_t bytes) {
  attnscope::allocations_counted.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }

#endif
