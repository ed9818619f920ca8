#include "core/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace attnscope {
namespace {

thread_local bool inside_parallel = false;

// One loop in flight: workers and caller take pieces until none is left.
struct Loop {
  const std::function<void(std::int64_t, std::int64_t)>* body = nullptr;
  std::int64_t count = 0;
  std::int64_t piece = 0;
  std::atomic<std::int64_t> next{0};
  std::atomic<int> running{0};

  void work() {
    inside_parallel = true;
    for (;;) {
      const std::int64_t begin = next.fetch_add(piece);
      if (begin >= count) break;
      (*body)(begin, std::min(begin + piece, count));
    }
    inside_parallel = false;
  }
};

class Pool {
 public:
  explicit Pool(int workers) {
    for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { run(); });
  }
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  // False when another loop is in flight: the caller then works alone instead of waiting (a frame never
  // waits).
  bool execute(Loop& loop, int helpers) {
    std::unique_lock one_at_a_time(loop_mutex_, std::try_to_lock);
    if (!one_at_a_time) return false;
    {
      std::lock_guard lock(mutex_);
      loop_ = &loop;
      tickets_ = helpers;
      ++generation_;
    }
    wake_.notify_all();
    loop.work();
    std::unique_lock lock(mutex_);
    loop_ = nullptr;  // late wakers find nothing
    idle_.wait(lock, [&] { return loop.running == 0; });
    return true;
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    std::uint64_t seen = 0;
    for (;;) {
      wake_.wait(lock, [&] { return stop_ || (loop_ && generation_ != seen); });
      if (stop_) return;
      seen = generation_;
      if (tickets_-- <= 0) continue;
      Loop* loop = loop_;
      ++loop->running;
      lock.unlock();
      loop->work();
      lock.lock();
      if (--loop->running == 0) idle_.notify_all();
    }
  }

  std::vector<std::thread> threads_;
  std::mutex mutex_, loop_mutex_;
  std::condition_variable wake_, idle_;
  Loop* loop_ = nullptr;
  std::uint64_t generation_ = 0;
  int tickets_ = 0;
  bool stop_ = false;
};

int hardware_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

std::atomic<int> limit{0};

Pool& pool() {
  static Pool instance(hardware_threads() - 1);
  return instance;
}

}  // namespace

int thread_count() {
  const int wanted = limit.load();
  return wanted > 0 ? std::min(wanted, hardware_threads()) : hardware_threads();
}

void set_thread_count(int count) { limit = std::max(0, count); }

void parallel_for(std::int64_t count, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t)>& body) {
  if (count <= 0) return;
  const int threads = thread_count();
  grain = std::max<std::int64_t>(1, grain);
  if (threads == 1 || count <= grain || inside_parallel) {
    body(0, count);
    return;
  }
  Loop loop;
  loop.body = &body;
  loop.count = count;
  const std::int64_t even = (count + threads - 1) / threads;
  loop.piece = std::max(grain, even);
  if (!pool().execute(loop, threads - 1)) body(0, count);
}

}  // namespace attnscope
