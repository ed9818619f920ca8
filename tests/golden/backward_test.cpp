// The backward pass of every family: gradients of random cells of every step and of every weight against
// finite differences of the forward.
#include <random>
#include <set>

#include "core/model/gradients.h"
#include "tests/golden/helpers.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

// Under the sanitizers, which make each forward slow, some of the steps and weights are checked.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kEvery = 7;
#else
constexpr std::size_t kEvery = 1;
#endif

// Targets for all rows but a few, so that rows that do not count are among them.
std::vector<int> targets_of(const Trace& trace) {
  const Record* logits = trace.find(trace.main(Slot::logits));
  std::vector<int> out;
  for (std::int64_t row = 0; row < logits->shape[0]; ++row)
    out.push_back(row % 5 == 3 ? kNotCounted : static_cast<int>((row * 7 + 3) % logits->shape[1]));
  return out;
}

double backward_largest(const Tensor& t) {
  const Stats seen = stats(t);
  return std::max(std::fabs(static_cast<double>(seen.min)), std::fabs(static_cast<double>(seen.max)));
}

class Backwards : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    opened_ = must_open(model_path(GetParam()));
    const Fixture given = fixture(GetParam());
    options_ = given.options;
    const TracePointer trace = must_run(*opened_.model, given.inputs.back(), options_);
    if (!trace->find(trace->main(Slot::logits))) GTEST_SKIP() << "predicts nothing";
    auto made = backward(trace, {targets_of(*trace), 0.1, 0});
    ASSERT_TRUE(made) << made.error().text();
    gradients_ = *made;
  }

  std::vector<std::int64_t> some_cell(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> out;
    for (const std::int64_t size : shape)
      out.push_back(std::uniform_int_distribution<std::int64_t>(0, size - 1)(random_));
    return out;
  }
  void expect_equal(const FiniteDifference& found, double size, const std::string& what) {
    EXPECT_NEAR(found.analytic, found.measured, 0.005 * size + 3 * found.uncertainty)
        << what << ", step " << found.step;
    ++checked_;
    unsure_ += found.uncertainty < 0.05 * size + 1e-3 ? 0 : 1;
  }
  // Corners of a ReLU on all sides of a number leave little to measure, but not often.
  void TearDown() override { EXPECT_LE(unsure_, 1 + checked_ / 20) << "of " << checked_; }

  int checked_ = 0, unsure_ = 0;
  std::mt19937 random_{11};
  OpenedModel opened_;
  RunOptions options_;
  std::shared_ptr<const Gradients> gradients_;
};

Tensor whole(const Gradients& gradients, const Record& record) {
  if (!record.derived) return record.value();
  return gradients.slice(record.site, 0, {0, 1 << 20}, {0, 1 << 20});
}

TEST_P(Backwards, every_step_agrees_with_a_finite_difference) {
  const std::vector<Record>& records = gradients_->records();
  for (std::size_t i = 0; i < records.size(); i += kEvery) {
    const Record& record = records[i];
    if (record.site.slot == Slot::logits || record.site.slot == Slot::patches) continue;
    const auto cell = some_cell(record.shape);
    if (std::isinf(gradients_->trace().cell(record.site, cell)))
      continue;  // masked: cannot be moved a little
    const auto found = check_cell(*gradients_, record.site, cell);
    ASSERT_TRUE(found) << found.error().text();
    expect_equal(*found, backward_largest(whole(*gradients_, record)), to_text(record.site));
  }
}

TEST_P(Backwards, every_weight_agrees_with_a_finite_difference) {
  const Weights& weights = gradients_->trace().weights();
  const auto grads = gradients_->weights();
  std::size_t number = 0;
  for (const std::string& name : parameters(gradients_->trace().config(), weights)) {
    const auto gradient = grads.find(name);
    ASSERT_NE(gradient, grads.end()) << name << " has no gradient";
    ASSERT_EQ(gradient->second.sizes(), weights.get(name).sizes()) << name;
    if (number++ % kEvery != 0) continue;
    const auto found = check_weight(*gradients_, name, some_cell(gradient->second.sizes()));
    ASSERT_TRUE(found) << found.error().text();
    expect_equal(*found, backward_largest(gradient->second), name);
  }
}

TEST_P(Backwards, every_step_that_matters_has_a_gradient_in_reverse_order) {
  const Trace& trace = gradients_->trace();
  int last = static_cast<int>(trace.records().size());
  Stack stack = trace.config().stack;
  for (const Record& record : gradients_->records()) {
    const int index = trace.index_of(record.site);
    ASSERT_GE(index, 0);
    if (record.site.stack != stack) last = static_cast<int>(trace.records().size());
    const bool one_of_qkv = record.site.part == Part::attn || record.site.part == Part::cross ||
                            record.site.slot == Slot::mlp_gate || record.site.slot == Slot::mlp_up;
    stack = record.site.stack;
    if (one_of_qkv) continue;
    EXPECT_LT(index, last) << to_text(record.site);
    last = index;
  }
  for (const Record& record : trace.records()) {
    const std::string name = to_text(record.site);
    const bool scale = name.ends_with(".scale"), mask = record.site.slot == Slot::mask;
    const bool probs = record.site.slot == Slot::probs;
    EXPECT_EQ(gradients_->find(record.site) != nullptr, !scale && !mask && !probs) << name;
  }
}

// A ReLU after it has its corner about 0.015 above this number; steps of 0.14 and 0.28 do not see it.
TEST(FiniteDifferences, ACornerBesideTheNumberIsSeen) {
  const OpenedModel opened = must_open(model_path("marian"));
  const Fixture given = fixture("marian");
  const TracePointer trace = must_run(*opened.model, given.inputs.back(), given.options);
  const auto gradients = backward(trace, {targets_of(*trace), 0.1, 0});
  ASSERT_TRUE(gradients);
  const auto found = check_cell(**gradients, must_site("enc.blocks.0.attn.k"), {3, 9});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->analytic, found->measured, 3 * found->uncertainty) << "step " << found->step;
}

INSTANTIATE_TEST_SUITE_P(Models, Backwards, ::testing::ValuesIn(kModels),
                         [](const auto& model) { return model.param; });

TEST(BackwardRefuses, what_cannot_be_gone_through) {
  const OpenedModel opened = must_open(model_path("gpt2"));
  const TracePointer trace = must_run(*opened.model, {.ids = {1, 2, 3}});
  EXPECT_EQ(backward(trace, {{1, 2}, 0, 0}).error().sentence(), "There are 2 targets for 3 rows.");
  EXPECT_FALSE(backward(trace, {{1, 2, 1 << 20}, 0, 0}));
  EXPECT_EQ(backward(trace, {{-1, -1, -100}, 0, 0}).error().sentence(),
            "No row has a target, so there is no loss.");
  RunOptions last;
  last.keep = Keep::predictions;
  EXPECT_FALSE(backward(must_run(*opened.model, {.ids = {1, 2}}, last), {{1, 2}, 0, 0}));
}

}  // namespace
}  // namespace attnscope
