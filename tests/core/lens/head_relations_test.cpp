// How well heads find the other word of a relation, against a plain loop over the patterns of the same runs.
#include "core/lens/head_relations.h"

#include <gtest/gtest.h>

#include <map>

#include "core/arch/shipped.h"
#include "core/train/task.h"

namespace attnscope {
namespace {

constexpr int kTexts = 40;

struct Runs {
  std::vector<RelatedWords> words;
  std::vector<std::shared_ptr<const Trace>> traces;
};
Runs runs_of(const std::string& name) {
  Runs out;
  const auto opened = open_shipped("model:" + name);
  const auto task = find_task(name);
  if (!opened || !task) return out;
  for (int number = 0; number < kTexts; ++number) {
    auto words = (*task)->related(0, number);
    if (!words) return out;
    auto run = opened->model->run(words->input);
    EXPECT_TRUE(run);
    if (run) out.words.push_back(*words), out.traces.push_back(*run);
  }
  return out;
}

RelationScore by_loops(const Runs& runs, const RelationScore& asked) {
  RelationScore out = asked;
  out.count = 0;
  for (RelationHead& head : out.heads) head.accuracy = head.weight = 0;
  std::map<std::int64_t, int> distances;
  for (std::size_t at = 0; at < runs.traces.size(); ++at)
    for (const WordRelation& one : runs.words[at].relations) {
      if (one.name != asked.relation || one.stack != asked.stack) continue;
      ++out.count, ++distances[one.to - one.from];
      for (RelationHead& head : out.heads) {
        const Tensor plane = *runs.traces[at]->tensor(head.pattern);  // [head, query, key]
        std::int64_t best = 0;
        for (std::int64_t key = 0; key < plane.size(2); ++key)
          if (plane.at(head.head, one.from, key) > plane.at(head.head, one.from, best)) best = key;
        head.accuracy += best == one.to;
        head.weight += static_cast<double>(plane.at(head.head, one.from, one.to));
      }
    }
  int most = 0;
  for (const auto& [distance, times] : distances) most = std::max(most, times);
  out.fixed = static_cast<double>(most) / static_cast<double>(out.count);
  for (RelationHead& head : out.heads)
    head.accuracy /= static_cast<double>(out.count), head.weight /= static_cast<double>(out.count);
  return out;
}

class HeadRelations : public ::testing::TestWithParam<const char*> {};

TEST_P(HeadRelations, AreThoseOfAPlainLoop) {
  const Runs runs = runs_of(GetParam());
  if (runs.traces.empty()) GTEST_SKIP() << "built without models";
  RelationMeter meter;
  for (std::size_t at = 0; at < runs.traces.size(); ++at)
    meter.add(*runs.traces[at], runs.words[at].relations);
  const std::vector<RelationScore> scores = meter.scores();
  ASSERT_GE(scores.size(), 5u);
  for (const RelationScore& score : scores) {
    const RelationScore wanted = by_loops(runs, score);
    EXPECT_EQ(score.count, wanted.count) << score.relation;
    EXPECT_DOUBLE_EQ(score.fixed, wanted.fixed) << score.relation;
    ASSERT_FALSE(score.heads.empty());
    for (std::size_t i = 0; i < score.heads.size(); ++i) {
      EXPECT_DOUBLE_EQ(score.heads[i].accuracy, wanted.heads[i].accuracy) << score.relation << " " << i;
      EXPECT_NEAR(score.heads[i].weight, wanted.heads[i].weight, 1e-12) << score.relation << " " << i;
      EXPECT_LE(score.heads[i].accuracy, score.best()->accuracy);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Models, HeadRelations, ::testing::Values("storyteller", "gap-filler", "translator"));

// A head that always looks two back finds what stands two back, and is no better than that distance.
TEST(HeadRelationsOf, AFixedDistanceTellsNothing) {
  RelationScore always;
  always.fixed = 1;
  always.heads = {{Site{}, 0, 1, 1}};
  EXPECT_FALSE(always.can_tell());
  EXPECT_FALSE(always.found());
  RelationScore varies = always;
  varies.fixed = 0.5;
  EXPECT_TRUE(varies.can_tell());
  EXPECT_TRUE(varies.found());
  varies.heads.front().accuracy = 0.55;
  EXPECT_FALSE(varies.found());
  EXPECT_FALSE(RelationScore().best());
}

// The words that a relation names are what it says, in the texts themselves.
TEST(HeadRelationsOf, TheStoriesWordsAreThoseThatBelongTogether) {
  const auto opened = open_shipped("model:storyteller");
  if (!opened) GTEST_SKIP() << "built without models";
  const auto words = (*find_task("storyteller"))->related(0, 0);
  ASSERT_TRUE(words);
  std::map<std::string, WordRelation> by_name;
  for (const WordRelation& one : words->relations) by_name[one.name] = one;
  const auto id = [&](std::int64_t row) { return words->input.ids[static_cast<std::size_t>(row)]; };
  const auto text = [&](std::int64_t row) { return opened->tokenizer->token_text(id(row)); };
  EXPECT_EQ(by_name["subject"].from, by_name["subject"].to + 1) << "a verb stands right behind its subject";
  const std::string pronoun = text(by_name["pronoun"].from);
  EXPECT_TRUE(pronoun == "it" || pronoun == "she" || pronoun == "he" || pronoun == "they") << pronoun;
  EXPECT_EQ(by_name["predicate"].to, by_name["pronoun"].from);
  EXPECT_EQ(by_name["adjective"].to, by_name["pronoun"].to);
  EXPECT_EQ(by_name["verb"].to, by_name["subject"].from);
  if (by_name.contains("again")) {
    EXPECT_EQ(text(by_name["again"].from), "the");
    EXPECT_EQ(id(by_name["again"].from + 1), id(by_name["again"].to)) << "the noun comes again";
  }
}

}  // namespace
}  // namespace attnscope
