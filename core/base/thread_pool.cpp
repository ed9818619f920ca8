#include "core/base/thread_pool.h"

#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace attnscope {
namespace {

thread_local bool inside_parallel = false;

// Between the loops of one computation a thread looks again for a while before it sleeps: waking it costs
// more than many a loop. Short enough to be nothing at rest.
constexpr std::chrono::microseconds kAttentive{50};

// A moment in which the processor has nothing to do.
void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Waits until `condition` holds or that time is over.
template <class Condition>
void watch(const Condition& condition) {
  for (int i = 0; i < 64; ++i) {
    if (condition()) return;
    relax();
  }
  const auto end = std::chrono::steady_clock::now() + kAttentive;
  while (!condition() && std::chrono::steady_clock::now() < end)
    for (int i = 0; i < 16; ++i) relax();
}

// Workers and caller take pieces of the one loop in flight until none is left. A worker joins with a ticket;
// the caller takes back the unused ones and waits for the others.
class Pool {
 public:
  explicit Pool(int workers) {
    threads_.reserve(static_cast<std::size_t>(workers));
    try {
      for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { run(); });
    } catch (const std::system_error&) {
    }  // the system gives no more: those that are there do the work
  }
  ~Pool() {
    stop_ = true;
    wake(wake_);
    for (auto& thread : threads_) thread.join();
  }

  using Body = std::function<void(std::int64_t, std::int64_t)>;

  // False when another loop is in flight: the caller then works alone instead of waiting (a frame never
  // waits).
  bool execute(const Body& body, std::int64_t count, std::int64_t piece, int helpers) {
    std::unique_lock one_at_a_time(loop_mutex_, std::try_to_lock);
    if (!one_at_a_time) return false;
    body_ = &body;
    count_ = count;
    piece_ = piece;
    next_ = 0;
    finished_ = 0;
    tickets_ = helpers;
    ++loops_;
    if (sleepers_ > 0) wake(wake_);
    work();
    join(helpers - tickets_.exchange(0));
    if (const std::exception_ptr thrown = std::exchange(thrown_, nullptr)) std::rethrow_exception(thrown);
    return true;
  }

 private:
  void join(int joined) {
    watch([&] { return finished_ == joined; });
    if (finished_ == joined) return;
    std::unique_lock lock(mutex_);
    caller_sleeps_ = true;
    idle_.wait(lock, [&] { return finished_ == joined; });
    caller_sleeps_ = false;
  }

  void wake(std::condition_variable& whom) {
    { std::lock_guard lock(mutex_); }  // a thread that has tested its condition before is waiting by now
    whom.notify_all();
  }

  void work() {
    inside_parallel = true;
    try {
      for (;;) {
        const std::int64_t begin = next_.fetch_add(piece_);
        if (begin >= count_) break;
        (*body_)(begin, std::min(begin + piece_, count_));
      }
    } catch (...) {
      next_ = count_;  // no further pieces are taken
      const std::lock_guard lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
    }
    inside_parallel = false;
  }

  bool take_ticket() {
    int left = tickets_;
    while (left > 0)
      if (tickets_.compare_exchange_weak(left, left - 1)) return true;
    return false;
  }

  void run() {
    const auto called = [&] { return stop_ || tickets_ > 0; };
    for (;;) {
      const std::uint32_t seen = loops_;
      watch(called);
      if (!called()) {
        std::unique_lock lock(mutex_);
        ++sleepers_;
        wake_.wait(lock, [&] { return called() || loops_ != seen; });
        --sleepers_;
      }
      if (stop_) return;
      if (!take_ticket()) continue;
      work();
      ++finished_;
      if (caller_sleeps_) wake(idle_);
    }
  }

  std::vector<std::thread> threads_;
  std::mutex mutex_, loop_mutex_;
  std::condition_variable wake_, idle_;
  // The loop in flight: written only while no worker holds a ticket.
  const Body* body_ = nullptr;
  std::int64_t count_ = 0, piece_ = 1;
  std::exception_ptr thrown_;  ///< the first exception of its pieces
  std::atomic<std::int64_t> next_{0};
  std::atomic<int> tickets_{0}, finished_{0}, sleepers_{0};
  std::atomic<std::uint32_t> loops_{0};
  std::atomic<bool> caller_sleeps_{false}, stop_{false};
};

// The cores that this process may run on: taskset, a container or a job of Slurm may give it fewer than there
// are.
int usable_cores() {
#ifdef __linux__
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return CPU_COUNT(&cores);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}
// Asked once: the answer is read from files of the system.
int hardware_threads() {
  static const int count = std::max(1, usable_cores());
  return count;
}

std::atomic<int> thread_limit{0};

Pool& pool() {
  static Pool instance(hardware_threads() - 1);
  return instance;
}

}  // namespace

int thread_count() {
  const int wanted = thread_limit.load();
  return wanted > 0 ? std::min(wanted, hardware_threads()) : hardware_threads();
}

int threads_here() { return inside_parallel ? 1 : thread_count(); }

void set_thread_count(int count) { thread_limit = std::max(0, count); }

void parallel_for(std::int64_t count, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t)>& body) {
  if (count <= 0) return;
  const int threads = thread_count();
  grain = std::max<std::int64_t>(1, grain);
  if (threads == 1 || count <= grain || inside_parallel) {
    body(0, count);
    return;
  }
  const std::int64_t even = (count + threads - 1) / threads;
  if (!pool().execute(body, count, std::max(grain, even), threads - 1)) body(0, count);
}

}  // namespace attnscope
