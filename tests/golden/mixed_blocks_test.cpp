// A model whose blocks differ: heads, head widths, windows, RoPE bases, a block without positions, one with
// ALiBi beside learned positions, kinds and widths of MLPs, norms. Its logits against a loop in double, its
// numbers explained, its gradients against finite differences, its cache, its costs, its config written and
// read.
#include <random>

#include "core/arch/save_model.h"
#include "core/arch/scene_config.h"
#include "core/calc/calculation.h"
#include "core/calc/counted.h"
#include "core/calc/sizes.h"
#include "core/model/gradients.h"
#include "core/train/trainer.h"
#include "tests/golden/explained.h"
#include "tests/golden/naive_model.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

Json block_of(Json attention, Json mlp, const char* norm) {
  return {{"attention", std::move(attention)}, {"mlp", std::move(mlp)}, {"norm", {{"kind", norm}}}};
}

Json mixed_json() {
  const Json local{
      {"kind", "rope"}, {"rope_theta", 50}, {"partial_rotary_factor", 0.5}, {"interleaved", true}};
  Json out{{"d_model", 8},
           {"vocab_size", 13},
           {"norm", {{"kind", "rms"}}},
           {"final_norm", {{"kind", "rms"}}},
           {"attention", {{"n_heads", 4}, {"d_head", 4}}},
           {"positions", {{"kind", "learned"}, {"max_positions", 16}}},
           {"head", {{"present", true}, {"tied", false}}}};
  out["blocks"] = {
      block_of({{"n_kv_heads", 2}, {"positions", {{"kind", "rope"}, {"rope_theta", 10000}}}},
               {{"kind", "plain"}, {"activation", "silu"}, {"d_mlp", 12}}, "rms"),
      block_of({{"n_heads", 2}, {"n_kv_heads", 1}, {"d_head", 4}, {"window", 3}, {"positions", local}},
               {{"kind", "gated"}, {"activation", "silu"}, {"d_mlp", 20}}, "rms"),
      block_of({{"n_heads", 1}, {"d_head", 6}}, {{"kind", "none"}}, "layer"),
      block_of({{"n_heads", 4}, {"d_head", 2}, {"positions", {{"kind", "alibi"}}}},
               {{"kind", "gated"}, {"activation", "silu"}, {"d_mlp", 6}}, "layer")};
  return out;
}

ModelConfig mixed_config() {
  auto out = config_from_json(mixed_json(), "test");
  EXPECT_TRUE(out) << (out ? "" : out.error().text());
  return out ? *out : ModelConfig{};
}

std::shared_ptr<const Model> mixed_model() {
  ModelConfig config = mixed_config();
  Weights weights = first_weights(config, 5), wider;
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0.f, 0.4f);
  for (const auto& [name, tensor] : weights.all()) {  // larger numbers, so that every part matters
    std::vector<float> values = tensor.values();
    for (float& value : values) value += normal(random);
    Shape shape;
    for (int axis = 0; axis < static_cast<int>(tensor.sizes().size()); ++axis)
      shape.emplace_back(tensor.axis(axis), tensor.size(axis));
    wider.set(name, Tensor::from(std::move(values), shape));
  }
  auto made = Model::make(std::move(config), std::move(wider));
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  return *made;
}

const Input kMixedIds{{1, 5, 2, 9, 0, 7, 7, 3}, {}};

TEST(MixedBlocks, are_read_as_the_config_says) {
  const ModelConfig config = mixed_config();
  ASSERT_EQ(config.n_layers(), 4);
  EXPECT_EQ(config.position.kind, PositionSpec::Kind::learned);
  using Does = AttentionPosition::Kind;
  const Does kinds[] = {Does::rope, Does::rope, Does::none, Does::alibi};
  const int heads[] = {4, 2, 1, 4}, kv_heads[] = {2, 1, 1, 4}, widths[] = {4, 4, 6, 2};
  for (std::size_t i = 0; i < 4; ++i) {
    const AttentionSpec& a = config.blocks[i].attention;
    EXPECT_EQ(a.position.kind, kinds[i]) << i;
    EXPECT_EQ(a.n_heads, heads[i]) << i;
    EXPECT_EQ(a.n_kv_heads, kv_heads[i]) << i;
    EXPECT_EQ(a.d_head, widths[i]) << i;
    EXPECT_EQ(a.window, i == 1 ? 3 : 0) << i;
  }
  EXPECT_EQ(config.blocks[0].attention.position.rope.theta, 10000);
  EXPECT_EQ(config.blocks[1].attention.position.rope.theta, 50);
  EXPECT_EQ(config.blocks[1].attention.position.rope.rotary_dims, 2);
}

