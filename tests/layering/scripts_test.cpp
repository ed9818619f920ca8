// What a person asks of a script first: --help, answered at once and without building, installing or opening
// anything.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdio>

#include "tests/layering/files.h"

namespace attnscope::layering {
namespace {

namespace fs = std::filesystem;

struct Answer {
  int status = -1;
  std::string text;
};

Answer answer_of(const std::string& command) {
  Answer out;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return out;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    out.text.append(buffer.data(), count);
  out.status = ::pclose(pipe);
  return out;
}

TEST(Scripts, EveryOneAnswersHelpAtOnce) {
  int scripts = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot / "scripts")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".sh" || name == "help.sh") continue;
    ++scripts;
    const auto begin = std::chrono::steady_clock::now();
    const Answer answer = answer_of("bash '" + entry.path().string() + "' --help");
    EXPECT_EQ(answer.status, 0) << name << ": " << answer.text;
    EXPECT_NE(answer.text.find("scripts/" + name), std::string::npos)
        << name << " does not say how it is called";
    EXPECT_EQ(answer.text.find("ninja"), std::string::npos) << name << " builds";
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)) << name;
  }
  EXPECT_GE(scripts, 9);
}

}  // namespace
}  // namespace attnscope::layering
