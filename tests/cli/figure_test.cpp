// attnscope-cli figure: text, SVG, differences, errors, and a check that finds nothing cut.
#include <algorithm>
#include <limits>

#include "core/arch/shipped.h"
#include "core/export/carried.h"
#include "core/io/npy.h"
#include "core/io/writers.h"
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

// What ten lines of PyTorch write: no scores, queries or keys.
TEST(CliFigure, ARecordOfPatternsAloneIsDrawn) {
  const TempFolder folder;
  const std::string record = folder / "p.safetensors";
  ASSERT_EQ(cli("trace model:storyteller --text \"The cat sat on the mat because it was tired. So the\" "
                "--steps \"blocks.*.attn.pattern,*.resid_pre\" --out " +
                record)
                .exit_code,
            0);
  const std::string place = "figure " + record + " --layer 1 --head 3 --row 13 ";
  const auto attention = cli(place + "--view attention");
  ASSERT_EQ(attention.exit_code, 0) << attention.err;
  EXPECT_NE(attention.out.find("0.99"), std::string::npos) << attention.out;
  const auto mask = cli("figure " + record + " --layer 1 --head 3 --row 4 --view mask");
  ASSERT_EQ(mask.exit_code, 0) << mask.err;
  EXPECT_NE(mask.out.find("5 of 14"), std::string::npos) << "zeros of every head are masked cells\n"
                                                         << mask.out;
  for (const char* step : {"blocks.1.attn.pattern", "blocks.1.resid_pre"})
    EXPECT_EQ(cli(place + "--step " + step).exit_code, 0) << step;
  const auto steps = cli(place + "--view steps");
  ASSERT_EQ(steps.exit_code, 0) << steps.err;
  EXPECT_EQ(steps.out.find("vocabulary of 0"), std::string::npos) << steps.out;
  expect_refused(place + "--view position", 1, "no such attention");
  expect_refused("figure " + record + " --layer 1 --head 4 --view attention", 1, "head");
  const std::string one = folder / "one.safetensors";
  ASSERT_EQ(cli("trace model:storyteller --text \"The cat sat\" --steps "
                "blocks.0.attn.pattern,blocks.1.resid_pre --out " +
                one)
                .exit_code,
            0);
  EXPECT_EQ(cli("figure " + one + " --layer 1 --step blocks.1.resid_pre").exit_code, 0);
  expect_refused("figure " + one + " --layer 1 --view attention", 1, "no such attention");
}

TEST(CliFigure, ARecordWithNaNIsDrawnAndComparedInTrueSentences) {
  const TempFolder folder;
  const std::string whole = folder / "whole.npz", wrong = folder / "nan.npz";
  ASSERT_EQ(cli("trace model:storyteller --text \"The cat sat on the mat because it was tired. So the\" "
                "--steps \"blocks.*.attn.*\" --out " +
                whole)
                .exit_code,
            0);
  const auto source = read_npz(whole);
  ASSERT_TRUE(source) << source.error().text();
  std::vector<NamedTensor> arrays;
  for (const TensorInfo& info : (*source)->infos()) {
    if (!info.name.starts_with("blocks.")) continue;
    Tensor value = *(*source)->load(info.name);
    if (info.name == "blocks.1.attn.pattern") {
      std::vector<float> cells = value.values();
      cells[static_cast<std::size_t>((3 * 14 + 13) * 14 + 2)] = std::numeric_limits<float>::quiet_NaN();
      value = Tensor::from(std::move(cells), {{Axis::head, 4}, {Axis::query, 14}, {Axis::key, 14}});
    }
    arrays.push_back({info.name, std::move(value)});
  }
  ASSERT_TRUE(write_npz(wrong, arrays));
  const auto figure = cli("figure " + wrong + " --view attention --layer 1 --head 3 --row 13");
  ASSERT_EQ(figure.exit_code, 0) << figure.err;
  EXPECT_NE(figure.out.find("(NaN): 1, "), std::string::npos) << figure.out;
  const auto compared = cli("compare " + whole + " " + wrong + " --allow-different-tokens");
  EXPECT_EQ(compared.exit_code, 1);
  EXPECT_NE(compared.err.find("one side alone is no finite number"), std::string::npos) << compared.err;
}

