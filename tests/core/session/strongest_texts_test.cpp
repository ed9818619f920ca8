// Texts in which heads and neurons are strongest: against plain loops over the whole runs, with bins, ties
// and numbers that are none.
#include "core/session/strongest_texts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>

#include "core/session/prompt_list.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

constexpr std::size_t kMost = 7;

OpenedModel strongest_storyteller() {
  auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/storyteller");
  EXPECT_TRUE(opened) << opened.error().text();
  return *std::move(opened);
}

StrengthPlace strength_of_text(const std::string& text, StrengthBy by) {
  const auto cell = parse_cell(text);
  EXPECT_TRUE(cell);
  const auto place = strength_place(*cell, by);
  EXPECT_TRUE(place) << place.error().text();
  return *place;
}

// Of every position, by the definition alone; NaN where there is none.
std::vector<double> plain_strength(const Trace& run, const StrengthPlace& place) {
  std::vector<double> out;
  const std::int64_t index = place.cell.at.front().begin;
  const Site& site = place.cell.site;
  if (place.by == StrengthBy::value) {
    const Tensor all = *run.tensor(site);
    for (std::int64_t pos = 0; pos < all.size(0); ++pos)
      out.push_back(static_cast<double>(all.at(pos, index)));
    return out;
  }
  if (place.by == StrengthBy::write) {
    const Tensor z = *run.tensor(site);
    const Tensor weight = run.weights().get("blocks." + std::to_string(site.layer) + ".attn.out.weight");
    const std::int64_t d = z.size(2);
    for (std::int64_t pos = 0; pos < z.size(1); ++pos) {
      double square = 0;
      for (std::int64_t to = 0; to < weight.size(1); ++to) {
        double sum = 0;
        for (std::int64_t i = 0; i < d; ++i)
          sum += static_cast<double>(z.at(index, pos, i)) * static_cast<double>(weight.at(index * d + i, to));
        square += sum * sum;
      }
      out.push_back(std::sqrt(square));
    }
    return out;
  }
  const Tensor pattern = *run.tensor(site.with(Slot::pattern));
  for (std::int64_t pos = 0; pos < pattern.size(1); ++pos) {
    double most = NAN;
    for (std::int64_t key = 1; key < pos; ++key)  // causal: later ones are masked
      most = std::fmax(most, static_cast<double>(pattern.at(index, pos, key)));
    out.push_back(most);
  }
  return out;
}

struct PlainText {
  std::int64_t prompt, pos;
  double value;
};

