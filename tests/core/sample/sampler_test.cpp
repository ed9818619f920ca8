// Sampling: order, probabilities, cuts, seeded choices, and continuations of a small random model.
#include "core/sample/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/sample/beam.h"
#include "tests/core/sample/toy.h"
#include "tests/edits.h"

namespace attnscope {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

Tensor row(std::vector<float> logits) { return testing::logits_of(std::move(logits)); }

std::vector<int> ids(const std::vector<NextToken>& tokens) {
  std::vector<int> out;
  for (const NextToken& token : tokens) out.push_back(token.id);
  return out;
}

using testing::toy;

// Greedy continuation without a cache: the whole sequence again for every token.
std::vector<int> greedy_by_hand(const Model& model, std::vector<int> ids, int count,
                                const RunOptions& options = {}) {
  std::vector<int> out;
  for (int i = 0; i < count; ++i) {
    const auto trace = model.run({ids, {}}, options);
    EXPECT_TRUE(trace);
    ids.push_back(
        next_tokens((*trace)->logits_row(static_cast<std::int64_t>(ids.size()) - 1), {}).front().id);
    out.push_back(ids.back());
  }
  return out;
}

TEST(NextTokens, sorted_with_ties_by_id_and_nan_last) {
  const auto tokens = next_tokens(row({1.f, 3.f, kNan, 3.f, -kInf, 2.f}), {});
  EXPECT_EQ(ids(tokens), (std::vector<int>{1, 3, 5, 0, 4, 2}));
  EXPECT_EQ(tokens[4].prob, 0.f);
  EXPECT_EQ(tokens[5].prob, 0.f);
  EXPECT_EQ(tokens[5].kept, 0.f);
}

TEST(NextTokens, softmax_at_the_temperature) {
  const std::vector<float> logits{0.3f, -1.2f, 2.f, 0.9f};
  for (const float temperature : {0.25f, 1.f, 3.f}) {
    double sum = 0;
    for (const float x : logits) sum += std::exp(static_cast<double>(x) / static_cast<double>(temperature));
    for (const NextToken& token : next_tokens(row(logits), {temperature, 0, 1.f, 0})) {
      const double expected =
          std::exp(static_cast<double>(token.logit) / static_cast<double>(temperature)) / sum;
      EXPECT_NEAR(token.prob, expected, 1e-6);
      EXPECT_FLOAT_EQ(token.kept, token.prob);
    }
  }
}

TEST(NextTokens, top_k_and_top_p_cut_and_renormalise) {
  const std::vector<float> logits{std::log(0.1f), std::log(0.5f), std::log(0.3f), std::log(0.1f)};
  const auto two = next_tokens(row(logits), {1.f, 2, 1.f, 0});
  EXPECT_NEAR(two[0].kept, 0.625, 1e-6);
  EXPECT_NEAR(two[1].kept, 0.375, 1e-6);
  EXPECT_EQ(two[2].kept, 0.f);
  EXPECT_NEAR(two[2].prob, 0.1, 1e-6);  // the whole distribution stays visible
  const auto nucleus = next_tokens(row(logits), {1.f, 0, 0.81f, 0});
  EXPECT_NEAR(nucleus[2].kept, 0.1 / 0.9, 1e-6);  // the token that crosses 0.81 is kept
  EXPECT_EQ(nucleus[3].kept, 0.f);
  const auto both = next_tokens(row(logits), {1.f, 2, 0.6f, 0});  // 0.5 of 0.8 reaches 0.6 after top-k
  EXPECT_NEAR(both[0].kept, 1.0, 1e-6);
}

TEST(NextTokens, temperature_zero_keeps_the_first_only) {
  const auto tokens = next_tokens(row({0.f, 5.f, 5.f}), {0.f, 0, 1.f, 0});
  EXPECT_EQ(tokens[0].id, 1);
  EXPECT_EQ(tokens[0].kept, 1.f);
  EXPECT_EQ(tokens[1].kept, 0.f);
  EXPECT_NEAR(tokens[1].prob, 0.49832, 1e-4);
}

TEST(NextTokens, penalty_temperature_and_cuts_in_the_order_of_transformers) {
  const std::vector<float> logits{2.f, -1.f, 0.5f, 1.5f, -3.f, 0.f};
  Sampling sampling{0.7f, 4, 0.9f, 0};
  sampling.min_p = 0.2f;
  sampling.repetition_penalty = 1.3f;
  const std::vector<int> said{0, 1, 1, 99, -1};
  // By hand: logits that were said are divided or multiplied once, then / T, then softmax.
  std::vector<std::pair<double, int>> sorted;
  double sum = 0;
  for (int id = 0; id < 6; ++id) {
    double x = static_cast<double>(logits[static_cast<std::size_t>(id)]);
    if (id <= 1) x = x < 0 ? x * 1.3 : x / 1.3;
    sorted.emplace_back(std::exp(x / 0.7), id);
    sum += sorted.back().first;
  }
  std::sort(sorted.rbegin(), sorted.rend());
  const auto found = next_tokens(row(logits), sampling, said);
  double of_four = 0, running = 0, kept = 0;
  for (int i = 0; i < 4; ++i) of_four += sorted[static_cast<std::size_t>(i)].first;
  std::vector<SamplingCut> wanted;
  for (std::size_t i = 0; i < 6; ++i) {
    SamplingCut cut = i >= 4                     ? SamplingCut::top_k
                      : running >= 0.9 * of_four ? SamplingCut::top_p
                                                 : SamplingCut::none;
    if (cut == SamplingCut::none && sorted[i].first < 0.2 * sorted[0].first) cut = SamplingCut::min_p;
    running += sorted[i].first;
    if (cut == SamplingCut::none) kept += sorted[i].first;
    wanted.push_back(cut);
  }
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(found[i].id, sorted[i].second);
    EXPECT_EQ(found[i].logit, logits[static_cast<std::size_t>(found[i].id)]) << "as the model said it";
    EXPECT_NEAR(std::exp(static_cast<double>(found[i].scaled)), sorted[i].first, 1e-4 * sorted[i].first);
    EXPECT_NEAR(found[i].prob, sorted[i].first / sum, 1e-6);
    EXPECT_EQ(found[i].cut, wanted[i]) << i;
    EXPECT_NEAR(found[i].kept, wanted[i] == SamplingCut::none ? sorted[i].first / kept : 0, 1e-6);
  }
  EXPECT_NE(std::count(wanted.begin(), wanted.end(), SamplingCut::none), 4) << "top-p or min-p cut something";
}

