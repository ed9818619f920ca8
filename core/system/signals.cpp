#include "core/system/signals.h"

#include <atomic>
#include <cerrno>

namespace attnscope {
namespace {

constexpr int kStopSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> stop_wanted{false};
std::atomic<void (*)()> stop_wake{nullptr};

void on_stop(int signal) {
  const int kept = errno;
  // Ctrl+C twice. The others come twice without a person who means it: of the shell and of its terminal.
  if (stop_wanted.exchange(true) && signal == SIGINT) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  if (void (*wake)() = stop_wake) wake();
  errno = kept;
}

}  // namespace

StopSignals::StopSignals(void (*wake)()) {
  stop_wanted = false;
  stop_wake = wake;
  struct sigaction action {};
  action.sa_handler = on_stop;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < 3; ++i) {
    sigaction(kStopSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kStopSignals[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (int i = 0; i < 3; ++i) sigaction(kStopSignals[i], &before_[i], nullptr);
  stop_wake = nullptr;
}

bool StopSignals::wanted() { return stop_wanted; }

void survive_file_limits() { std::signal(SIGXFSZ, SIG_IGN); }
void survive_closed_pipes() { std::signal(SIGPIPE, SIG_IGN); }

}  // namespace attnscope
