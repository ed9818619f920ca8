#include "core/tensor/block_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <new>

namespace attnscope {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kLeastKept = std::size_t{2} << 10;  // malloc keeps smaller ones itself
constexpr std::size_t kSpare = 4;  // a block may be larger than what it is used for by a quarter of that
constexpr std::size_t kMostRounded = std::size_t{4} << 20;  // larger ones have the size they were asked for
// 1,024 tokens at the size of GPT-2 record 0.7 GB.
constexpr std::size_t kMostKeptBlocks = std::size_t{1} << 30, kShareOfMemory = 16;

// Large blocks are advised to use huge pages: TLB misses cost more than reading them when
// weights are read once from end to end.
void* fresh_block(std::size_t bytes) {
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  const std::size_t alignment = bytes >= kLargePage ? kLargePage : kLine;
  void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!memory) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (alignment == kLargePage) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

// What a block of that many bytes is given: eight sizes between a power of two and the next, so that runs of
// about as many rows use each other's blocks.
std::size_t given(std::size_t bytes) {
  const std::size_t step =
      bytes < kLeastKept || bytes > kMostRounded ? kLine : std::max(kLine, std::bit_floor(bytes) / 8);
  return (bytes + step - 1) / step * step;
}

std::size_t first_limit() {
#ifdef __SANITIZE_ADDRESS__
  return 0;
#else
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page <= 0) return 0;
  return std::min(kMostKeptBlocks,
                  static_cast<std::size_t>(pages) / kShareOfMemory * static_cast<std::size_t>(page));
#endif
}

class BlockPool {
 public:
  // A kept block of that many bytes or a few more, which `bytes` becomes; null: there is none.
  void* take(std::size_t& bytes) {
    const std::lock_guard lock(mutex_);
    auto at = kept_.lower_bound(bytes);
    while (at != kept_.end() && at->second.empty()) ++at;
    if (at == kept_.end() || at->first > bytes + bytes / kSpare) return nullptr;
    void* const memory = at->second.back().memory;
    at->second.pop_back();
    bytes = at->first;
    bytes_ -= bytes;
    return memory;
  }
  void give(void* memory, std::size_t bytes) {
    std::unique_lock lock(mutex_);
    if (bytes > limit_) {
      lock.unlock();
      return std::free(memory);
    }
    kept_[bytes].push_back({memory, ++given_back_});
    bytes_ += bytes;
    shrink();
  }
  void set_limit(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    limit_ = bytes;
    shrink();
  }
  std::size_t bytes() {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  struct Block {
    void* memory;
    std::uint64_t since;  // larger: given back later
  };
  void shrink() {
    while (bytes_ > limit_) {
      std::erase_if(kept_, [](const auto& same) { return same.second.empty(); });
      const auto oldest = std::min_element(kept_.begin(), kept_.end(), [](const auto& a, const auto& b) {
        return a.second.front().since < b.second.front().since;
      });
      bytes_ -= oldest->first;
      std::free(oldest->second.front().memory);
      oldest->second.pop_front();
    }
  }

  std::mutex mutex_;
  std::map<std::size_t, std::deque<Block>> kept_;  // by size; the oldest first
  std::uint64_t given_back_ = 0;
  std::size_t bytes_ = 0, limit_ = first_limit();
};

// Never destroyed: tensors of static variables may outlive any other one.
BlockPool& common_pool() {
  static BlockPool& one = *new BlockPool;
  return one;
}

}  // namespace

std::shared_ptr<void> tensor_memory(std::size_t bytes) {
  bytes = given(bytes);
  if (bytes < kLeastKept) return {fresh_block(bytes), [](void* p) { std::free(p); }};
  void* const kept = common_pool().take(bytes);  // `bytes` are now those of the block
  return {kept ? kept : fresh_block(bytes), [bytes](void* p) { common_pool().give(p, bytes); }};
}

std::size_t kept_block_bytes() { return common_pool().bytes(); }
void set_kept_block_limit(std::size_t bytes) { common_pool().set_limit(bytes); }

}  // namespace attnscope
