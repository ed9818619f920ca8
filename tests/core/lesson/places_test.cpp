// One grammar of places: the same texts, given to --steps, --edit, a watched number, a breakpoint, a measure
// and a lesson, find the same cells.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/lens/watch.h"
#include "core/lesson/expression.h"
#include "core/lesson/page_document.h"
#include "core/session/measure_text.h"
#include "core/trace/place_cells.h"

namespace attnscope {
namespace {

struct PlaceRow {
  const char* model;
  const char* place;
  std::vector<std::string> cells;  ///< with indices from 0, in one block each
};

const std::vector<PlaceRow>& places() {
  static const std::vector<PlaceRow> rows{
      {"scene:tiny_gpt", "blocks.0.attn.z[head=1,pos=2]", {"blocks.0.attn.z[head=1,pos=2]"}},
      {"scene:tiny_gpt",
       "blocks.*.attn.z[head=0-1,pos=-1]",
       {"blocks.0.attn.z[head=0-1,pos=9]", "blocks.1.attn.z[head=0-1,pos=9]"}},
      {"scene:tiny_gpt",
       "blocks.-1.attn.pattern[head=-1,query=-2--1]",
       {"blocks.1.attn.pattern[head=1,query=8-9]"}},
      {"scene:tiny_gpt",
       "blocks.0-1.resid_post[token=TOKEN]",
       {"blocks.0.resid_post[pos=1]", "blocks.1.resid_post[pos=1]"}},
      {"scene:tiny_gpt", "blocks.1.attn.scores[token=TOKEN,key=0]", {"blocks.1.attn.scores[query=1,key=0]"}},
      {"scene:tiny_gpt", "logits[pos=-1,vocab=3]", {"logits[pos=9,vocab=3]"}},
      {"scene:tiny_gpt", "logits[token=TOKEN]", {"logits[pos=1]"}},
      {"scene:tiny_gpt",
       "blocks.*.mlp.out.weight[out=0]",
       {"blocks.0.mlp.out.weight[out=0]", "blocks.1.mlp.out.weight[out=0]"}},
      {"scene:nine_steps", "input[pos=-1]", {"input[pos=3]"}},
      {"scene:nine_steps", "blocks.-1.attn.q.weight[out=1]", {"blocks.0.attn.q.weight[out=1]"}},
  };
  return rows;
}

class Places : public ::testing::TestWithParam<PlaceRow> {
 protected:
  void SetUp() override {
    PageState page;
    page.model = GetParam().model;
    ASSERT_TRUE(page_.open(page));
    place_ = GetParam().place;
    if (const std::size_t at = place_.find("TOKEN"); at != std::string::npos)
      place_.replace(at, 5, trace().config().texts->text(trace().ids[1]));
    for (const std::string& cell : GetParam().cells) {
      const auto target = parse_target(cell);
      ASSERT_TRUE(target) << cell;
      const auto values = numbers_at(trace(), *target);
      ASSERT_TRUE(values) << cell << ": " << values.error().text();
      const std::vector<float> of_cell = values->values();
      numbers_.insert(numbers_.end(), of_cell.begin(), of_cell.end());
    }
  }
  const Trace& trace() const { return page_.run().trace(0); }
  bool is_step() const { return parse_target(GetParam().cells.front())->kind == Target::Kind::step; }
  double sum() const {
    double out = 0;
    for (const float number : numbers_) out += static_cast<double>(number);
    return out;
  }

