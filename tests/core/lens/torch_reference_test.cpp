// References of PyTorch's numbers: what reads and what does not, which cells they hold, and that each number
// of a step is compared.
#include "core/lens/torch_reference.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "core/arch/shipped.h"
#include "core/base/assets.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

using nlohmann::json;

const std::string kSorterFile = "assets/references/sorter.json";

json sorter_reference() { return json::parse(asset(kSorterFile)); }

Result<TorchReference> read_changed(const json& changed) {
  return read_torch_reference(changed.dump(), kSorterFile);
}

std::shared_ptr<const Trace> sorter_run(const RunOptions& options = {}) {
  const auto opened = open_shipped("model:sorter");
  EXPECT_TRUE(opened) << opened.error().text();
  const auto run = opened->model->run(opened->card->inputs.front(), options);
  EXPECT_TRUE(run) << run.error().text();
  return *run;
}

json& row_of(json& reference, const std::string& step) {
  for (json& row : reference["steps"])
    if (row["step"] == step) return row;
  ADD_FAILURE() << step;
  return reference;
}

TEST(TorchReference, HoldsTheEndsAndCellsBetween) {
  for (const std::int64_t count : {1, 15, 16, 17, 23, 36, 45, 704, 100'000}) {
    const auto places = reference_places(count);
    ASSERT_FALSE(places.empty());
    EXPECT_GE(std::ssize(places), std::min<std::int64_t>(count, count < 45 ? 12 : 16)) << count;
    EXPECT_LE(places.size(), 16u) << count;
    EXPECT_TRUE(count > 16 || std::ssize(places) == count) << count;
    EXPECT_EQ(places.front(), 0);
    EXPECT_EQ(places.back(), count - 1);
    for (std::size_t i = 1; i < places.size(); ++i) EXPECT_LT(places[i - 1], places[i]) << count;
  }
}

TEST(TorchReference, ReadsWhatIsShipped) {
  const auto reference = read_changed(sorter_reference());
  ASSERT_TRUE(reference) << reference.error().text();
  EXPECT_EQ(reference->model, "sorter");
  EXPECT_NE(reference->made_by.find("PyTorch"), std::string::npos);
  EXPECT_NE(reference->made_by.find("scripts/references.sh"), std::string::npos);
  EXPECT_FALSE(reference->ids.empty());
  const std::vector<StepDifference> found = torch_differences(*sorter_run(), *reference);
  const TorchVerdict verdict = torch_verdict(found, 1e-5);
  EXPECT_EQ(verdict.first_wrong, nullptr) << verdict.first_wrong->name();
  EXPECT_EQ(verdict.steps, std::ssize(reference->steps));
  EXPECT_EQ(verdict.equal, verdict.steps);
  ASSERT_NE(verdict.worst, nullptr);
  EXPECT_GT(verdict.worst->error(), 0) << "float32 against float64: not even a rounding error?";
}

// Each number of a row is changed by itself: the comparison finds that step, that number, and no other step.
TEST(TorchReference, EveryNumberOfAStepIsCompared) {
  const auto run = sorter_run();
  const json whole = sorter_reference();
  for (const char* step : {"tok_embed", "blocks.1.attn.masked", "blocks.0.ln2.scale", "probs"}) {
    json changed = whole;
    const std::size_t cells = row_of(changed, step)["cells"].size();
    EXPECT_GT(cells, 10u);
    for (std::size_t i = 0; i < cells + 4; ++i) {
      changed = whole;
      json& row = row_of(changed, step);
      const char* fields[] = {"norm", "least", "greatest", "hidden"};
      json& number = i < cells ? row["cells"][i] : row[fields[i - cells]];
      const char* what[] = {"compare.what.norm", "compare.what.least", "compare.what.greatest",
                            "compare.what.hidden"};
      if (i == cells + 3)
        number = number.get<int>() + 1;
      else
        number =
            number == "-inf" ? json(-3.5) : json(number.get<double>() + 0.01 * row["norm"].get<double>());
      const auto reference = read_changed(changed);
      ASSERT_TRUE(reference) << reference.error().text();
      const auto all = torch_differences(*run, *reference);
      const TorchVerdict verdict = torch_verdict(all, 1e-5);
      ASSERT_NE(verdict.first_wrong, nullptr) << step << " " << i;
      EXPECT_EQ(verdict.first_wrong->name(), step) << i;
      EXPECT_EQ(verdict.equal, verdict.steps - 1) << step << " " << i;
      EXPECT_EQ(verdict.first_wrong->what.key(), i < cells ? "" : what[i - cells]) << step << " " << i;
    }
  }
}

TEST(TorchReference, AStepThatOneOfTheTwoLacksIsWrong) {
  const auto run = sorter_run();
  json without = sorter_reference();
  auto& steps = without["steps"];
  for (auto at = steps.begin(); at != steps.end(); ++at)
    if ((*at)["step"] == "blocks.0.attn.z") {
      steps.erase(at);
      break;
    }
  const auto lacking = torch_differences(*run, *read_changed(without));
  EXPECT_EQ(torch_verdict(lacking, 1e-5).first_wrong->name(), "blocks.0.attn.z");
  EXPECT_FALSE(torch_verdict(lacking, 1e-5).first_wrong->compared());

  json more = sorter_reference();
  json extra = row_of(more, "blocks.0.attn.z");
  extra["step"] = "blocks.7.attn.z";
  more["steps"].push_back(extra);
  const auto added = torch_differences(*run, *read_changed(more));
  EXPECT_EQ(added.size(), run->records().size() + 1);
  EXPECT_EQ(torch_verdict(added, 1e-5).first_wrong->name(), "blocks.7.attn.z");

  json other = sorter_reference();
  json& row = row_of(other, "blocks.0.attn.z");
  std::swap(row["shape"][0], row["shape"][2]);
  const auto shaped = torch_differences(*run, *read_changed(other));
  EXPECT_EQ(torch_verdict(shaped, 1e-5).first_wrong->why.key(), "compare.shapes");
}

TEST(TorchReference, WhatDoesNotReadSaysWhereAndWhatToDo) {
  const auto refused = [](const Result<TorchReference>& read, const std::string& part) {
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().sentence().find(kSorterFile), std::string::npos) << read.error().text();
    EXPECT_NE(read.error().sentence().find(part), std::string::npos) << read.error().text();
    EXPECT_NE(read.error().hint().find("scripts/references.sh"), std::string::npos) << read.error().text();
  };
  const std::string whole(asset(kSorterFile));
  refused(read_torch_reference(whole.substr(0, whole.size() / 2), kSorterFile), "line");
  refused(read_torch_reference("[]", kSorterFile), "format");
  for (const char* field : {"format", "version", "model", "made_by", "input", "steps"}) {
    json changed = sorter_reference();
    changed.erase(field);
    refused(read_changed(changed), field);
    changed[field] = nullptr;
    refused(read_changed(changed), field);
  }
  for (const char* field : {"shape", "cells", "norm", "least", "greatest", "hidden"}) {
    json changed = sorter_reference();
    row_of(changed, "logits").erase(field);
    refused(read_changed(changed), std::string("logits: ") + field);
    row_of(changed, "logits")[field] = "much";
    refused(read_changed(changed), std::string("logits: ") + field);
  }
  json changed = sorter_reference();
  row_of(changed, "logits")["cells"].erase(3);
  refused(read_changed(changed), "logits: cells");
  changed = sorter_reference();
  for (const std::int64_t size : {200'000'000, 1'000'000'000}) {
    row_of(changed, "logits")["shape"] = {size, size, size};
    refused(read_changed(changed), "logits: shape");
  }
  changed = sorter_reference();
  row_of(changed, "logits")["step"] = "blocks.0.attn.quack";
  refused(read_changed(changed), "blocks.0.attn.quack");
  changed = sorter_reference();
  changed["input"]["ids"] = {1, -2};
  refused(read_changed(changed), "input");
}

}  // namespace
}  // namespace attnscope
