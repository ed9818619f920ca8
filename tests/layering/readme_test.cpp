// What README tells a newcomer to type: the programs are built by the script that it begins with.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "tests/layering/files.h"

namespace attnscope::layering {
namespace {

TEST(Readme, ItsProgramsAreBuiltByTheFirstCommand) {
  const std::string readme = read(kRoot / "README.md"), script = read(kRoot / "scripts/run.sh");
  const std::regex line("\n(attnscope[a-z-]*) ");
  std::set<std::string> programs;
  for (std::sregex_iterator found(readme.begin(), readme.end(), line), none; found != none; ++found)
    programs.insert((*found)[1]);
  EXPECT_EQ(programs.size(), 2u);
  for (const std::string& program : programs)
    EXPECT_NE(script.find("program=" + program + "\n"), std::string::npos) << program;
  EXPECT_NE(script.find("\n  ninja -C \"$build\" $program\n"), std::string::npos);
}

}  // namespace
}  // namespace attnscope::layering
