// Beam search against a search without caches or a tree, and against every continuation there is.
#include "core/sample/beam.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/core/sample/toy.h"

namespace attnscope {
namespace {

// Natural logarithms of what follows `ids`, after the penalty of transformers: computed from scratch.
std::vector<double> chances_after(const Model& model, const std::vector<int>& ids, double penalty) {
  const auto trace = model.run({ids, {}});
  EXPECT_TRUE(trace);
  const Tensor logits = (*trace)->logits_row(static_cast<std::int64_t>(ids.size()) - 1);
  std::vector<double> out;
  double sum = 0;
  for (std::int64_t id = 0; id < logits.size(0); ++id) sum += std::exp(static_cast<double>(logits.at(id)));
  for (std::int64_t id = 0; id < logits.size(0); ++id) {
    double chance = static_cast<double>(logits.at(id)) - std::log(sum);
    if (std::find(ids.begin(), ids.end(), static_cast<int>(id)) != ids.end())
      chance = chance < 0 ? chance * penalty : chance / penalty;
    out.push_back(chance);
  }
  return out;
}

struct Way {
  std::vector<int> ids;
  double sum = 0, score = 0;
};

// BeamSearchScorer of transformers, line by line, without its batches.
std::vector<Way> search_by_hand(const Model& model, const std::vector<int>& prompt, int beams, int most,
                                double length_penalty, double penalty) {
  const int eos = model.config().eos;
  std::vector<Way> running{{{}, 0, 0}}, ended;
  const auto keep = [&](Way way) {
    way.score = way.sum / std::pow(static_cast<double>(way.ids.size()), length_penalty);
    ended.push_back(std::move(way));
    std::stable_sort(ended.begin(), ended.end(),
                     [](const Way& a, const Way& b) { return a.score > b.score; });
    if (static_cast<int>(ended.size()) > beams) ended.pop_back();
  };
  for (int step = 0; step < most; ++step) {
    std::vector<Way> all;
    for (const Way& way : running) {
      std::vector<int> ids = prompt;
      ids.insert(ids.end(), way.ids.begin(), way.ids.end());
      const std::vector<double> chances = chances_after(model, ids, penalty);
      for (std::size_t id = 0; id < chances.size(); ++id) {
        all.push_back(way);
        all.back().ids.push_back(static_cast<int>(id));
        all.back().sum += chances[id];
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const Way& a, const Way& b) { return a.sum > b.sum; });
    all.resize(std::min<std::size_t>(all.size(), static_cast<std::size_t>(2 * beams)));
    running.clear();
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (all[rank].ids.back() == eos) {
        if (static_cast<int>(rank) < beams) keep(all[rank]);
      } else if (static_cast<int>(running.size()) < beams) {
        running.push_back(all[rank]);
      }
    }
    const double best = running.front().sum / std::pow(static_cast<double>(step + 1), length_penalty);
    if (static_cast<int>(ended.size()) == beams && best <= ended.back().score) return ended;
  }
  for (const Way& way : running) keep(way);
  return ended;
}

TEST(BeamSearch, equals_a_search_without_a_cache) {
  int ends = 0;
  for (const int eos : {-1, 7, 12})
    for (const int beams : {1, 2, 4})
      for (const double length_penalty : {0.0, 1.0, 2.0})
        for (const float penalty : {1.f, 1.4f}) {
          const auto model = testing::toy(32, eos);
          const auto made =
              beam_search(*model, testing::tokens({3, 1, 4}), {beams, 5, length_penalty, penalty});
          ASSERT_TRUE(made) << made.error().text();
          const auto wanted =
              search_by_hand(*model, {3, 1, 4}, beams, 5, length_penalty, static_cast<double>(penalty));
          ASSERT_EQ(made->hypotheses.size(), wanted.size());
          for (std::size_t i = 0; i < wanted.size(); ++i) {
            EXPECT_EQ(made->ids(made->hypotheses[i].node), wanted[i].ids)
                << beams << " beams, hypothesis " << i;
            EXPECT_NEAR(made->hypotheses[i].score, wanted[i].score, 1e-4);
            ends += wanted[i].ids.back() == eos;
          }
        }
  EXPECT_GT(ends, 0) << "some end";
}

TEST(BeamSearch, with_as_many_beams_as_ways_finds_the_best_of_all) {
  const auto model = testing::toy(32);
  const auto made = beam_search(*model, testing::tokens({3, 1}), {23, 2, 1, 1.f});
  ASSERT_TRUE(made);
  double best = -1e9;
  std::vector<int> wanted;
  const std::vector<double> first = chances_after(*model, {3, 1}, 1);
  for (int a = 0; a < 23; ++a) {
    const std::vector<double> second = chances_after(*model, {3, 1, a}, 1);
    for (int b = 0; b < 23; ++b)
      if (const double sum = first[static_cast<std::size_t>(a)] + second[static_cast<std::size_t>(b)];
          sum > best)
        best = sum, wanted = {a, b};
  }
  EXPECT_EQ(made->ids(made->hypotheses.front().node), wanted);
  EXPECT_NEAR(made->hypotheses.front().score * 2, best, 1e-4);
}

TEST(BeamSearch, one_beam_is_greedy_and_the_tree_adds_up) {
  const auto model = testing::toy(32);
  const auto made = beam_search(*model, testing::tokens({3, 1, 4}), {1, 6, 1, 1.f});
  const auto greedy = generate(*model, {3, 1, 4}, 6, {0.f, 0, 1.f, 0});
  ASSERT_TRUE(made && greedy);
  EXPECT_EQ(made->ids(made->hypotheses.front().node), greedy->ids);
  const auto tree = beam_search(*model, testing::tokens({3, 1, 4}), {3, 4, 1, 1.f});
  ASSERT_TRUE(tree);
  for (std::size_t i = 1; i < tree->nodes.size(); ++i) {
    const BeamNode& node = tree->nodes[i];
    ASSERT_LT(node.parent, static_cast<int>(i));
    const BeamNode& parent = tree->nodes[static_cast<std::size_t>(node.parent)];
    EXPECT_EQ(node.depth, parent.depth + 1);
    EXPECT_NEAR(node.sum, parent.sum + node.chance, 1e-9);
    EXPECT_TRUE(node.parent == 0 || parent.fate == BeamNode::Fate::kept);
  }
  EXPECT_EQ(tree->nodes.size(), 1u + 4 * 6) << "twice the beams at each depth";
}

TEST(BeamSearch, refuses_with_a_sentence) {
  const auto model = testing::toy(8);
  EXPECT_EQ(beam_search(*model, testing::tokens({1}), {0, 4, 1, 1.f}).error().code(), Code::out_of_range);
  EXPECT_EQ(beam_search(*model, testing::tokens({1}), {3, 4, NAN, 1.f}).error().code(), Code::out_of_range);
  EXPECT_EQ(beam_search(*model, testing::tokens({1}), {3, 4, 1, 0.f}).error().code(), Code::out_of_range);
  const auto full = beam_search(*model, testing::tokens({3, 1, 4}), {2, 50, 1, 1.f});
  ASSERT_TRUE(full);
  EXPECT_EQ(full->ids(full->hypotheses.front().node).size(), 6u)
      << "positions 3 to 7 are read, one more is said";
  EXPECT_FALSE(full->note.empty());
}

}  // namespace
}  // namespace attnscope