TEST(CliFigure, ComesBackInTheLanguageItWasMadeIn) {
  const TempFolder folder;
  const std::string first = folder / "ko.svg", again = folder / "again.svg", english = folder / "en.svg";
  ASSERT_EQ(cli(std::string(kFigureOfStory) + "--lang ko -o " + first).exit_code, 0);
  ASSERT_EQ(cli("figure " + first + " -o " + again).exit_code, 0);
  EXPECT_EQ(read_text(again), read_text(first));
  ASSERT_EQ(cli("figure " + first + " --lang en -o " + english).exit_code, 0);
  EXPECT_NE(read_text(english).find("looks most at"), std::string::npos);
}

TEST(CliFigure, CarriesTheStrongestKeyForTheWindow) {
  const TempFolder folder;
  const std::string path = folder / "a.svg";
  ASSERT_EQ(cli(std::string(kFigureOfStory) + "-o " + path).exit_code, 0);
  const auto session = read_carried_session(path);
  ASSERT_TRUE(session) << session.error().text();
  EXPECT_EQ(Json::parse(*session)["look"]["cursor"]["key"], 2) << "cat";
}

TEST(CliFigure, ACaptionHasTheColoursOfEachMatrix) {
  const TempFolder folder;
  const std::string path = folder / "a.json";
  ASSERT_EQ(cli(std::string(kFigureOfStory) + "-o " + path).exit_code, 0);
  const std::string json = read_text(path);
  EXPECT_NE(json.find("through 0 to"), std::string::npos) << "the scores";
  EXPECT_NE(json.find("colours from 0 to 1.00"), std::string::npos) << "the pattern";
}

TEST(CliFigure, ATableHasWholeNumbersWhereTheFigureDoes) {
  const TempFolder folder;
  const std::string path = folder / "t.tex";
  ASSERT_EQ(cli("figure model:storyteller --view steps -o " + path).exit_code, 0);
  const std::string tex = read_text(path);
  EXPECT_NE(tex.find(" & 13"), std::string::npos) << tex;
  EXPECT_EQ(tex.find(" & 13.00"), std::string::npos) << tex;
}

TEST(CliFigure, ListsPagesAndControlsWhichSetSets) {
  const Json rows = Json::parse(cli("figure --list --json").out).at("rows");
  const auto row = [&](const char* view) {
    return *std::find_if(rows.begin(), rows.end(), [&](const Json& one) { return one.at("view") == view; });
  };
  const Json layer = row("attention").at("controls")[0];
  EXPECT_EQ(layer.at("id"), "layer");
  EXPECT_EQ(layer.at("kind"), "whole");
  EXPECT_EQ(layer.at("to"), 1);
  EXPECT_EQ(layer.at("level"), "easy");
  EXPECT_EQ(row("output").at("controls").back().at("id"), "temperature");
  EXPECT_GT(row("steps").at("pages").size(), 5u);
  EXPECT_GT(row("labs").at("controls").size(), 40u);
  for (const Json& one : rows)
    for (const Json& control : one.at("controls")) {
      EXPECT_FALSE(control.at("sentence").get<std::string>().empty());
      EXPECT_TRUE(control.contains("default") && control.contains("kind")) << control;
    }
  const std::string at = "figure model:storyteller --view attention ";
  EXPECT_EQ(cli(at + "--set layer=1 --set head=3").out, cli(at + "--layer 1 --head 3").out);
  EXPECT_NE(cli(at + "--set head=3").out, cli(at).out);
  expect_refused(at + "--set head=4", 1, "head");
  expect_refused(at + "--set temperature=2", 1, "layer, head, row");
  EXPECT_NE(cli("figure model:storyteller --view output --set temperature=2").out,
            cli("figure model:storyteller --view output").out);
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
