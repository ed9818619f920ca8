#include "core/system/heap.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace attnscope {
namespace {

#ifdef __GLIBC__
int arenas() {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* file = open_memstream(&text, &size);
  malloc_info(0, file);
  std::fclose(file);
  int count = 0;
  const std::string_view all(text, size);
  for (std::size_t at = all.find("<heap nr="); at != std::string_view::npos;
       at = all.find("<heap nr=", at + 1))
    ++count;
  std::free(text);
  return count;
}

TEST(Heap, ManyThreadsShareTwoArenas) {
  share_heap_arenas();
  const int before = arenas();
  constexpr int kThreads = 8;
  std::latch all_there(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      const std::string own(5000, 'a');
      all_there.arrive_and_wait();
      EXPECT_EQ(own.size(), 5000u);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(arenas(), std::max(before, 2));
}
#endif

}  // namespace
}  // namespace attnscope