TEST(StrongestTexts, AreThoseOfAPlainLoopOverAllRuns) {
  const OpenedModel opened = strongest_storyteller();
  const std::vector<StrengthPlace> places{strength_of_text("blocks.1.attn.z[head=3]", StrengthBy::write),
                                          strength_of_text("blocks.1.attn.z[head=3]", StrengthBy::weight),
                                          strength_of_text("blocks.0.mlp.post[d_mlp=17]", StrengthBy::value)};
  DataRuns data(DataChoice{"task:storyteller", {}, 60, 3}, blank_document(opened));
  const auto found = strongest_texts(data, places, kMost);
  ASSERT_TRUE(found) << found.error().text();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Strongest& answer = (*found)[i];
    std::vector<PlainText> texts;
    std::vector<double> positions;
    std::int64_t prompt = 0;
    ASSERT_TRUE(data.through<PromptRun>([&](const DataLine& line) { return data.run(line, DataSide::clean); },
                                        [&](const DataLine&, const PromptRun& run) -> Status {
                                          const auto values = plain_strength(*run.trace, places[i]);
                                          PlainText one{prompt++, -1, 0};
                                          for (std::size_t pos = 0; pos < values.size(); ++pos) {
                                            if (std::isnan(values[pos])) continue;
                                            positions.push_back(values[pos]);
                                            if (one.pos < 0 || values[pos] > one.value + 1e-6)
                                              one.pos = static_cast<std::int64_t>(pos),
                                              one.value = values[pos];
                                          }
                                          texts.push_back(one);
                                          return Done{};
                                        }));
    EXPECT_EQ(answer.texts(), 60);
    EXPECT_EQ(answer.counted(), std::ssize(positions));
    EXPECT_EQ(answer.not_numbers(), 0);
    std::stable_sort(texts.begin(), texts.end(),
                     [](const PlainText& a, const PlainText& b) { return a.value > b.value; });
    ASSERT_EQ(answer.top().size(), kMost);
    for (std::size_t rank = 0; rank < kMost; ++rank) {
      const StrongText& one = *answer.top()[rank];
      EXPECT_NEAR(one.value, texts[rank].value, 1e-5) << i << " " << rank;
      const auto same = std::find_if(texts.begin(), texts.end(),
                                     [&](const PlainText& text) { return text.prompt == one.prompt; });
      EXPECT_NEAR(one.value, same->value, 1e-5);
      EXPECT_EQ(one.pos, same->pos);
      if (places[i].by == StrengthBy::weight) {
        const std::int64_t key = one.at.keys[static_cast<std::size_t>(one.pos)];
        EXPECT_GT(key, 0);
        EXPECT_LT(key, one.pos);
        EXPECT_FALSE(one.at.there[0] || one.at.there[1]) << "the first two rows have no further key";
      }
    }
    // The histogram: every position in its bin.
    std::int64_t counted = 0;
    const auto bars = histogram_bars(answer.positions());
    EXPECT_LE(std::ssize(bars), kMostBars);
    for (const HistogramBar& bar : bars) {
      const auto inside = std::count_if(positions.begin(), positions.end(), [&](double value) {
        return static_cast<double>(static_cast<float>(value)) >= bar.from &&
               static_cast<double>(static_cast<float>(value)) < bar.to;
      });
      EXPECT_NEAR(static_cast<double>(bar.n), static_cast<double>(inside), 1) << "rounding at an edge";
      counted += bar.n;
    }
    EXPECT_EQ(counted, std::ssize(positions));
    // Over the range: one text of each equal part that has any.
    const auto spread = answer.spread();
    const double largest = texts.front().value, part = (largest - texts.back().value) / kMost;
    std::vector<int> wanted(kMost), there(kMost);
    const auto part_of = [&](double value) {
      return std::min(kMost - 1, static_cast<std::size_t>(std::max(0.0, (largest - value) / part)));
    };
    for (const PlainText& text : texts) wanted[part_of(text.value)] = 1;
    for (const auto& text : spread) ++there[part_of(text->value)];
    EXPECT_EQ(there, wanted);
  }
}

StrongText strong_text(std::int64_t prompt, std::vector<float> values) {
  StrongText out;
  out.prompt = prompt;
  out.at.there.assign(values.size(), true);
  out.at.values = std::move(values);
  return out;
}

TEST(StrongestTexts, OfEqualOnesTheEarlierIsFirstAndTheRestIsCounted) {
  Strongest found(2);
  for (std::int64_t i = 0; i < 5; ++i) found.add(strong_text(i, {1, 3, 3}));
  ASSERT_EQ(found.top().size(), 2u);
  EXPECT_EQ(found.top()[0]->prompt, 0);
  EXPECT_EQ(found.top()[1]->prompt, 1);
  EXPECT_EQ(found.top()[0]->pos, 1) << "the first of equal positions";
  EXPECT_EQ(found.tied(), 3);
  EXPECT_EQ(found.spread().size(), 1u) << "all are equal: there is one part";
  EXPECT_EQ(found.spread()[0]->prompt, 0);
  found.add(strong_text(5, {4}));
  EXPECT_EQ(found.top()[0]->prompt, 5);
  EXPECT_EQ(found.tied(), 4);
  found.add(strong_text(6, {5}));
  EXPECT_EQ(found.tied(), 0) << "nothing is as weak as the last any more";
}

TEST(StrongestTexts, WhatIsNoNumberIsCountedAndNotRanked) {
  Strongest found(3);
  found.add(strong_text(0, {NAN, 2, INFINITY}));
  found.add(strong_text(1, {NAN}));
  StrongText padded = strong_text(2, {9, 1});
  padded.at.there[0] = false;
  found.add(std::move(padded));
  EXPECT_EQ(found.not_numbers(), 3);
  EXPECT_EQ(found.without(), 1);
  EXPECT_EQ(found.counted(), 2);
  ASSERT_EQ(found.top().size(), 2u);
  EXPECT_EQ(found.top()[0]->value, 2);
  EXPECT_EQ(found.top()[1]->value, 1) << "padding has no strength";
}

