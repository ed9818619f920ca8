// What README tells a newcomer to type: the programs are built by the script that it begins with.
#include <gtest/gtest.h>

#include <algorithm>
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

// A person reads it in one go; what is longer stands in the handbook.
TEST(Readme, IsOnePageWhoseLinksAndPicturesAreThere) {
  const std::string readme = read(kRoot / "README.md");
  EXPECT_LE(std::count(readme.begin(), readme.end(), '\n'), 120);
  const std::regex link("\\]\\(([^)]+)\\)");
  int links = 0;
  for (std::sregex_iterator found(readme.begin(), readme.end(), link), none; found != none; ++found, ++links)
    EXPECT_TRUE(std::filesystem::exists(kRoot / (*found)[1].str())) << (*found)[1];
  EXPECT_GE(links, 20);
}

// A picture that no text shows is left over; one that the script does not take grows old.
TEST(Readme, EveryPictureIsShownAndTaken) {
  const std::string script = read(kRoot / "scripts/screenshots.sh");
  std::string shown = read(kRoot / "README.md");
  for (const auto& page : std::filesystem::directory_iterator(kRoot / "assets/guide/en"))
    shown += read(page.path());
  for (const auto& picture : std::filesystem::directory_iterator(kRoot / "assets/pictures")) {
    const std::string name = picture.path().stem();
    EXPECT_NE(shown.find("/" + name + ".png"), std::string::npos) << name;
    EXPECT_NE(script.find(" " + name + " "), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace attnscope::layering
