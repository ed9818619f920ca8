// Work that is handed out in tiles: each of them is done once, however many threads take part.
#include "core/ops/tiles.h"

#include <gtest/gtest.h>

#include <vector>

namespace attnscope {
namespace {

TEST(Tiles, FromEndsEachOnce) {
  for (const std::int64_t count : {0, 1, 2, 7, 100})
    for (const std::int64_t threads : {1, 2, 3, 5, 40}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
      for_each_tile_from_ends(
          count, [&](std::int64_t tile) { ++done.at(static_cast<std::size_t>(tile)); }, threads);
      for (const std::atomic<int>& times : done)
        EXPECT_EQ(times, 1) << count << " tiles, " << threads << " threads";
    }
}

}  // namespace
}  // namespace attnscope
