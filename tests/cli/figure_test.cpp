// attnscope-cli figure: text, SVG, differences, errors, and a check that finds nothing cut.
#include <algorithm>

#include "core/arch/shipped.h"
#include "tests/cli/program.h"
#include "tests/xml.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

constexpr const char* kFigureOfStory = "figure model:storyteller --layer 1 --head 3 ";

TEST(CliFigure, PrintsTheLookedAtRow) {
  const auto out = cli(kFigureOfStory);
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_NE(out.out.find("0.99"), std::string::npos);
  EXPECT_NE(out.out.find("cat"), std::string::npos);
}

// Without a text, what the window opens with, in both levels.
TEST(CliFigure, BeginsWithTheTextOfTheWindow) {
  for (const char* level : {"easy", "full"})
    EXPECT_NE(cli(std::string(kFigureOfStory) + "--level " + level).out.find("98.4 %"), std::string::npos)
        << level;
}

TEST(CliFigure, WritesSvgInBothLanguagesAndThemes) {
  const TempFolder folder;
  for (const char* more : {"", "--lang ko", "--theme light", "--present", "--level easy", "--size 241x320"}) {
    const std::string path = folder / "a.svg";
    ASSERT_EQ(cli(std::string(kFigureOfStory) + more + " -o " + path).exit_code, 0) << more;
    const std::string svg = read_text(path);
    XmlReader reader(svg);
    EXPECT_TRUE(reader.read()) << more << reader.error();
  }
}

TEST(CliFigure, MinusShowsTheEffectOfAnEdit) {
  const auto out = cli(std::string(kFigureOfStory) +
                       "--text \"The cat sat on the mat because it was tired. So the\" --view mask --minus "
                       "--edit \"blocks.1.attn.pattern[head=3,query=13,key=2]=0\"");
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_NE(out.out.find("\xE2\x88\x92"
                         "0.9"),
            std::string::npos)
      << out.out;
}

TEST(CliFigure, ComparesTwoTextsAndSaysWhereItCannot) {
  const std::string texts = "--compare --a-text \"The cat sat\" --text \"The dog sat\" ";
  const auto out = cli(kFigureOfStory + texts);
  EXPECT_EQ(out.exit_code, 0) << out.err;
  EXPECT_NE(out.out.find("cat/dog"), std::string::npos) << out.out;
  expect_refused(kFigureOfStory + texts + "--view mlp", 1, "matrix");
}

TEST(CliFigure, WrongWordsAreSentences) {
  EXPECT_EQ(cli("figure model:storyteller --view nothing").exit_code, 1);
  EXPECT_EQ(cli("figure model:storyteller --layer 99").exit_code, 1);
  EXPECT_EQ(cli("figure model:storyteller -o x.svg --size 12").exit_code, 1);
  EXPECT_EQ(cli("figure --view labs").exit_code, 1);
  EXPECT_EQ(cli("figure").exit_code, 1);
  expect_refused("figure model:storyteller --edit blocks.0.attn.z=nan", 1, "no number");
  expect_refused("figure model:storyteller --edit blocks.0.attn.z=1e60", 1, "too large");
  expect_refused("figure model:storyteller -o x.svg --size 120x100", 1, "112 x 92");
}

TEST(CliFigure, CheckFindsNothingCut) {
  const auto out = cli("figure --check scene:nine_steps model:sorter --json");
  EXPECT_EQ(out.exit_code, 0) << out.out;
  EXPECT_GT(out.json()["looked_at"], 100);
}

class LongCliFigure : public ::testing::TestWithParam<std::string> {};

TEST_P(LongCliFigure, IsNowhereCut) {
  const auto out = cli("figure --check --json " + GetParam());
  EXPECT_EQ(out.exit_code, 0) << out.out;
  EXPECT_GT(out.json()["looked_at"], 100);
  EXPECT_GE(out.json()["smallest_digit"], 11);
}

std::vector<std::string> shipped_models_and_labs() {
  std::vector<std::string> all = shipped_models();
  all.emplace_back("labs");
  return all;
}
std::string last_word(const ::testing::TestParamInfo<std::string>& info) {
  std::string word = info.param.substr(info.param.find(':') + 1);
  std::replace(word.begin(), word.end(), '-', '_');
  return word;
}
INSTANTIATE_TEST_SUITE_P(Shipped, LongCliFigure, ::testing::ValuesIn(shipped_models_and_labs()), last_word);

}  // namespace
}  // namespace attnscope