TEST(StrongestTexts, BinsCountExactlyWhateverComesFirst) {
  std::mt19937 random(4);
  std::vector<double> values{0, -0.0, 1e-300, -3.5, 1e30};
  std::normal_distribution<double> normal(2, 40);
  for (int i = 0; i < 5000; ++i) values.push_back(normal(random));
  std::vector<HistogramBar> first;
  for (int order = 0; order < 4; ++order) {
    ValueBins bins;
    for (const double value : values) bins.add(value);
    EXPECT_LE(std::ssize(bins.bins()), ValueBins::kMostBins);
    std::int64_t n = 0;
    for (const auto& [number, bin] : bins.bins()) n += bin.n;
    EXPECT_EQ(n, std::ssize(values));
    values.erase(std::remove(values.begin(), values.end(), 1e30), values.end());
    ValueBins narrow;
    for (const double value : values) narrow.add(value);
    const auto bars = histogram_bars(narrow);
    if (order == 0) first = bars;
    ASSERT_EQ(bars.size(), first.size());
    EXPECT_GE(bars.size(), 16u);
    for (std::size_t i = 0; i < bars.size(); ++i) {
      EXPECT_EQ(bars[i].n, first[i].n);
      EXPECT_EQ(bars[i].n, std::count_if(values.begin(), values.end(), [&](double value) {
                  return value >= bars[i].from && value < bars[i].to;
                }));
    }
    std::shuffle(values.begin(), values.end(), random);
  }
  EXPECT_TRUE(histogram_bars(ValueBins()).empty());
}

TEST(StrongestTexts, PlacesThatAreNoOneNumberAreRefused) {
  const auto refused = [](const std::string& text, std::optional<StrengthBy> by) {
    const auto place = strength_place(*parse_cell(text), by);
    if (!place) return place.error().text();
    const OpenedModel opened = strongest_storyteller();
    const auto run = opened.model->run(Input{{5, 6, 7}, {}});
    const auto values = strengths_of(**run, *place);
    return values ? std::string() : values.error().text();
  };
  EXPECT_NE(refused("blocks.0.mlp.post[d_mlp=3,pos=1]", {}), "");
  EXPECT_NE(refused("blocks.0.mlp.post", {}), "");
  EXPECT_NE(refused("blocks.0.mlp.post[d_mlp=100000]", {}), "");
  EXPECT_NE(refused("blocks.0.mlp.post[d_mlp=3]", StrengthBy::write), "");
  EXPECT_NE(refused("blocks.0.attn.z[head=9]", {}), "");
  EXPECT_NE(refused("blocks.0.attn.z[head=9]", StrengthBy::weight), "");
  EXPECT_NE(refused("blocks.0.attn.z", {}), "");
  EXPECT_EQ(refused("blocks.0.attn.z[head=1,d_head=2]", {}), "");
  EXPECT_EQ(refused("blocks.0.attn.pattern[head=1,key=0]", {}), "");
}

TEST(StrongestTexts, AWrongLineIsNamedAndAStopIsAStop) {
  const OpenedModel opened = strongest_storyteller();
  const testing::TempFolder folder;
  std::ofstream(folder / "a.jsonl") << "{\"text\": \"The cat\"}\n{\"text\": 7}\n";
  DataRuns broken(DataChoice{folder / "a.jsonl", {}, 0, 0}, blank_document(opened));
  const std::vector<StrengthPlace> places{strength_of_text("blocks.1.attn.z[head=3]", StrengthBy::write)};
  const auto failed = strongest_texts(broken, places, 3);
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().text().find("line 2"), std::string::npos) << failed.error().text();
  DataRuns data(DataChoice{"task:storyteller", {}, 60, 3}, blank_document(opened));
  std::int64_t seen = 0;
  const auto stopped = strongest_texts(data, places, 3, nullptr, [&](const std::vector<Strongest>& known) {
    seen = known.front().texts();
    return seen < 5;
  });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), Code::cancelled);
  EXPECT_EQ(seen, 5);
}

}  // namespace
}  // namespace attnscope
