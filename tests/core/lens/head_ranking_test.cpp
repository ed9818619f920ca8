// Heads with the numbers they are sorted by: the same numbers as plain loops and as head_stats give, padding
// left out, every kind of attention, and an order that puts what is unknown last.
#include "core/lens/head_ranking.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/arch/shipped.h"
#include "tests/golden_run.h"

namespace attnscope {
namespace {

std::shared_ptr<const Trace> head_ranking_run(const OpenedModel& opened, std::vector<int> ids) {
  return testing::golden_run(opened, std::move(ids), {4, 9, 4, 11});
}
const std::vector<int> kHeadRankingIds{5, 17, 9, 33, 5, 17, 9, 33, 5, 17},
    kHeadRankingOther{5, 17, 8, 33, 5, 17, 9, 30, 5, 17};

TEST(HeadRanking, EveryHeadHasTheNumbersOfItsOwnFunctions) {
  const OpenedModel opened = testing::golden_model("gpt2");
  const auto trace = head_ranking_run(opened, kHeadRankingIds),
             before = head_ranking_run(opened, kHeadRankingOther);
  HeadQuestion question{before, 9, {1, 5}};
  const auto heads = head_scores(*trace, question);
  const ModelConfig& config = trace->config();
  ASSERT_EQ(std::ssize(heads),
            static_cast<std::ptrdiff_t>(config.blocks.size()) * config.blocks[0].attention.n_heads);
  for (const RankedHead& head : heads) {
    const auto stats = head_stats(*trace, head.pattern, head.head);
    ASSERT_TRUE(stats);
    EXPECT_NEAR(head.of(HeadScore::entropy), stats->entropy, 1e-9);
    EXPECT_NEAR(head.of(HeadScore::distance), stats->distance, 1e-9);
    const Tensor now = trace->tensor(head.pattern)->select(0, head.head),
                 old = before->tensor(head.pattern)->select(0, head.head);
    double previous = 0, change = 0;
    for (std::int64_t q = 0; q < 10; ++q) {
      if (q > 0) previous += static_cast<double>(now.at(q, q - 1)) / 9;
      for (std::int64_t k = 0; k <= q; ++k)
        change += std::fabs(static_cast<double>(now.at(q, k)) - static_cast<double>(old.at(q, k))) / 20;
    }
    EXPECT_NEAR(head.of(HeadScore::previous), previous, 1e-6);
    EXPECT_NEAR(head.of(HeadScore::change), change, 1e-6);
    EXPECT_NEAR(head.of(HeadScore::antecedent), static_cast<double>(now.at(9, 1) + now.at(9, 5)), 1e-6);
    EXPECT_TRUE(std::isnan(head.of(HeadScore::effect))) << "nobody asked a sweep";
  }
}

TEST(HeadRanking, TheOrderIsByTheScoreAndWhatIsUnknownStandsLast) {
  std::vector<RankedHead> heads(4);
  const double values[] = {0.2, std::nan(""), -0.9, 0.5};
  for (std::size_t i = 0; i < 4; ++i) {
    heads[i].head = static_cast<int>(i);
    heads[i].of(HeadScore::effect) = values[i];
    heads[i].of(HeadScore::entropy) = values[i];
  }
  const auto order = [&] {
    std::vector<int> out;
    for (const RankedHead& head : heads) out.push_back(head.head);
    return out;
  };
  rank_heads(heads, HeadScore::entropy);
  EXPECT_EQ(order(), (std::vector{3, 0, 2, 1}));
  rank_heads(heads, HeadScore::entropy, false);
  EXPECT_EQ(order(), (std::vector{2, 0, 3, 1}));
  rank_heads(heads, HeadScore::effect);
  EXPECT_EQ(order(), (std::vector{2, 3, 0, 1})) << "effects by magnitude";
}

TEST(HeadRanking, EffectsAreThoseOfASweepOverHeads) {
  const OpenedModel opened = testing::golden_model("gpt2");
  const auto trace = head_ranking_run(opened, kHeadRankingIds);
  const LogitMeasure measure{LogitMeasure::Kind::logit, 3, -1, -1, {}};
  auto sweep =
      Sweep::ablation(opened.model, trace, measure, *Selector::parse("blocks.*.attn.z"), {"head"}, {});
  ASSERT_TRUE(sweep);
  ASSERT_TRUE(sweep->fill());
  std::vector<double> values;
  for (const SweepCell& cell : sweep->cells()) values.push_back(cell.value);
  auto heads = head_scores(*trace);
  take_effects(heads, sweep->cells(), values, sweep->base());
  for (std::size_t i = 0; i < heads.size(); ++i)
    EXPECT_EQ(heads[i].of(HeadScore::effect), sweep->cells()[i].value - sweep->base());
}

TEST(HeadRanking, TheAntecedentIsWhereTheTextNamesTheTarget) {
  const OpenedModel opened = testing::golden_model("gpt2");
  const auto trace = head_ranking_run(opened, kHeadRankingIds);
  EXPECT_EQ(antecedent_of(*trace, {LogitMeasure::Kind::logit, 9, -1, -1, {}}).keys,
            (std::vector<std::int64_t>{2, 6}));
  EXPECT_EQ(antecedent_of(*trace, {LogitMeasure::Kind::logit, 9, -1, 4, {}}).keys,
            (std::vector<std::int64_t>{2}))
      << "a causal row sees what stands before it";
  EXPECT_TRUE(antecedent_of(*trace, {LogitMeasure::Kind::logit, 40, -1, -1, {}}).keys.empty());
}

// With three tokens of padding, in front or behind.
std::shared_ptr<const Trace> padded_run(const OpenedModel& opened, bool front) {
  Input padded{kHeadRankingIds, {}};
  padded.attention_mask.assign(kHeadRankingIds.size(), 1);
  padded.ids.insert(front ? padded.ids.begin() : padded.ids.end(), 3, 0);
  std::vector<std::uint8_t>& mask = padded.attention_mask;
  mask.insert(front ? mask.begin() : mask.end(), 3, 0);
  return testing::golden_run(opened, padded);
}

TEST(HeadRanking, PaddingIsLeftOut) {
  const OpenedModel opened = testing::golden_model("gpt2");
  const auto plain = head_ranking_run(opened, kHeadRankingIds);
  const auto want = head_scores(*plain), got = head_scores(*padded_run(opened, false));
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    for (const HeadScore score :
         {HeadScore::previous, HeadScore::induction, HeadScore::positional, HeadScore::entropy})
      EXPECT_NEAR(got[i].of(score), want[i].of(score), 1e-5) << head_score_name(score);
}

TEST(HeadRanking, PaddingInFrontIsNoFirstToken) {
  const OpenedModel opened = testing::golden_model("gpt2");
  const auto plain = head_ranking_run(opened, kHeadRankingIds);
  const auto want = head_scores(*plain), got = head_scores(*padded_run(opened, true));
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    for (int role = 0; role < kRoleCount; ++role) {
      const RoleScore &is = got[i].roles.of(static_cast<Role>(role)),
                      &should = want[i].roles.of(static_cast<Role>(role));
      EXPECT_NEAR(is.score, should.score, 1e-5) << role_name(static_cast<Role>(role));
      EXPECT_NEAR(is.chance, should.chance, 1e-9) << role_name(static_cast<Role>(role));
      EXPECT_EQ(is.rows, should.rows) << role_name(static_cast<Role>(role));
    }
}

// One id stands in the input for every patch of an image.
TEST(HeadRanking, PatchesAreNoCopiesOfEachOther) {
  const OpenedModel opened = *open_shipped("model:pilot");
  const ModelConfig& config = opened.model->config();
  const PatchSpec& patch = config.vision()->patch;
  Input input;
  input.ids.assign(static_cast<std::size_t>(patch.count()), config.image_token);
  input.ids.insert(input.ids.end(), {5, 6, 5, 7});
  std::vector<float> pixels;
  for (std::int64_t i = 0; i < std::int64_t{3} * 16 * 16; ++i)
    pixels.push_back(static_cast<float>(i % 7) / 7.f);
  input.pixels = Tensor::from(std::move(pixels), {{Axis::in, 3}, {Axis::pos, 16}, {Axis::dim, 16}});
  const auto trace = opened.model->run(input);
  ASSERT_TRUE(trace) << trace.error().text();
  int patches = 0, words = 0;
  for (const RankedHead& head : head_scores(**trace)) {
    const bool sees = head.pattern.stack == Stack::vision;
    (sees ? patches : words) += 1;
    EXPECT_EQ(head.roles.of(Role::duplicate).rows, sees ? 0 : 1) << "the second 5 alone is a copy";
    EXPECT_EQ(head.roles.of(Role::induction).rows, sees ? 0 : 1);
  }
  EXPECT_GT(patches, 0);
  EXPECT_GT(words, 0);
}

TEST(HeadRanking, EveryKindOfAttentionIsThereAndRolesOnlyWhereTheyMeanSomething) {
  const OpenedModel opened = testing::golden_model("bart");
  const auto trace = head_ranking_run(opened, {2, 7, 7, 9});
  int cross = 0, encoder = 0;
  for (const RankedHead& head : head_scores(*trace)) {
    EXPECT_FALSE(std::isnan(head.of(HeadScore::entropy)));
    if (head.pattern.part == Part::cross) {
      ++cross;
      EXPECT_TRUE(std::isnan(head.of(HeadScore::previous)));
    }
    encoder += head.pattern.stack == Stack::enc ? 1 : 0;
  }
  EXPECT_GT(cross, 0);
  EXPECT_GT(encoder, 0);
}

TEST(HeadRanking, ItStopsWhenItIsToldTo) {
  const OpenedModel opened = testing::golden_model("gpt2");
  EXPECT_TRUE(
      head_scores(*head_ranking_run(opened, kHeadRankingIds), {}, [](float) { return false; }).empty());
}

TEST(HeadRanking, NamesReadBackAndOthersAreListed) {
  for (int i = 0; i < kHeadScoreCount; ++i) {
    const auto score = static_cast<HeadScore>(i);
    const auto read = parse_head_score(head_score_name(score));
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, score);
  }
  const auto none = parse_head_score("cleverness");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().hint().find("induction"), std::string::npos);
}

}  // namespace
}  // namespace attnscope
