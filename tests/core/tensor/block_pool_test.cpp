// Blocks are given out again by size, never twice at once, and never more than the limit are kept.
#include "core/tensor/block_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace attnscope {
namespace {

constexpr std::size_t kMega = std::size_t{1} << 20;

struct BlockPoolTest : ::testing::Test {
  void SetUp() override {
    set_kept_block_limit(0);
    set_kept_block_limit(8 * kMega);
  }
  void TearDown() override { set_kept_block_limit(0); }
};

TEST_F(BlockPoolTest, ABlockIsUsedAgainByItsSize) {
  auto block = tensor_memory(kMega);
  const void* const where = block.get();
  EXPECT_EQ(kept_block_bytes(), 0u);
  block.reset();
  EXPECT_EQ(kept_block_bytes(), kMega);
  const auto other = tensor_memory(2 * kMega);
  EXPECT_NE(other.get(), where);
  const auto again = tensor_memory(kMega), next = tensor_memory(kMega);
  EXPECT_EQ(again.get(), where);
  EXPECT_NE(next.get(), where);
  EXPECT_EQ(kept_block_bytes(), 0u);
}

TEST_F(BlockPoolTest, ABlockServesSizesThatAreNearlyItsOwn) {
  auto block = tensor_memory(70'000);
  const void* const where = block.get();
  block.reset();
  EXPECT_LE(kept_block_bytes(), 80'000u) << "an eighth more than asked for, at most";
  const auto other = tensor_memory(90'000), near = tensor_memory(68'000);
  EXPECT_NE(other.get(), where);
  EXPECT_EQ(near.get(), where);
}

// A batch of training that is a little shorter than the one before asks the system for nothing.
TEST_F(BlockPoolTest, ALargerBlockServesWhereItIsLargerByAQuarter) {
  auto block = tensor_memory(120'000);
  const void* const where = block.get();
  block.reset();
  const std::size_t kept = kept_block_bytes();
  EXPECT_NE(tensor_memory(80'000).get(), where) << "half of it would lie there unused";
  set_kept_block_limit(0);
  set_kept_block_limit(8 * kMega);
  block = tensor_memory(120'000);
  const void* const again = block.get();
  block.reset();
  block = tensor_memory(100'000);
  EXPECT_EQ(block.get(), again);
  EXPECT_EQ(kept_block_bytes(), 0u);
  block.reset();
  EXPECT_EQ(kept_block_bytes(), kept) << "it goes back with the size that it has";
}

TEST_F(BlockPoolTest, TheOldestGoBeyondTheLimit) {
  std::vector<std::shared_ptr<void>> blocks;
  for (std::size_t i = 0; i < 12; ++i) blocks.push_back(tensor_memory(kMega));
  const void* const last = blocks.back().get();
  for (auto& block : blocks) block.reset();
  EXPECT_EQ(kept_block_bytes(), 8 * kMega);
  EXPECT_EQ(tensor_memory(kMega).get(), last);
  tensor_memory(9 * kMega).reset();
  EXPECT_EQ(kept_block_bytes(), 8 * kMega) << "what is larger than the limit takes no other's place";
  set_kept_block_limit(3 * kMega);
  EXPECT_EQ(kept_block_bytes(), 3 * kMega);
}

TEST_F(BlockPoolTest, SmallOnesAreNotKept) {
  tensor_memory(1000).reset();
  EXPECT_EQ(kept_block_bytes(), 0u);
}

TEST_F(BlockPoolTest, AddressesBeginAtACacheLine) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{999}, kMega + 4, 3 * kMega})
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor_memory(bytes).get()) % 64, 0u) << bytes;
}

// Every thread fills what it has with its own number: two that had the same block would find the other's.
TEST_F(BlockPoolTest, NoTwoThreadsHaveTheSameBlock) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int number = 1; number <= 4; ++number)
    threads.emplace_back([number, &wrong] {
      for (int round = 0; round < 200; ++round) {
        const std::size_t bytes = kMega / 4 * static_cast<std::size_t>(1 + round % 3);
        const auto block = tensor_memory(bytes);
        std::memset(block.get(), number, bytes);
        std::this_thread::yield();
        const auto* const at = static_cast<const unsigned char*>(block.get());
        for (std::size_t i = 0; i < bytes; i += 4096) wrong += at[i] != number;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace attnscope
