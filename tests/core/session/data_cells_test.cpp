// Places of many prompts put together, and the means that places are set to, against plain loops.
#include "core/session/data_cells.h"

#include <gtest/gtest.h>

#include "core/arch/open.h"
#include "tests/results.h"

namespace attnscope {
namespace {

using test::expect_error;

TEST(Spreads, AreThoseOfAPlainLoop) {
  Spread one;
  EXPECT_TRUE(std::isnan(one.mean()));
  one.add(0.1);
  EXPECT_EQ(one.mean(), 0.1) << "bit for bit";
  EXPECT_TRUE(std::isnan(one.standard_error()));
  const std::vector<double> values{1e9 + 1, 1e9 + 2, 1e9 + 4, 1e9 + 9};
  Spread all;
  double sum = 0, squares = 0;
  for (const double value : values) all.add(value), sum += value;
  for (const double value : values) squares += std::pow(value - sum / 4, 2);
  EXPECT_NEAR(all.mean(), sum / 4, 1e-6);
  EXPECT_NEAR(all.deviation(), std::sqrt(squares / 3), 1e-6);
  EXPECT_NEAR(all.standard_error(), std::sqrt(squares / 3 / 4), 1e-6);
  EXPECT_EQ(quantile({1, 2, 3, 4}, 0.5), 2.5);
  EXPECT_EQ(quantile({1, 2, 3, 4}, 1), 4);
  EXPECT_EQ(quantile({7}, 0.05), 7);
}

class Cells : public ::testing::Test {
 protected:
  std::shared_ptr<const Trace> run(const std::vector<int>& ids) const { return *opened_->model->run({ids}); }
  const Result<OpenedModel> opened_ =
      open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/storyteller");
  static DataPlace at(std::vector<AxisRange> where, double value) {
    return {"blocks.0.attn.z", Stack::single, std::move(where), value, 0};
  }
};

TEST_F(Cells, PositionsFromTheEndAreOnePlaceWhateverTheLength) {
  DataCells cells({"head"}, true);
  const std::vector<int> ids{0, 4, 13, 63, 64, 5};
  for (const std::size_t length : {4u, 6u, 4u, 5u}) {
    const auto trace = run({ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(length)});
    const auto last = static_cast<std::int64_t>(length) - 1;
    ASSERT_TRUE(cells.add(1, *trace, 2, {at({{"head", 1}, {"pos", last}}, double(length))}, false));
  }
  ASSERT_EQ(cells.cells().size(), 1u);
  EXPECT_EQ(cells.cells()[0].at, (std::vector<AxisRange>{{"head", 1}, {"pos", -1, 0}}));
  EXPECT_EQ(cells.cells()[0].value.n(), 4);
  EXPECT_NEAR(cells.cells()[0].value.mean(), 4.75, 1e-12);
  EXPECT_EQ(cells.rows()[1].values.front().second, 6);
}

TEST_F(Cells, APlaceThatMovesHasNoPosition) {
  DataCells cells({}, false);
  const auto trace = run({0, 4, 13, 63});
  for (const std::int64_t pos : {1, 3, 2})
    ASSERT_TRUE(cells.add(1, *trace, 2, {at({{"pos", pos}}, 1)}, false));
  ASSERT_EQ(cells.cells().size(), 1u);
  EXPECT_TRUE(cells.cells()[0].at.empty());
}

TEST_F(Cells, EveryPositionAPlaceNeedsOneLength) {
  DataCells cells({"pos"}, false);
  const auto four = run({0, 4, 13, 63}), three = run({0, 4, 13});
  ASSERT_TRUE(cells.add(5, *four, 2, {at({{"pos", 0}}, 1)}, false));
  expect_error(cells.add(9, *three, 2, {at({{"pos", 0}}, 1)}, false), Code::bad_shape,
               "line 9 has 3 positions");
}

TEST_F(Cells, PlacesWithoutAPartnerAreLeftOutAndCounted) {
  DataCells cells({"head"}, false);
  const auto trace = run({0, 4, 13, 63});
  ASSERT_TRUE(cells.add(1, *trace, 2, {at({{"head", 0}}, 1), at({{"head", 1}}, 5)}, true));
  ASSERT_TRUE(cells.add(2, *trace, 2, {at({{"head", 1}}, 7)}, true));
  ASSERT_EQ(cells.cells().size(), 2u);
  EXPECT_EQ(cells.cells()[0].value.n(), 1);
  EXPECT_EQ(cells.cells()[1].value.n(), 2);
  EXPECT_EQ(cells.cells()[1].value.mean(), 6);
  EXPECT_FALSE(cells.even());
}

TEST_F(Cells, MeansAreOverPromptsAndTheirRealPositions) {
  const auto a = run({0, 4, 13, 63}), b = run({0, 4, 26});
  Input input{{0, 4, 26, 1}};
  input.attention_mask = {1, 1, 1, 0};
  const auto padded = *opened_->model->run(input);
  const Selector steps = *Selector::parse("blocks.0.attn.z");
  const Site site = a->main(Slot::z, 0);
  for (const bool with_padding : {false, true}) {
    StepMeans means(false);
    ASSERT_TRUE(means.add(*means.of_run(*a, steps)));
    ASSERT_TRUE(means.add(*means.of_run(with_padding ? *padded : *b, steps)));
    const auto found = means.of(*a->find(site));
    ASSERT_TRUE(found) << found.error().text();
    const Tensor first = *a->tensor(site), second = *b->tensor(site);
    for (std::int64_t head = 0; head < 4; ++head)
      for (std::int64_t d = 0; d < 16; ++d) {
        double sum = 0;
        for (std::int64_t row = 0; row < 4; ++row) sum += static_cast<double>(first.at(head, row, d));
        for (std::int64_t row = 0; row < 3; ++row) sum += static_cast<double>(second.at(head, row, d));
        for (std::int64_t row = 0; row < 4; ++row) EXPECT_NEAR(found->at(head, row, d), sum / 7, 1e-6);
      }
  }
  StepMeans by_pos(true);
  ASSERT_TRUE(by_pos.add(*by_pos.of_run(*a, steps)));
  expect_error(by_pos.add(*by_pos.of_run(*b, steps)), Code::bad_shape, "blocks.0.attn.z");
  EXPECT_EQ(by_pos.of(*a->find(site))->values(), a->tensor(site)->values());
  expect_error(by_pos.of_run(*a, *Selector::parse("blocks.0.attn.pattern")), Code::unsupported,
               "width for each length");
}

TEST(ResamplePartners, AreOthersOfTheirLengthAndFollowTheSeed) {
  // The last reads as many tokens as none of its length.
  const std::vector<PromptLength> lengths{{5}, {7, 3}, {5}, {9}, {5}, {7, 3}, {7, 4}};
  const auto drawn = *resample_partners(lengths, 3);
  ASSERT_EQ(drawn.size(), lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (i == 3 || i == 6) {
      EXPECT_EQ(drawn[i], kNoPartner) << "no other has its length";
      continue;
    }
    EXPECT_NE(drawn[i], i);
    EXPECT_TRUE(lengths[drawn[i]] == lengths[i]) << i;
  }
  EXPECT_EQ(drawn, *resample_partners(lengths, 3));
  bool other = false;
  for (std::uint64_t seed = 4; seed < 12; ++seed) other |= *resample_partners(lengths, seed) != drawn;
  EXPECT_TRUE(other);
  expect_error(resample_partners({PromptLength{5}}, 3), Code::out_of_range, "same length");
  expect_error(resample_partners({PromptLength{5}, PromptLength{5, 2}}, 3), Code::out_of_range,
               "same length");
}

}  // namespace
}  // namespace attnscope