  PageRun page_;
  std::string place_;
  std::vector<float> numbers_;  ///< of all cells
};

TEST_P(Places, Steps) {
  const auto selector = Selector::parse(place_);
  ASSERT_TRUE(selector) << place_;
  std::vector<std::string> found;
  for (const Record* record : trace().select(*selector)) {
    const auto parts = parts_of_step(trace(), *selector, record->site);
    ASSERT_TRUE(parts) << place_;
    for (const auto& part : *parts) found.push_back(to_text(record->site) + to_text(part));
  }
  for (const auto& [name, weight] : trace().weights().all())
    for (const auto& at : selector->value_parts(name, trace().config().n_layers()))
      found.push_back(to_text(weight_target(name, at)));
  for (const auto& at : selector->value_parts(kInputName, 0)) {
    const Target input{Target::Kind::input, {}, {}, at};
    found.push_back(to_text(Target{Target::Kind::input, {}, {}, *absolute(trace(), input)}));
  }
  EXPECT_EQ(found, GetParam().cells) << place_;
}

TEST_P(Places, Edits) {
  const EditRuns runs = [&]() -> Result<std::vector<std::shared_ptr<const Trace>>> {
    return std::vector{page_.run().traces.front()};
  };
  const auto edits = parse_edits(place_ + "+=0.5", trace().config(), {}, runs);
  ASSERT_TRUE(edits) << place_ << ": " << edits.error().text();
  std::vector<std::string> found;
  for (const auto& edit : *edits) found.push_back(to_text(edit->number()->where));
  EXPECT_EQ(found, GetParam().cells) << place_;
}

TEST_P(Places, WatchedNumbers) {
  const auto watch = parse_watch("mean(" + place_ + ")");
  ASSERT_TRUE(watch) << place_;
  EXPECT_EQ(to_text(*watch), "mean(" + place_ + ")");
  const auto value = watch_value(trace(), *watch);
  ASSERT_TRUE(value) << place_;
  EXPECT_NEAR(*value, sum() / static_cast<double>(numbers_.size()), 1e-6) << place_;
}

TEST_P(Places, Breakpoints) {
  const auto rule = parse_stop("max(" + place_ + ") > 0");
  ASSERT_EQ(rule.ok(), is_step()) << place_ << ": playing goes through steps";
  if (!rule) return;
  EXPECT_EQ(to_text(*rule), "max(" + place_ + ") > 0");
  double most = 0;
  std::vector<Site> sites;
  for (const Record& record : trace().records())
    if (const auto value = stop_value(trace(), record.site, *rule)) {
      most = std::max(most, *value);
      sites.push_back(record.site);
    }
  double largest = 0;
  for (const float number : numbers_)
    if (std::isfinite(number)) largest = std::max(largest, std::fabs(static_cast<double>(number)));
  EXPECT_NEAR(most, largest, 1e-6) << place_;
  std::vector<Site> wanted;
  for (const std::string& cell : GetParam().cells) wanted.push_back(parse_target(cell)->site);
  EXPECT_EQ(sites, wanted) << place_;
}

TEST_P(Places, Lessons) {
  const auto expression = Expression::parse("sum(" + place_ + ") + 0");
  ASSERT_TRUE(expression) << place_ << ": " << expression.error().text();
  const auto value = expression->number({page_.run(), nullptr, 0, {}});
  ASSERT_TRUE(value) << place_ << ": " << value.error().text();
  EXPECT_NEAR(*value, sum(), 1e-5) << place_;
}

TEST_P(Places, Measures) {
  if (!starts_with(place_, "logits")) return;  // a measure is read off logits
  const std::string position = place_.substr(6, place_.find_first_of(",]") - 6) + "]";
  const auto measure = parse_measure(*page_.run().document.opened, "logit:#3" + position, -1, &trace());
  ASSERT_TRUE(measure) << place_ << ": " << measure.error().text();
  EXPECT_EQ(measure->row, range_on(parse_target(GetParam().cells.front())->at, "pos")->begin);
  EXPECT_EQ(measure->target, 3);
  EXPECT_FALSE(parse_measure(*page_.run().document.opened, "logit:#3" + position))
      << "no run to look it up in";
}

INSTANTIATE_TEST_SUITE_P(All, Places, ::testing::ValuesIn(places()));

TEST(PlacesOfABatch, AreEditsOfEachSequence) {
  PageRun page;
  PageState state;
  state.model = "scene:tiny_gpt";
  ASSERT_TRUE(page.open(state));
  const Model& model = *page.run().document.model;
  const EditRuns runs = [&]() -> Result<std::vector<std::shared_ptr<const Trace>>> {
    std::vector<std::shared_ptr<const Trace>> out;
    for (const std::vector<int>& ids : {std::vector{1, 2, 3}, std::vector{3, 1}}) {
      TRY(out.emplace_back(), model.run(Input{ids, {}}));
    }
    return out;
  };
  const auto texts = [&](const std::string& text) {
    std::string out;
    const auto edits = parse_edits(text, model.config(), {}, runs);
    if (!edits) return edits.error().what().key();
    for (const auto& edit : *edits) out += std::to_string(edit->sequence) + ":" + to_text(*edit) + " ";
    return out;
  };
  const auto word = [&](int id) { return model.config().texts->text(id); };
  EXPECT_EQ(texts("embed[pos=-1]=0"), "0:embed[pos=2]=0 1:embed[pos=1]=0 ");
  EXPECT_EQ(texts("embed[pos=-2]=0"), "0:embed[pos=1]=0 1:embed[pos=0]=0 ");
  EXPECT_EQ(texts("embed[pos=1]=0"), "-1:embed[pos=1]=0 ");
  EXPECT_EQ(texts("embed[token=" + word(1) + "]=0"), "0:embed[pos=0]=0 1:embed[pos=1]=0 ");
  EXPECT_EQ(texts("embed[token=" + word(2) + "]=0"), "0:embed[pos=1]=0 ");
  EXPECT_EQ(texts("blocks.-1.mlp.activation=relu"), "-1:blocks.1.mlp.activation=relu ");
  EXPECT_EQ(texts("embed[token=nobody]=0"), "error.trace.place.no_token");
  EXPECT_EQ(texts("blocks.0.mlp.out.weight[token=" + word(1) + "]=0"), "error.trace.place.no_rows");
  EXPECT_EQ(texts("blocks.0-9.attn.z=0"), "error.trace.edit");
  EXPECT_EQ(parse_edit("embed[pos=-1]=0").error().what().key(), "error.step.needs_run");
}

}  // namespace
}  // namespace attnscope
