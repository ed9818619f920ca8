// What was printed has arrived, or the program says that it has not.
#include "core/system/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string>

namespace attnscope {
namespace {

// 1 where a process that prints `bytes` to `path` finds at its end that they did not arrive.
int printed_to(const char* path, std::size_t bytes, bool by_stream) {
  std::fflush(stdout);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(::open(path, O_WRONLY), 1);
    std::setvbuf(stdout, nullptr, _IOFBF, 4096);
    const std::string text(bytes, 'x');
    if (by_stream)
      std::cout << text;
    else
      std::fwrite(text.data(), 1, text.size(), stdout);
    ::_exit(finish_output() ? 0 : 1);
  }
  int raw = 0;
  ::waitpid(pid, &raw, 0);
  return WIFEXITED(raw) ? WEXITSTATUS(raw) : -1;
}

TEST(Output, AFullDiskIsFoundOutWhateverTheLength) {
  for (const bool by_stream : {false, true})
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{4500}, std::size_t{6600},
                                    std::size_t{8192}, std::size_t{100'000}}) {
      EXPECT_EQ(printed_to("/dev/full", bytes, by_stream), 1) << bytes;
      EXPECT_EQ(printed_to("/dev/null", bytes, by_stream), 0) << bytes;
    }
}

}  // namespace
}  // namespace attnscope