TEST(MixedBlocks, logits_equal_a_loop_in_double) {
  const auto model = mixed_model();
  const TracePointer trace = must_run(*model, kMixedIds);
  const Tensor logits = must_tensor(*trace, trace->main(Slot::logits));
  const std::vector<std::vector<double>> expected = NaiveModel(*model).logits(kMixedIds.ids);
  for (std::size_t pos = 0; pos < expected.size(); ++pos)
    for (std::size_t id = 0; id < expected[pos].size(); ++id)
      EXPECT_NEAR(logits.at(static_cast<std::int64_t>(pos), static_cast<std::int64_t>(id)), expected[pos][id],
                  2e-5)
          << pos << " " << id;
}

TEST(MixedBlocks, explain_their_numbers) { expect_explained(*must_run(*mixed_model(), kMixedIds), 12); }

TEST(MixedBlocks, gradients_agree_with_finite_differences) {
  const auto model = mixed_model();
  Objective objective;
  objective.targets = {5, 2, 9, 0, 7, 7, 3, kNotCounted};
  const auto made = backward(must_run(*model, kMixedIds), std::move(objective));
  ASSERT_TRUE(made) << made.error().text();
  const Gradients& gradients = **made;
  std::mt19937 random(7);
  const auto some_cell = [&](const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> out;
    for (const std::int64_t size : shape)
      out.push_back(std::uniform_int_distribution<std::int64_t>(0, size - 1)(random));
    return out;
  };
  const auto expect_close = [](const FiniteDifference& found, const Tensor& of, const std::string& what) {
    const Stats seen = stats(of);
    const double size =
        std::max(std::fabs(static_cast<double>(seen.min)), std::fabs(static_cast<double>(seen.max)));
    EXPECT_NEAR(found.analytic, found.measured, 0.005 * size + 3 * found.uncertainty) << what;
  };
  for (const Record& record : gradients.records()) {
    const auto cell = some_cell(record.shape);
    if (record.site.slot == Slot::logits || std::isinf(gradients.trace().cell(record.site, cell))) continue;
    const auto found = check_cell(gradients, record.site, cell);
    ASSERT_TRUE(found) << found.error().text();
    expect_close(*found, record.derived ? gradients.slice(record.site, 0, {0, 99}, {0, 99}) : record.value(),
                 to_text(record.site));
  }
  const auto grads = gradients.weights();
  for (const std::string& name : parameters(model->config(), model->weights())) {
    ASSERT_TRUE(grads.contains(name)) << name;
    const Tensor& gradient = grads.at(name);
    const auto found = check_weight(gradients, name, some_cell(gradient.sizes()));
    ASSERT_TRUE(found) << found.error().text();
    expect_close(*found, gradient, name);
  }
}

TEST(MixedBlocks, token_by_token_equals_one_run) {
  const auto model = mixed_model();
  const TracePointer whole = must_run(*model, kMixedIds);
  RunOptions options;
  options.keep = Keep::predictions;
  options.base = *model->run({{1, 5}, {}}, options);
  for (std::ptrdiff_t i = 2; i < std::ssize(kMixedIds.ids); ++i) {
    const Input input{{kMixedIds.ids.begin(), kMixedIds.ids.begin() + i + 1}, {}};
    EXPECT_EQ(model->cone(input, options)->block_rows(), 4) << "one row in each block";
    options.base = *model->run(input, options);
    EXPECT_LE(max_abs_difference(options.base->logits_row(i), whole->logits_row(i)), 1e-5) << i;
  }
}

TEST(MixedBlocks, an_edit_in_the_middle_shares_the_blocks_before_it) {
  const auto model = mixed_model();
  RunOptions options;
  options.base = must_run(*model, kMixedIds);
  options.edits = {*parse_edit("blocks.2.attn.z*=0")};
  EXPECT_EQ(model->cone(kMixedIds, options)->block_rows(), 2 * std::ssize(kMixedIds.ids));
  const auto part = *model->run(kMixedIds, options);
  options.base = nullptr;
  const auto full = *model->run(kMixedIds, options);
  EXPECT_EQ(max_abs_difference(must_tensor(*part, part->main(Slot::logits)),
                               must_tensor(*full, full->main(Slot::logits))),
            0);
}

