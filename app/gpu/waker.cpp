#include "app/gpu/waker.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

namespace attnscope {
namespace {

std::atomic<int> wake_pipe{-1};  // write end

}  // namespace

Waker::Waker(std::function<void()> wake) : wake_(std::move(wake)) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;  // without a pipe the window polls every few seconds
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  read_end_ = ends[0];
  wake_pipe = ends[1];
  worker_.order([this] { run(); });
}

Waker::~Waker() {
  const int end = wake_pipe.exchange(-1);
  if (end >= 0) ::close(end);  // end of file stops the thread
  worker_.end();
  if (read_end_ >= 0) ::close(read_end_);
}

void Waker::ask() {
  const int kept = errno;
  if (const int end = wake_pipe; end >= 0) (void)!::write(end, "w", 1);  // a full pipe also wakes
  errno = kept;
}

void Waker::run() {
  std::array<char, 256> bytes{};
  for (;;) {
    const ssize_t got = ::read(read_end_, bytes.data(), bytes.size());
    if (got > 0) wake_();
    if (got == 0 || (got < 0 && errno != EINTR)) return;
  }
}

}  // namespace attnscope
