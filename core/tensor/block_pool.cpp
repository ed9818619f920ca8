#include "core/tensor/block_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <new>

namespace attnscope {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kLeastKept = std::size_t{128} << 10;  // malloc keeps smaller ones itself
constexpr std::size_t kMostKept = std::size_t{512} << 20, kShareOfMemory = 32;

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

std::size_t first_limit() {
#ifdef __SANITIZE_ADDRESS__
  return 0;
#else
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page <= 0) return 0;
  return std::min(kMostKept,
                  static_cast<std::size_t>(pages) / kShareOfMemory * static_cast<std::size_t>(page));
#endif
}

class BlockPool {
 public:
  void* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto at = std::find_if(kept_.rbegin(), kept_.rend(),
                                 [bytes](const Block& block) { return block.bytes == bytes; });
    if (at == kept_.rend()) return nullptr;
    void* const memory = at->memory;
    kept_.erase(std::next(at).base());
    bytes_ -= bytes;
    return memory;
  }
  void give(void* memory, std::size_t bytes) {
    std::unique_lock lock(mutex_);
    if (bytes > limit_) {
      lock.unlock();
      return std::free(memory);
    }
    kept_.push_back({bytes, memory});
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
    std::size_t bytes;
    void* memory;
  };
  void shrink() {
    while (bytes_ > limit_) {
      bytes_ -= kept_.front().bytes;
      std::free(kept_.front().memory);
      kept_.pop_front();
    }
  }

  std::mutex mutex_;
  std::deque<Block> kept_;  // the oldest first
  std::size_t bytes_ = 0, limit_ = first_limit();
};

// Never destroyed: tensors of static variables may outlive any other one.
BlockPool& pool() {
  static BlockPool& one = *new BlockPool;
  return one;
}

}  // namespace

std::shared_ptr<void> tensor_memory(std::size_t bytes) {
  bytes = (bytes + kLine - 1) / kLine * kLine;
  if (bytes < kLeastKept) return {fresh_block(bytes), [](void* p) { std::free(p); }};
  void* const kept = pool().take(bytes);
  return {kept ? kept : fresh_block(bytes), [bytes](void* p) { pool().give(p, bytes); }};
}

std::size_t kept_block_bytes() { return pool().bytes(); }
void set_kept_block_limit(std::size_t bytes) { pool().set_limit(bytes); }

}  // namespace attnscope