TEST(NextTokens, min_p_is_a_share_of_the_most_likely) {
  const std::vector<float> logits{std::log(0.5f), std::log(0.3f), std::log(0.15f), std::log(0.05f)};
  Sampling sampling;
  for (const float share : {0.f, 0.1f, 0.2f, 0.5f, 0.7f, 1.f}) {
    sampling.min_p = share;
    int kept = 0;
    for (const NextToken& token : next_tokens(row(logits), sampling)) kept += token.kept > 0;
    int wanted = 0;
    for (const double p : {0.5, 0.3, 0.15, 0.05}) wanted += p >= static_cast<double>(share) * 0.5 + 1e-9;
    EXPECT_EQ(kept, std::max(1, wanted)) << share;
  }
}

TEST(Generate, a_repetition_penalty_keeps_it_from_saying_the_same) {
  const auto model = toy(64);
  Sampling sampling{0.f, 0, 1.f, 0};
  const auto plain = generate(*model, {3, 1, 4}, 20, sampling);
  sampling.repetition_penalty = 50.f;
  const auto other = generate(*model, {3, 1, 4}, 20, sampling);
  ASSERT_TRUE(plain && other);
  std::vector<int> ids{3, 1, 4}, wanted;
  for (int i = 0; i < 20; ++i) {
    const auto trace = model->run({ids, {}});
    const Tensor logits = (*trace)->logits_row(static_cast<std::int64_t>(ids.size()) - 1);
    int best = -1;
    float most = -1e30f;
    for (int id = 0; id < 23; ++id) {
      float x = logits.at(id);
      if (std::find(ids.begin(), ids.end(), id) != ids.end()) x = x < 0 ? x * 50.f : x / 50.f;
      if (x > most) most = x, best = id;
    }
    wanted.push_back(best), ids.push_back(best);
  }
  EXPECT_EQ(other->ids, wanted);
  EXPECT_NE(other->ids, plain->ids);
}

