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

// Columns of numbers have names, in the language that is asked for, above the numbers.
TEST(Language, TheColumnsOfTablesToo) {
  const std::string text = " model:storyteller --text 'The cat sat on the mat'";
  const auto line = [](const std::string& out, int at) {
    std::size_t from = 0;
    while (at-- > 0) from = out.find('\n', from) + 1;
    return out.substr(from, out.find('\n', from) - from);
  };
  const std::string why = "why" + text + " --cell 'blocks.1.attn.pattern[head=3,query=5,key=1]'";
  EXPECT_TRUE(line(cli("heads" + text).out, 0).starts_with("head "));
  EXPECT_TRUE(line(cli("heads" + text + " --lang ko").out, 0).starts_with("헤드 "));
  EXPECT_EQ(line(cli(why + " --loadings").out, 2),
            "direction      singular        query          key        value");
  EXPECT_EQ(line(cli(why + " --loadings --lang ko").out, 2),
            "방향             특잇값        Query          Key           값");
  EXPECT_TRUE(line(cli(why).out, 0).starts_with("query "));
  EXPECT_TRUE(line(cli("rollout" + text).out, 0).starts_with(" key  block "));
  EXPECT_TRUE(line(cli("rollout" + text + " --lang ko").out, 0).starts_with(" Key  블록 "));
  const std::string strong =
      cli("strongest model:storyteller --of 'blocks.1.attn.z[head=3]' --limit 5 --top 1").out;
  EXPECT_EQ(line(strong, 1), "kind         value    line text (strongest token in brackets)");
  EXPECT_NE(strong.find("\n          from             to  positions\n"), std::string::npos) << strong;
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
