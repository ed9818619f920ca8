// The shipped scene against the nine steps of the literature, number by number.
#include "tests/golden/helpers.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

// Nested JSON lists as one list of numbers; true counts as 1.
void flatten(const Json& value, std::vector<double>& out) {
  if (value.is_array()) {
    for (const Json& part : value) flatten(part, out);
    return;
  }
  out.push_back(value.is_boolean() ? static_cast<double>(value.get<bool>()) : value.get<double>());
}

class NineSteps : public ::testing::Test {
 protected:
  void SetUp() override {
    reference_ = *read_json_file(source_path("tests/golden/nine_step_attention.json"));
    opened_ = must_open(source_path("assets/scenes/nine_steps.json"));
    ASSERT_TRUE(opened_.scene);
    ASSERT_EQ(opened_.scene->inputs.size(), 2u);
    for (const Input& input : opened_.scene->inputs) traces_.push_back(must_run(*opened_.model, input));
  }

  const Json& tensor_of(int step, const std::string& name) const {
    const Json& row = reference_["steps"][static_cast<std::size_t>(step - 1)];
    EXPECT_EQ(row["step"].get<int>(), step);
    return row["tensors"][name];
  }
  // One sequence of a step of the reference: shape and numbers.
  void expect_step(int step, const std::string& name, const std::string& site, bool heads_behind = false) {
    for (std::size_t sequence = 0; sequence < 2; ++sequence) {
      const Json& tensor = tensor_of(step, name);
      std::vector<double> expected;
      flatten(tensor["values"][sequence], expected);
      Tensor found = must_tensor(*traces_[sequence], "blocks.0.attn." + site);
      if (heads_behind) found = found.permute({1, 0, 2});  // [query, head, d_head]
      const auto shape = tensor["shape"].get<std::vector<std::int64_t>>();
      EXPECT_EQ(found.sizes(), std::vector<std::int64_t>(shape.begin() + 1, shape.end())) << site;
      const std::vector<float> values = found.values();
      ASSERT_EQ(values.size(), expected.size()) << site;
      for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_NEAR(static_cast<double>(values[i]), expected[i], 1e-6)
            << site << " sequence " << sequence << " #" << i;
    }
  }

  Json reference_;
  OpenedModel opened_;
  std::vector<TracePointer> traces_;
};

TEST_F(NineSteps, projection) {
  expect_step(1, "queries", "q");
  expect_step(1, "keys", "k");
  expect_step(1, "values", "v");
}

TEST_F(NineSteps, head_split) {
  expect_step(2, "queries", "view_q");
  expect_step(2, "keys", "view_k");
  expect_step(2, "values", "view_v");
}

TEST_F(NineSteps, transpose) {
  expect_step(3, "queries", "split_q");
  expect_step(3, "keys", "split_k");
  expect_step(3, "values", "split_v");
}

TEST_F(NineSteps, scores) { expect_step(4, "scores", "scores"); }

TEST_F(NineSteps, mask_comes_before_the_scale) {
  std::vector<double> masked;  // the reference says true where a pair is masked
  flatten(tensor_of(5, "mask")["values"], masked);
  for (const TracePointer& trace : traces_) {
    const Tensor mask = must_tensor(*trace, "blocks.0.attn.mask"),
                 scores = must_tensor(*trace, "blocks.0.attn.scores");
    const Tensor after = must_tensor(*trace, "blocks.0.attn.masked"),
                 scaled = must_tensor(*trace, "blocks.0.attn.scaled");
    ASSERT_EQ(static_cast<std::size_t>(mask.count()), masked.size());
    for (std::int64_t query = 0; query < 4; ++query) {
      for (std::int64_t key = 0; key < 4; ++key) {
        const bool hidden = masked[static_cast<std::size_t>(query * 4 + key)] == 1.0;
        EXPECT_EQ(mask.at(query, key), hidden ? 0.f : 1.f);
        for (std::int64_t head = 0; head < 2; ++head) {
          const float expected = hidden ? -INFINITY : scores.at(head, query, key);
          EXPECT_EQ(after.at(head, query, key), expected);
          EXPECT_EQ(scaled.at(head, query, key), expected);  // d_head is 1, so the factor is 1
        }
      }
    }
    EXPECT_LT(trace->index_of(must_site("blocks.0.attn.masked")),
              trace->index_of(must_site("blocks.0.attn.scaled")));
  }
}

TEST_F(NineSteps, scale_and_softmax) { expect_step(6, "weights", "pattern"); }

TEST_F(NineSteps, weighted_values) { expect_step(7, "context", "z", true); }

TEST_F(NineSteps, concat) { expect_step(8, "context", "concat"); }

TEST_F(NineSteps, output_projection) { expect_step(9, "output", "out"); }

}  // namespace
}  // namespace attnscope