TEST(MixedBlocks, costs_are_what_the_core_counts) {
  const auto model = mixed_model();
  const Described it = describe_model("mixed", "scene", model->config(), model->weights());
  const std::int64_t n = 3;  // no more than the window, beyond which the core keeps rows as well
  const auto counted = count_run(*model, n);
  ASSERT_TRUE(counted) << counted.error().text();
  Workload work;
  work.seq = n;
  work.dtype = work.cache = *format_named("f32");
  EXPECT_EQ(parameters(it).total.value(), counted->parameters.value());
  EXPECT_EQ(kv_cache(it, work).total().value(), counted->cache_bytes.value());
  EXPECT_EQ(kv_cache(it, work).total().value(), n * 2 * 4 * (2 * 4 + 1 * 4 + 1 * 6 + 4 * 2));
  const ForwardCost cost = forward_cost(it, work);
  EXPECT_EQ(cost.prefill.matrices.value(), counted->prefill.matrices.value());
  work.seq =
      n + 1;  // the decoded token attends to itself as well; in the block with a window to two before it
  const Flops decode = forward_cost(it, work).decode;
  EXPECT_EQ(decode.matrices.value(), counted->decode.matrices.value());
  EXPECT_EQ(decode.unembedding.value(), counted->decode.unembedding.value());
  EXPECT_EQ(decode.attention.value(), 4 * (4 * 4 * 4 + 2 * 4 * 3 + 1 * 6 * 4 + 4 * 2 * 4));
  EXPECT_GE(counted->decode.attention.value(), decode.attention.value());
  EXPECT_LE(counted->decode.attention.value(), decode.attention.value() + 4 * 2 * 4);
}

TEST(MixedBlocks, a_size_that_is_changed_leaves_the_others_as_they_are) {
  const auto model = mixed_model();
  const Described it = describe_model("mixed", "scene", model->config(), model->weights());
  Sizes sizes = sizes_of(it);
  set_size(sizes, "vocab", 40);
  const auto larger = resized(it, sizes);
  ASSERT_TRUE(larger) << larger.error().text();
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(larger->config.blocks[i].attention.n_heads, it.config.blocks[i].attention.n_heads) << i;
    EXPECT_EQ(larger->config.blocks[i].attention.n_kv_heads, it.config.blocks[i].attention.n_kv_heads) << i;
    EXPECT_EQ(larger->config.blocks[i].attention.d_head, it.config.blocks[i].attention.d_head) << i;
  }
  EXPECT_EQ(larger->config.vocab_size, 40);
  Workload work;
  work.seq = 8;
  work.cache = *format_named("f32");
  const CacheForms forms = cache_forms(it, work);
  EXPECT_EQ(forms.mqa.value(), 2 * 4 * (8 * 4 + 3 * 4 + 8 * 6 + 8 * 2));
  EXPECT_EQ(forms.mha.value(), 2 * 4 * (4 * 8 * 4 + 2 * 3 * 4 + 8 * 6 + 4 * 8 * 2));
}

TEST(MixedBlocks, are_written_and_read_again) {
  const auto model = mixed_model();
  const Json written = config_to_json(model->config());
  const auto again = config_from_json(written, "written");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(config_to_json(*again).dump(), written.dump());
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(again->blocks[i].attention.position, model->config().blocks[i].attention.position) << i;
  const TempFolder folder;
  const Status saved = save_model(folder / "m", "attnscope", *model, Json::object());
  ASSERT_TRUE(saved) << saved.error().text();
  const OpenedModel opened = must_open(folder / "m");
  const TracePointer before = must_run(*model, kMixedIds), after = must_run(*opened.model, kMixedIds);
  EXPECT_EQ(max_abs_difference(must_tensor(*before, before->main(Slot::logits)),
                               must_tensor(*after, after->main(Slot::logits))),
            0);
}

TEST(MixedBlocks, are_refused_by_layouts_that_state_a_value_once) {
  const auto model = mixed_model();
  for (const char* layout : {"gpt2", "llama", "bert"}) {
    const Status saved = can_save(layout, *model);
    ASSERT_FALSE(saved) << layout;
    EXPECT_EQ(saved.error().code(), Code::unsupported) << layout;
  }
  EXPECT_EQ(*fitting_layout("llama", *model), "attnscope");
}

TEST(MixedBlocks, share_one_table_of_distances_or_are_refused) {
  Json json = mixed_json();
  const Json buckets{{"kind", "buckets"}, {"buckets", 8}, {"max_distance", 16}};
  json["blocks"][0]["attention"]["positions"] = json["blocks"][3]["attention"]["positions"] = buckets;
  const auto config = config_from_json(json, "test");  // both have 4 heads
  ASSERT_TRUE(config) << config.error().text();
  const auto model = Model::make(*config, first_weights(*config, 2));
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_EQ((*model)->weights().get("rel_bias.weight").sizes(), (std::vector<std::int64_t>{8, 4}));
  expect_explained(*must_run(**model, kMixedIds), 4);
  json["blocks"][2]["attention"]["positions"] = buckets;  // 1 head
  const auto other = config_from_json(json, "test");
  ASSERT_TRUE(other);
  EXPECT_EQ(Model::make(*other, first_weights(*other, 2)).error().what().key(), "error.model.one_table");
}

}  // namespace
}  // namespace attnscope
