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
  const std::regex build("ninja -C [^\n]*");
  int builds = 0;
  for (std::sregex_iterator found(script.begin(), script.end(), build), none; found != none;
       ++found, ++builds)
    for (const std::string& program : programs)
      EXPECT_NE((found->str() + " ").find(" " + program + " "), std::string::npos)
          << program << ": " << found->str();
  EXPECT_GT(builds, 0);
}

}  // namespace
}  // namespace attnscope::layering