TEST(NextTokens, extreme_rows) {
  EXPECT_TRUE(next_tokens({}, {}).empty());
  EXPECT_EQ(choose({}, {}, 0), -1);
  const auto infinite = next_tokens(row({0.f, kInf, kInf}), {});
  EXPECT_FLOAT_EQ(infinite[0].prob, 0.5f);
  EXPECT_FLOAT_EQ(infinite[2].prob, 0.f);
  const auto nothing = next_tokens(row({kNan, kNan}), {});
  EXPECT_EQ(nothing[0].prob, 0.f);
  EXPECT_EQ(choose(nothing, {}, 3), 0);
}

TEST(Choose, follows_the_distribution_and_the_seed) {
  const auto tokens = next_tokens(row({std::log(0.7f), std::log(0.2f), std::log(0.1f)}), {});
  std::map<int, int> seen;
  for (std::uint64_t step = 0; step < 20000; ++step) ++seen[choose(tokens, {1.f, 0, 1.f, 11}, step)];
  EXPECT_NEAR(seen[0], 14000, 300);
  EXPECT_NEAR(seen[1], 4000, 250);
  EXPECT_NEAR(seen[2], 2000, 200);
  int differences = 0;
  for (std::uint64_t step = 0; step < 100; ++step) {
    EXPECT_EQ(choose(tokens, {1.f, 0, 1.f, 11}, step), choose(tokens, {1.f, 0, 1.f, 11}, step));
    differences += choose(tokens, {1.f, 0, 1.f, 11}, step) != choose(tokens, {1.f, 0, 1.f, 12}, step);
  }
  EXPECT_GT(differences, 10);
}

TEST(Choose, never_takes_what_was_cut) {
  const Sampling sampling{1.f, 2, 1.f, 5};
  const auto tokens = next_tokens(row({0.f, 0.1f, 0.2f, 0.3f}), sampling);
  for (std::uint64_t step = 0; step < 1000; ++step) EXPECT_GE(choose(tokens, sampling, step), 2);
}

TEST(Generate, cached_greedy_equals_running_everything_again) {
  const auto model = toy(32);
  std::vector<int> seen;
  const auto made =
      generate(*model, {3, 1, 4}, 12, {0.f, 0, 1.f, 0}, {}, [&](int id) { seen.push_back(id); });
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->ids, greedy_by_hand(*model, {3, 1, 4}, 12));
  EXPECT_EQ(seen, made->ids);
  EXPECT_FALSE(made->reached_end);
  EXPECT_TRUE(made->note.empty());
}

TEST(Generate, every_token_is_said_under_the_edits) {
  const auto model = toy(9);
  const std::vector<int> plain = greedy_by_hand(*model, {3, 1, 4}, 6);
  RunOptions step, cells, window, mean, logits;
  step.edits = {testing::edit("blocks.0.mlp.out[pos=0]*=40")};
  cells.edits = {testing::cells({{2, 0, false}, {4, 3, false}, {5, 1, false}})};
  window.edits = {testing::mask("window(1)")};
  mean.edits = {testing::edit("blocks.0.attn.z=mean"), testing::edit("blocks.0.mlp.out*=-3")};
  logits.edits = {testing::edit("logits[vocab=2]=1000")};
  for (const RunOptions& options : {step, cells, window, mean, logits}) {
    const auto made = generate(*model, {3, 1, 4}, 6, {0.f, 0, 1.f, 0}, options);
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_EQ(made->ids, greedy_by_hand(*model, {3, 1, 4}, 6, options));
    EXPECT_NE(made->ids, plain);
  }
  const auto full = generate(*model, {3, 1, 4}, 50, {0.f, 0, 1.f, 0}, step);
  ASSERT_TRUE(full);
  EXPECT_EQ(full->ids.size(), 7u);
  EXPECT_NE(full->note.str().find("positions for 9"), std::string::npos) << full->note.str();
}

