#include "tests/fuzz/limits.h"

#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <string_view>

#if defined(__SANITIZE_ADDRESS__)  // GCC comes without the header of these
extern "C" {
int __sanitizer_install_malloc_and_free_hooks(void (*taken)(const volatile void*, std::size_t),
                                              void (*given_back)(const volatile void*));
std::size_t __sanitizer_get_allocated_size(const volatile void* memory);
}
#endif

namespace attnscope::fuzz {
namespace {

// Only what a signal's handler may call.
[[noreturn]] void stop(std::string_view sentence) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, sentence.data(), sentence.size());
  std::abort();
}

void set_timer(int seconds) {
  const itimerval limit{{0, 0}, {seconds, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

#if defined(__SANITIZE_ADDRESS__)
std::atomic<long> live_bytes{0};  // since the input began
std::atomic<bool> counting{false};

void limits_taken(const volatile void*, std::size_t bytes) {
  if (!counting) return;
  if ((live_bytes += static_cast<long>(bytes)) < kMostMegabytes << 20) return;
  counting = false;
  stop("fuzz: more memory than an input may take\n");
}
void given_back(const volatile void* memory) {
  if (counting && memory) live_bytes -= static_cast<long>(__sanitizer_get_allocated_size(memory));
}
#endif

}  // namespace

void watch_limits() {
  std::signal(SIGPROF, [](int) { stop("fuzz: more time than an input may take\n"); });
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_install_malloc_and_free_hooks(limits_taken, given_back);
#endif
}

void begin_input() {
  set_timer(kMostSeconds);
#if defined(__SANITIZE_ADDRESS__)
  live_bytes = 0;
  counting = true;
#endif
}

void end_input() {
#if defined(__SANITIZE_ADDRESS__)
  counting = false;
#endif
  set_timer(0);
}

}  // namespace attnscope::fuzz
