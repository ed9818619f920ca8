// "Why this number?" for random cells of every step of every family and of the scene: the explanation
// recomputes the recorded number, and names nothing that the catalog does not promise.
#include "core/trace/provenance.h"

#include "tests/golden/explained.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

class Provenance : public ::testing::TestWithParam<std::string> {};

TEST_P(Provenance, explains_every_step) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  const Fixture reference = fixture(GetParam());
  for (const Input& input : reference.inputs)
    expect_explained(*must_run(*opened.model, input, reference.options));
}

TEST_P(Provenance, explains_a_decode_step) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  if (!opened.model->config().blocks.front().attention.causal || opened.model->config().sees())
    GTEST_SKIP() << "only causal text models decode token by token";
  Input input = fixture(GetParam()).inputs[0];
  input.attention_mask.clear();
  const std::vector<int> ids = input.ids;
  RunOptions options;
  input.ids = {ids.begin(), ids.begin() + 6};
  options.base = must_run(*opened.model, input);
  input.ids = {ids.begin(), ids.begin() + 7};
  const TracePointer trace = must_run(*opened.model, input, options);
  for (const Record& record : trace->records()) {
    std::vector<std::int64_t> index(record.shape.size(), 0);
    for (std::size_t d = 0; d < index.size(); ++d)
      if (record.axes[d] == Axis::pos || record.axes[d] == Axis::query) index[d] = record.shape[d] - 1;
    const auto why = explain(*trace, record.site, index);
    ASSERT_TRUE(why) << to_text(record.site);
    EXPECT_LE(gap(why->result, why->recorded), 1e-5 + 1e-4 * std::fabs(why->recorded))
        << to_text(record.site);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Provenance, ::testing::ValuesIn(kModels),
                         [](const auto& model) { return model.param; });

TEST(Provenance, explains_the_scene) {
  const OpenedModel opened = must_open(source_path("assets/scenes/nine_steps.json"));
  for (const Input& input : opened.scene->inputs) expect_explained(*must_run(*opened.model, input));
}

TEST(Provenance, refuses_cells_that_are_not_there) {
  const OpenedModel opened = must_open(source_path("assets/scenes/nine_steps.json"));
  const TracePointer trace = must_run(*opened.model, opened.scene->inputs[0]);
  const Site q = must_site("blocks.0.attn.q");
  EXPECT_EQ(explain(*trace, q, {4, 0}).error().code(), Code::out_of_range);
  EXPECT_EQ(explain(*trace, q, {-1, 0}).error().code(), Code::out_of_range);
  EXPECT_EQ(explain(*trace, q, {0}).error().code(), Code::out_of_range);
  EXPECT_EQ(explain(*trace, must_site("logits"), {0, 0}).error().code(), Code::not_found);
}

}  // namespace
}  // namespace attnscope
