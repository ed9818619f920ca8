// The command line speaks the language that is asked for.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace attnscope::testing {
namespace {

const std::string kEnglish = "There is no file or folder \"nowhere\".";
const std::string kKorean = "\"nowhere\"라는 파일이나 폴더가 없습니다.";

std::string said(const std::string& arguments, const std::string& environment) {
  return cli("info nowhere " + arguments, environment).err;
}

TEST(Language, FollowsTheOption) {
  EXPECT_NE(said("", "LC_ALL=C").find(kEnglish), std::string::npos) << said("", "LC_ALL=C");
  EXPECT_NE(said("--lang ko", "LC_ALL=C").find(kKorean), std::string::npos) << said("--lang ko", "LC_ALL=C");
  EXPECT_NE(said("--lang=en", "LC_ALL=ko_KR.UTF-8").find(kEnglish), std::string::npos);
  expect_refused("info nowhere --lang tlh", 2, "\"tlh\"");
}

TEST(Language, FollowsTheSystemInTheUsualOrder) {
  EXPECT_NE(said("", "LC_ALL=ko_KR.UTF-8 LANG=C").find(kKorean), std::string::npos);
  EXPECT_NE(said("", "LC_ALL= LC_MESSAGES=ko LANG=C").find(kKorean), std::string::npos);
  EXPECT_NE(said("", "LC_ALL= LC_MESSAGES= LANG=ko_KR.UTF-8").find(kKorean), std::string::npos);
  EXPECT_NE(said("", "LC_ALL=C LANG=ko_KR.UTF-8").find(kEnglish), std::string::npos);
  EXPECT_NE(said("", "LC_ALL= LC_MESSAGES= LANG=").find(kEnglish), std::string::npos);
}

TEST(Language, WhatASettingTakesIsSaidInItToo) {
  EXPECT_NE(cli("generate model:sorter --text x --max-new-tokens many --lang ko").err.find("정수여야 하는데"),
            std::string::npos);
}

TEST(Language, WhatTheParserOfArgumentsFindsToo) {
  EXPECT_NE(cli("trace --lang ko").err.find("MODEL이 빠졌습니다."), std::string::npos);
  EXPECT_NE(cli("trace x --frob --lang ko").err.find("알 수 없는 인수입니다: \"--frob\"."),
            std::string::npos);
  EXPECT_NE(cli("trace --help --lang ko").out.find("[옵션]"), std::string::npos);
  EXPECT_NE(cli("trace --help --lang ko").out.find("옵션:"), std::string::npos);
}

}  // namespace
}  // namespace attnscope::testing
