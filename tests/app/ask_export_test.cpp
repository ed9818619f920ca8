// What Ctrl+E and Copy values give of a page of Ask: the numbers on screen, or a sentence that there are
// none.
#include <cmath>
#include <filesystem>

#include "app/state/shown_figure.h"
#include "core/base/text.h"
#include "core/export/data.h"
#include "core/lens/attribution.h"
#include "core/view/ask_figures.h"
#include "tests/app/ui_driver.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

constexpr const char* kExportStory = "The cat sat on the mat because it was tired. So the";
constexpr const char* kExportSoft = "The cat sat on the mat because it was soft. So the";

class AskExportTest : public testing::FrameTest {
 protected:
  void ask(AskPage page) {
    if (state().models().empty()) GTEST_SKIP() << "built without models";
    state().open(std::string(kModelPrefix) + "storyteller");
    settle();
    ASSERT_TRUE(session_->result());
    ASSERT_TRUE(session_->edit("text", {}, [](Document& d) { return set_text(d, 0, kExportStory); }));
    workspace().view = "ask";
    workspace().asking.measure.text = "logit_diff:cat,mat";
    workspace().asking.settings.page = page;
    workspace().asking.settings.other = kExportSoft;
    settle();
  }
  /// The matrices that a file of the page on screen has.
  std::vector<FigureData> exported() {
    const auto shown = shown_view(state());
    EXPECT_TRUE(shown);
    const auto figure = draw_view(*shown->view, shown->state);
    EXPECT_TRUE(figure) << figure.error().text();
    std::vector<FigureData> out;
    for (FigureData& part : data_of(*figure)) {
      EXPECT_EQ(part.kind, FigureData::Kind::matrix) << part.id << " is not on this page";
      out.push_back(std::move(part));
    }
    return out;
  }
  const SweepAnswer& answer() { return *workspace().asking.answer(); }
  /// The dialog's file of this form; empty where the dialog gives none.
  std::string saved_as(const std::string& form) {
    state().settings.last_folder = folder_.path();
    key(compat::Key::e, true);
    settle();
    click("as_" + form);
    frames(2);
    const bool none = shows("export_none");
    click("export_save");
    EXPECT_EQ(state().export_request.has_value(), !none);
    if (!state().export_request) return {};
    const ExportRequest request = *state().export_request;
    state().export_request.reset();
    export_shown_figure(state(), request);
    settle();
    return request.path;
  }
  testing::TempFolder folder_;
};

TEST_F(AskExportTest, APatchGivesTheCellsOfThePatch) {
  ask(AskPage::patch);
  ASSERT_TRUE(workspace().asking.answer());
  const std::vector<FigureData> parts = exported();
  ASSERT_GE(parts.size(), 3u);
  EXPECT_EQ(parts[0].id, "change");
  EXPECT_EQ(parts[1].id, "value");
  ASSERT_EQ(parts[1].values.sizes(), (std::vector<std::int64_t>{2, 14}));
  EXPECT_EQ(parts[1].of[1], "blocks.1.resid_pre");
  EXPECT_EQ(parts[1].rows[1], "block 1");
  EXPECT_EQ(parts[1].columns[2], "2 cat");
  for (std::size_t cell = 0; cell < answer().values.size(); ++cell) {
    const auto row = static_cast<std::int64_t>(cell / 14), col = static_cast<std::int64_t>(cell % 14);
    EXPECT_NEAR(parts[1].values.at(row, col), answer().values[cell], 1e-5);
    EXPECT_NEAR(parts[0].values.at(row, col), answer().values[cell] - answer().base(), 1e-5);
  }
}

TEST_F(AskExportTest, AKnockOutGivesTheMeasureAndThePlacesThatWereAsked) {
  ask(AskPage::knock_out);
  workspace().asking.settings.knock_out = "parts";
  settle();
  const std::vector<FigureData> parts = exported();
  ASSERT_GE(parts.size(), 2u);
  EXPECT_EQ(parts[0].rows, (std::vector<std::string>{"blocks.0.attn.out", "blocks.0.mlp.out",
                                                     "blocks.1.attn.out", "blocks.1.mlp.out"}));
  for (std::size_t cell = 0; cell < 4; ++cell)
    EXPECT_NEAR(parts[0].values.at(static_cast<std::int64_t>(cell), 0),
                answer().values[cell] - answer().base(), 1e-5);
}

TEST_F(AskExportTest, WhoWroteItGivesTheSumAndWhyItLooksThereTheSplitScore) {
  ask(AskPage::parts);
  const Attribution& sum = *workspace().asking.parts.sum;
  std::vector<FigureData> parts = exported();
  ASSERT_GE(parts.size(), 1u);
  EXPECT_EQ(parts[0].id, "parts");
  double total = 0;
  for (const float value : parts[0].values.values()) total += static_cast<double>(value);
  EXPECT_NEAR(total + sum.rest, sum.total, 1e-4);
  EXPECT_EQ(parts[0].rows.size(), sum.parts.size());
  EXPECT_EQ(parts[0].rows[0], "blocks.1.mlp.out") << "the largest first";
  click("part_blocks.1.attn.z[head=3]");
  settle();
  parts = exported();
  ASSERT_GE(parts.size(), 2u);
  EXPECT_EQ(parts[1].rows[0], "blocks.1.attn.z[head=3,pos=2]") << "what is opened beside it";
  click("ask.inside.why");
  settle();
  parts = exported();
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].id, "score");
  total = 0;
  for (const float value : parts[0].values.values()) total += static_cast<double>(value);
  EXPECT_NEAR(total, run().trace(0).cell(*parse_site("blocks.1.attn.scaled"), {3, 13, 2}), 1e-3);
}

TEST_F(AskExportTest, AFileOfNumbersIsNotCalledAPictureAndPagesWithoutOneSaySo) {
  ask(AskPage::patch);
  const std::string path = saved_as("csv");
  ASSERT_TRUE(std::filesystem::exists(path));
  ASSERT_FALSE(state().notices.empty());
  EXPECT_EQ(state().notices.back().text.key(), "frame.export.values");
  for (const AskPage page : {AskPage::graph, AskPage::heads, AskPage::paths, AskPage::probes}) {
    workspace().asking.settings.page = page;
    settle();
    EXPECT_EQ(saved_as("csv"), "");
    copy_values(state(), false);
    EXPECT_EQ(state().notices.back().text.key(), "error.export.no_page");
  }
  workspace().asking.settings.page = AskPage::patch;
  workspace().asking.settings.other.clear();
  settle();
  EXPECT_EQ(saved_as("csv"), "") << "nothing is asked yet";
}

}  // namespace
}  // namespace attnscope
