// Edits that take their numbers from a data set: the mean of a plain double loop over every prompt and
// position, what a drawn prompt of the same length holds, and both kept by value in a session.
#include "core/session/data_edits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/arch/edit_json.h"
#include "core/arch/shipped.h"
#include "core/session/prompt_list.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

using testing::TempFolder;

const std::vector<std::string> kStories{"The cat sat on the mat because it was tired. So the",
                                        "The dog lay on the rug because it was soft. So the",
                                        "The fox stood on the bench because it was lazy. So the",
                                        "The bird lay on the mat"};
constexpr const char* kPlace = "blocks.1.attn.z[head=3]";

class DataSetEdits : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream file(folder_ / "d.txt");
    for (const std::string& story : kStories) file << story << "\n";
    file.close();
    auto opened = open_shipped("model:storyteller");
    ASSERT_TRUE(opened) << opened.error().text();
    opened_ = std::make_shared<const OpenedModel>(*std::move(opened));
    document_ = new_document(opened_);
    ASSERT_TRUE(set_text(document_, 0, kStories[0]));
    const auto held = held_prompts({folder_ / "d.txt", {}, 0, 0}, std::atomic<bool>{false});
    ASSERT_TRUE(held) << held.error().text();
    put_prompts(document_, *held);
  }
  std::shared_ptr<const Trace> run(const std::string& story) const {
    const auto sequence = sequence_from_text(*opened_, story);
    EXPECT_TRUE(sequence);
    return *opened_->model->run(sequence->input);
  }
  Result<Edits> edits(const std::string& text) const {
    TRY(const auto values, DataEdits::of_document(document_, text));
    return edits_of_text(text, document_, {}, {}, values ? values->of(nullptr) : DataNumbers());
  }
  const TempFolder folder_;
  std::shared_ptr<const OpenedModel> opened_;
  Document document_;
};

TEST_F(DataSetEdits, MeanIsThatOfAPlainLoopOverPromptsAndPositions) {
  const auto made = edits(std::string(kPlace) + "=mean");
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_EQ(made->size(), 1u);
  const auto& frozen = std::get<Frozen>(made->front()->number()->value);
  EXPECT_EQ(frozen.origin, "mean(" + (folder_ / "d.txt") + ", 4)");
  const Site z = site_of(Slot::z, 1);
  const std::int64_t d = run(kStories[0])->find(z)->shape[2];
  std::vector<double> sum(static_cast<std::size_t>(d), 0.0);
  double rows = 0;
  for (const std::string& story : kStories) {
    const auto trace = run(story);
    for (std::int64_t row = 0; row < trace->length; ++row, ++rows)
      for (std::int64_t i = 0; i < d; ++i)
        sum[static_cast<std::size_t>(i)] += static_cast<double>(trace->cell(z, {3, row, i}));
  }
  RunOptions options;
  options.edits = *made;
  double moved = 0;
  for (const std::string& story : kStories) {  // of any length
    const auto plain = run(story);
    const auto edited = *opened_->model->run(plain->input, options);
    for (std::int64_t row = 0; row < edited->length; ++row)
      for (std::int64_t i = 0; i < d; ++i) {
        EXPECT_NEAR(edited->cell(z, {3, row, i}), sum[static_cast<std::size_t>(i)] / rows, 1e-6);
        EXPECT_EQ(edited->cell(z, {2, row, i}), plain->cell(z, {2, row, i}));
        moved = std::max(moved, std::fabs(static_cast<double>(edited->cell(z, {3, row, i})) -
                                          static_cast<double>(plain->cell(z, {3, row, i}))));
      }
  }
  EXPECT_GT(moved, 0.1);
  // The same of all heads at once.
  const auto all = edits("blocks.1.attn.z=mean");
  ASSERT_TRUE(all) << all.error().text();
  options.edits = *all;
  const auto edited = *opened_->model->run(run(kStories[0])->input, options);
  for (std::int64_t i = 0; i < d; ++i) {
    EXPECT_NEAR(edited->cell(z, {3, 5, i}), sum[static_cast<std::size_t>(i)] / rows, 1e-6);
    EXPECT_EQ(edited->cell(z, {1, 5, i}), edited->cell(z, {1, 0, i}));
  }
}

TEST_F(DataSetEdits, ResampleTakesAPromptOfTheSameLengthAndSaysWhich) {
  const auto made = edits(std::string(kPlace) + "=resample");
  ASSERT_TRUE(made) << made.error().text();
  const auto& frozen = std::get<Frozen>(made->front()->number()->value);
  const std::size_t at = frozen.origin.find("line ");
  ASSERT_NE(at, std::string::npos) << frozen.origin;
  const auto line = static_cast<std::size_t>(std::stoi(frozen.origin.substr(at + 5)));
  ASSERT_LE(line, 3u) << "the fourth is shorter";
  const auto other = run(kStories[line - 1]);
  RunOptions options;
  options.edits = *made;
  const auto edited = *opened_->model->run(inputs_of(document_).front(), options);
  const Site z = site_of(Slot::z, 1);
  const std::int64_t last = edited->length - 1;
  for (std::int64_t i = 0; i < edited->find(z)->shape[2]; ++i)
    EXPECT_EQ(edited->cell(z, {3, last, i}), other->cell(z, {3, last, i}));
}

TEST_F(DataSetEdits, AreKeptByValueWithWhereTheyCameFrom) {
  const auto made = edits(std::string(kPlace) + "=mean");
  ASSERT_TRUE(made);
  const std::string written = nlohmann::json{{"edits", edits_to_json(*made)}}.dump();
  const auto read = edits_from_json(nlohmann::json::parse(written), "a file");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(same_edit(*read->front(), *made->front()));
  EXPECT_EQ(std::get<Frozen>(read->front()->number()->value).origin,
            std::get<Frozen>(made->front()->number()->value).origin);
}

TEST_F(DataSetEdits, WithoutADataSetMeanIsOverPositionsAndResampleIsRefused) {
  document_.data = {};
  const auto mean = edits(std::string(kPlace) + "=mean");
  ASSERT_TRUE(mean);
  EXPECT_TRUE(std::holds_alternative<MeanOver>(mean->front()->number()->value));
  const auto resampled = edits(std::string(kPlace) + "=resample");
  ASSERT_FALSE(resampled);
  EXPECT_NE(resampled.error().text().find("data set"), std::string::npos) << resampled.error().text();
  EXPECT_FALSE(parse_edit(std::string(kPlace) + "=resample"));
}

TEST_F(DataSetEdits, ALengthThatNoPromptHasIsTold) {
  const auto own = sequence_from_text(*opened_, "The cat");
  ASSERT_TRUE(own);
  document_.sequences = {*own};
  const auto resampled = edits(std::string(kPlace) + "=resample");
  ASSERT_FALSE(resampled);
  EXPECT_NE(resampled.error().text().find(std::to_string(own->input.length())), std::string::npos)
      << resampled.error().text();
}

}  // namespace
}  // namespace attnscope