TEST(Generate, the_seed_decides) {
  const auto model = toy(64);
  const auto a = generate(*model, {3}, 30, {1.5f, 0, 1.f, 1}),
             b = generate(*model, {3}, 30, {1.5f, 0, 1.f, 1});
  const auto c = generate(*model, {3}, 30, {1.5f, 0, 1.f, 2});
  ASSERT_TRUE(a && b && c);
  EXPECT_EQ(a->ids, b->ids);
  EXPECT_NE(a->ids, c->ids);
}

TEST(Generate, stops_at_the_end_token_and_at_the_last_position) {
  const int first = greedy_by_hand(*toy(32), {3, 1, 4}, 1)[0];
  const auto ended = generate(*toy(32, first), {3, 1, 4}, 5, {0.f, 0, 1.f, 0});
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->ids, std::vector<int>{first});
  EXPECT_TRUE(ended->reached_end);
  const auto full = generate(*toy(5), {3, 1, 4}, 50, {0.f, 0, 1.f, 0});
  ASSERT_TRUE(full);
  EXPECT_EQ(full->ids.size(), 3u);  // positions 3 and 4 are read, one more token is said
  EXPECT_NE(full->note.str().find("positions for 5"), std::string::npos) << full->note.str();
}

TEST(Sampling, settings_that_are_no_numbers_are_refused_wherever_they_are_set) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(check_sampling({}));
  EXPECT_TRUE(check_sampling({0.f, 0, 0.f, 7}));
  const auto model = toy(8);
  for (const Sampling& bad : std::vector<Sampling>{{nan, 0, 1.f, 0},
                                                   {inf, 0, 1.f, 0},
                                                   {-1.f, 0, 1.f, 0},
                                                   {1.f, -1, 1.f, 0},
                                                   {1.f, 0, nan, 0},
                                                   {1.f, 0, 2.f, 0}}) {
    EXPECT_EQ(check_sampling(bad).error().code(), Code::out_of_range);
    EXPECT_FALSE(generate(*model, {1}, 4, bad));
  }
  for (const float bad : {nan, inf, 0.f, -1.f}) {
    Sampling sampling;
    sampling.repetition_penalty = bad;
    EXPECT_EQ(check_sampling(sampling).error().code(), Code::out_of_range);
  }
  for (const float bad : {nan, 1.5f, -1.f}) {
    Sampling sampling;
    sampling.min_p = bad;
    EXPECT_EQ(check_sampling(sampling).error().code(), Code::out_of_range);
  }
}

TEST(Generate, says_where_nan_came_in) {
  const auto model = toy(50);
  RunOptions options;
  options.edits = {*parse_edit("blocks.0.attn.z[head=1,pos=2]=3e38"),
                   *parse_edit("blocks.0.attn.z[head=1,pos=2]*=3e38")};
  const auto made = generate(*model, {3, 1, 4}, 6, {0.f, 0, 1.f, 0}, options);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what().key(), "error.sample.broken");
  EXPECT_NE(made.error().sentence().find("blocks.0.attn.z[head=1,query=2"), std::string::npos)
      << made.error().sentence();
  const auto searched = beam_search(*model, testing::tokens({3, 1, 4}), {3, 4, 1, 1.f}, options);
  ASSERT_FALSE(searched);
  EXPECT_EQ(searched.error().what().key(), "error.sample.broken");
}

TEST(Generate, refuses_with_a_sentence) {
  const auto model = toy(8);
  EXPECT_EQ(generate(*model, std::vector<int>{}, 4, {}).error().code(), Code::out_of_range);
  EXPECT_EQ(generate(*model, {99}, 4, {}).error().code(), Code::out_of_range);
  EXPECT_EQ(generate(*model, std::vector<int>(9, 1), 4, {}).error().code(), Code::out_of_range);
  const std::atomic<bool> stop{true};
  RunOptions stopped;
  stopped.cancel = &stop;
  EXPECT_EQ(generate(*model, {1}, 4, {}, stopped).error().code(), Code::cancelled);
}

}  // namespace
}  // namespace attnscope
