#include "core/system/lost_pages.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <mutex>

namespace attnscope {
namespace {

// A mapping that is watched. The handler reads it while other threads write, so every part is atomic and
// `begin`, which is 0 in a free slot, is written last.
struct PageSlot {
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<std::atomic<bool>*> lost{nullptr};
};
// Slots are never freed: the signal handler iterates over them without a lock.
struct Chunk {
  std::array<PageSlot, 64> slots;
  std::atomic<Chunk*> next{nullptr};
};

Chunk first_chunk;
std::mutex slots_mutex;
struct sigaction previous_action {};
std::uintptr_t page_bytes = 4096;

template <class Visit>
PageSlot* find_slot(const Visit& wanted) {
  for (Chunk* chunk = &first_chunk; chunk; chunk = chunk->next)
    for (PageSlot& slot : chunk->slots)
      if (wanted(slot)) return &slot;
  return nullptr;
}

// Zeros from the lost page to the mapping's end: a file that was cut short has nothing behind it either.
bool fill(const PageSlot& slot, void* touched) {
  const auto at = reinterpret_cast<std::uintptr_t>(touched);
  char* page = static_cast<char*>(touched) - at % page_bytes;
  const std::uintptr_t end = (slot.end + page_bytes - 1) / page_bytes * page_bytes;
  return ::mmap(page, end - at + at % page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) != MAP_FAILED;
}

// Calls nothing but mmap, sigaction and raise, which are safe here.
void on_bus_error(int signal, siginfo_t* info, void*) {
  const int kept = errno;
  const bool touched = info->si_code > 0;  // else the signal was sent by kill()
  const auto at = touched ? reinterpret_cast<std::uintptr_t>(info->si_addr) : 0;
  const PageSlot* slot = find_slot([&](const PageSlot& s) {
    const std::uintptr_t begin = s.begin;
    return begin != 0 && at >= begin && at < s.end;
  });
  if (slot) {
    *slot->lost.load() = true;
    if (fill(*slot, info->si_addr)) {
      errno = kept;
      return;
    }
  }
  ::sigaction(signal, &previous_action, nullptr);  // the same touch ends the program now
  if (!touched) ::raise(signal);
}

void install_once() {
  static const bool installed = [] {
    page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    return ::sigaction(SIGBUS, &action, &previous_action) == 0;
  }();
  (void)installed;
}

PageSlot& free_slot() {
  if (PageSlot* slot = find_slot([](const PageSlot& s) { return s.begin == 0; })) return *slot;
  Chunk* last = &first_chunk;
  while (last->next) last = last->next;
  last->next = new Chunk;  // NOLINT: lives as long as the program
  return last->next.load()->slots.front();
}

}  // namespace

void watch_pages(const void* begin, std::size_t bytes, std::atomic<bool>& lost) {
  const std::lock_guard lock(slots_mutex);
  install_once();
  PageSlot& slot = free_slot();
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  slot.end = address + bytes;
  slot.lost = &lost;
  slot.begin = address;
}

void unwatch_pages(const void* begin) {
  const std::lock_guard lock(slots_mutex);
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  if (PageSlot* slot = find_slot([&](const PageSlot& s) { return s.begin == address; })) slot->begin = 0;
}

}  // namespace attnscope
