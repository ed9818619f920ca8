// What a file may name: beside it and below it; elsewhere only what this user knows.
#include "core/system/named_files.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/temp_folder.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;
namespace fs = std::filesystem;

class NamedFiles : public ::testing::Test {
 protected:
  NamedFiles() {
    keep_known_files(true);
    ::setenv("XDG_CONFIG_HOME", (folder_ / "config").c_str(), 1);
    for (const char* name : {"given", "given/below", "mine", "mine/model", "mine/models"})
      fs::create_directory(folder_ / name);
    for (const char* name : {"given/s.json", "given/x.npz", "given/below/x.npz", "mine/x.npz",
                             "mine/model/x.npz", "mine/models/x.npz"})
      std::ofstream(folder_ / name) << "x";
  }
  ~NamedFiles() override {
    keep_known_files(false);
    ::unsetenv("XDG_CONFIG_HOME");
  }
  std::string at(const std::string& name) const { return folder_ / name; }
  const TempFolder folder_;
};

TEST_F(NamedFiles, WhatIsTypedIsNotAskedAbout) {
  EXPECT_EQ(*named_file("../../x"), "../../x");
  EXPECT_EQ(*named_file("/etc/passwd"), "/etc/passwd");
}

TEST_F(NamedFiles, BesideAndBelowTheFileWhereverOneStands) {
  const PathsIn named(at("given/s.json"));
  const auto leads_to = [&](const std::string& path, const std::string& place) {
    const auto found = named_file(path);
    return found && fs::equivalent(*found, at(place));
  };
  EXPECT_TRUE(leads_to("x.npz", "given/x.npz"));
  EXPECT_TRUE(leads_to("./below/../x.npz", "given/x.npz"));
  EXPECT_TRUE(leads_to("below/x.npz", "given/below/x.npz"));
  EXPECT_TRUE(leads_to(at("given/x.npz"), "given/x.npz"));
  EXPECT_TRUE(leads_to(".", "given"));
  EXPECT_TRUE(named_file("not_there.npz"));
  fs::create_symlink(at("mine"), at("given/link"));
  for (const std::string& path :
       {std::string("../mine/x.npz"), at("mine/x.npz"), std::string("below/../../mine/x.npz"),
        std::string("link/x.npz"), std::string("/etc/passwd"), at("given2"), std::string("../not_there")}) {
    const auto found = named_file(path);
    ASSERT_FALSE(found) << path;
    EXPECT_EQ(found.error().what().key(), "error.system.outside");
    EXPECT_TRUE(refused_path(within("in", found.error()))) << "found inside of other sentences as well";
  }
  EXPECT_TRUE(fs::equivalent(*refused_path(named_file("link/x.npz").error()), at("mine/x.npz")));
}

TEST_F(NamedFiles, WhatTheUserKnowsStaysKnown) {
  {
    const PathsIn named(at("given/s.json"));
    ASSERT_FALSE(named_file(at("mine/model/x.npz")));
    know_file(at("mine/model"));
    EXPECT_TRUE(named_file(at("mine/model/x.npz")));
    EXPECT_TRUE(named_file("../mine/model"));
    EXPECT_FALSE(named_file(at("mine/models/x.npz"))) << "a name that only begins alike";
    EXPECT_FALSE(named_file(at("mine/x.npz")));
  }
  std::ifstream list(at("config/attnscope/known_files"));
  std::string line;
  ASSERT_TRUE(std::getline(list, line));
  EXPECT_EQ(line, fs::canonical(at("mine/model")).string());
  for (int i = 0; i < 500; ++i) know_file(at("given/s.json"));
  know_file("model:storyteller");  // is no file
  std::ifstream again(at("config/attnscope/known_files"));
  int lines = 0;
  while (std::getline(again, line)) ++lines;
  EXPECT_EQ(lines, 2);
}

TEST_F(NamedFiles, TheProgramsOwnFolderNamesWhatItLikesAndNobodyNamesNothing) {
  fs::create_directories(at("config/attnscope"));
  {
    const PathsIn own(at("config/attnscope/autosave-1.attnscope"));
    EXPECT_TRUE(named_file(at("mine/x.npz")));
  }
  const PathsIn nowhere("");
  EXPECT_FALSE(named_file("x.npz"));
  EXPECT_FALSE(named_file(at("mine/x.npz")));
  {
    const PathsIn inner(at("given/s.json"));
    EXPECT_TRUE(named_file("x.npz"));
  }
  EXPECT_FALSE(named_file("x.npz")) << "the outer one counts again";
}

}  // namespace
}  // namespace attnscope
