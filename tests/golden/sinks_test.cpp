// Attention sinks: a learned logit of each head beside every row's scores, whose share of the softmax no key
// gets. Every step against a loop in double, its numbers and gradients explained and measured, edits, runs
// that start from runs, and the names under which gpt-oss stores them.
#include <random>

#include "core/arch/scene_config.h"
#include "core/lens/row_off_one.h"
#include "core/model/gradient_provenance.h"
#include "core/model/gradients.h"
#include "core/train/trainer.h"
#include "core/view/view.h"
#include "tests/edits.h"
#include "tests/golden/explained.h"
#include "tests/golden/naive_model.h"
#include "tests/golden/wild.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

std::string key_of_sentence(const figure::Figure& figure) {
  return std::get<figure::WordsMark>(find_part(figure, "sentence")->mark).forms.front().key();
}

const Input kSinkInput{{1, 5, 2, 9, 0, 7, 7, 3}, {}};

Json sinks_json() {
  Json out{{"d_model", 12},
           {"vocab_size", 13},
           {"norm", {{"kind", "rms"}}},
           {"final_norm", {{"kind", "rms"}}},
           {"positions", {{"kind", "learned"}, {"max_positions", 16}}},
           {"mlp", {{"kind", "gated"}, {"activation", "silu"}, {"d_mlp", 20}}},
           {"attention", {{"n_heads", 4}, {"n_kv_heads", 2}, {"d_head", 4}}},
           {"head", {{"present", true}, {"tied", false}}}};
  const Json rope{{"kind", "rope"}, {"rope_theta", 10000}};
  out["blocks"] = {{{"attention", {{"sinks", true}, {"positions", rope}}}},
                   {{"attention", {{"positions", rope}}}},
                   {{"attention", {{"sinks", true}, {"window", 3}, {"positions", rope}}}}};
  return out;
}

// Seeded, and large enough that sinks take a part of every row that shows.
std::shared_ptr<const Model> sinks_model() {
  auto config = config_from_json(sinks_json(), "test");
  EXPECT_TRUE(config) << (config ? "" : config.error().text());
  Weights wide;
  std::mt19937 random(11);
  std::normal_distribution<float> normal(0.f, 0.5f);
  const Weights first = first_weights(*config, 5);
  for (const auto& [name, tensor] : first.all()) {
    std::vector<float> values = tensor.values();
    for (float& value : values) value += normal(random);
    Shape shape;
    for (int axis = 0; axis < tensor.rank(); ++axis) shape.emplace_back(tensor.axis(axis), tensor.size(axis));
    wide.set(name, Tensor::from(std::move(values), shape));
  }
  auto made = Model::make(*std::move(config), std::move(wide));
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  return *made;
}

std::shared_ptr<const Gradients> sinks_gradients(const TracePointer& trace) {
  Objective objective;
  objective.targets = {5, 2, 9, 0, 7, 7, 3, kNotCounted};
  const auto made = backward(trace, std::move(objective));
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  return *made;
}

TEST(Sinks, every_step_equals_a_loop_in_double) {
  const auto model = sinks_model();
  const TracePointer trace = must_run(*model, kSinkInput);
  const NaiveModel naive(*model);
  const auto logits = naive.logits(kSinkInput.ids);
  auto expected = naive.steps();
  expected["logits"] = logits;
  EXPECT_EQ(expected.size(), 1 + 3 * 10U);
  for (const auto& [name, rows] : expected) {
    const std::vector<float> found = must_tensor(*trace, name).values();
    std::vector<double> all;
    for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
    ASSERT_EQ(found.size(), all.size()) << name;
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_NEAR(static_cast<double>(found[i]), all[i], 2e-5 * (1 + std::fabs(all[i]))) << name << " " << i;
  }
}

TEST(Sinks, are_a_step_beside_the_scores_that_only_blocks_with_sinks_have) {
  const auto model = sinks_model();
  const TracePointer trace = must_run(*model, kSinkInput);
  EXPECT_EQ(trace->find(must_site("blocks.1.attn.sinks")), nullptr);
  for (const char* block : {"blocks.0.attn.", "blocks.2.attn."}) {
    const std::string base = block;
    const Tensor sinks = must_tensor(*trace, base + "sinks"), pattern = must_tensor(*trace, base + "pattern");
    const Tensor learned = model->weights().get(base + "sinks.weight");
    ASSERT_EQ(sinks.sizes(), (std::vector<std::int64_t>{4, 8, 1}));
    EXPECT_EQ(trace->index_of(must_site(base + "sinks")) + 1, trace->index_of(must_site(base + "pattern")));
    const AttentionState* state = trace->attention(must_site(base + "pattern"));
    for (std::int64_t head = 0; head < 4; ++head)
      for (std::int64_t query = 0; query < 8; ++query) {
        EXPECT_EQ(sinks.at(head, query, 0), learned.at(head));
        double sum = 0;
        for (std::int64_t key = 0; key < 8; ++key) sum += static_cast<double>(pattern.at(head, query, key));
        EXPECT_LT(sum, 1);
        EXPECT_NEAR(1 - sum, std::exp(static_cast<double>(learned.at(head) - state->lse.at(head, query))),
                    1e-6);
      }
  }
}

TEST(Sinks, explain_their_numbers) {
  const TracePointer trace = must_run(*sinks_model(), kSinkInput);
  expect_explained(*trace, 24);
  const auto why = explain(*trace, must_site("blocks.0.attn.pattern"), {1, 3, 2});
  ASSERT_TRUE(why);
  EXPECT_EQ(why->terms.size(), 9U) << "eight keys and the sink";
  EXPECT_EQ(why->terms.back().factors[0].name, "blocks.0.attn.sinks");
}

TEST(Sinks, gradients_are_measured_and_explained) {
  for (const char* changed :
       {"", "blocks.0.attn.masked[head=1,query=4,key=2]+=1",
        "blocks.2.attn.pattern[head=0,query=5,key=4]=0.5", "blocks.0.attn.scores[head=2,query=3-6]=mean",
        "blocks.0.attn.sinks[head=3]*=2"}) {
    SCOPED_TRACE(changed);
    RunOptions options;
    if (*changed != 0) options.edits.push_back(edit(changed));
    const auto gradients = sinks_gradients(must_run(*sinks_model(), kSinkInput, options));
    ASSERT_TRUE(gradients);
    const auto readers = gradient_readers(*gradients);
    const auto weights = gradients->weights();
    for (const char* base : {"blocks.0.attn.sinks", "blocks.2.attn.sinks"})
      for (std::int64_t head = 0; head < 4; ++head) {
        const auto by_weight = check_weight(*gradients, std::string(base) + ".weight", {head});
        ASSERT_TRUE(by_weight) << by_weight.error().text();
        EXPECT_NEAR(by_weight->analytic, by_weight->measured,
                    3e-5 + 0.01 * std::fabs(by_weight->measured) + 3 * by_weight->uncertainty);
        EXPECT_NE(weights.at(std::string(base) + ".weight").at(head), 0.f);
        for (const std::int64_t query : {0, 4, 5}) {
          const Site site = must_site(base);
          const auto by_cell = check_cell(*gradients, site, {head, query, 0});
          ASSERT_TRUE(by_cell) << by_cell.error().text();
          EXPECT_NEAR(by_cell->analytic, by_cell->measured,
                      1e-5 + 0.01 * std::fabs(by_cell->measured) + 3 * by_cell->uncertainty)
              << base << " " << head << " " << query;
          const auto why = explain_gradient(*gradients, readers.at(site), site, {head, query, 0});
          ASSERT_TRUE(why) << why.error().text();
          EXPECT_NEAR(why->result, why->recorded, 1e-6 + 1e-4 * std::fabs(why->recorded));
        }
      }
  }
}

TEST(Sinks, partial_runs_have_the_bits_of_full_ones) {
  const auto model = sinks_model();
  const TracePointer plain = must_run(*model, kSinkInput);
  for (const char* changed :
       {"blocks.0.attn.sinks[head=2,query=5]+=3", "blocks.2.attn.sinks=-2",
        "blocks.0.attn.scores[query=6]*=2", "blocks.2.attn.pattern[head=1,query=7,key=6]=1"}) {
    SCOPED_TRACE(changed);
    RunOptions full, partial;
    full.edits = partial.edits = {edit(changed)};
    partial.base = plain;
    const TracePointer a = must_run(*model, kSinkInput, full), b = must_run(*model, kSinkInput, partial);
    EXPECT_TRUE(a->unreached.empty());
    for (const Record& record : a->records())
      EXPECT_EQ(max_abs_difference(must_tensor(*a, record.site), must_tensor(*b, record.site)), 0)
          << to_text(record.site);
    EXPECT_GT(max_abs_difference(must_tensor(*a, "logits"), must_tensor(*plain, "logits")), 0);
  }
  Input longer = kSinkInput;
  longer.ids.push_back(4);
  RunOptions appended;
  appended.base = plain;
  const TracePointer a = must_run(*model, longer), b = must_run(*model, longer, appended);
  for (const Record& record : a->records())
    EXPECT_EQ(max_abs_difference(must_tensor(*a, record.site), must_tensor(*b, record.site)), 0)
        << to_text(record.site);
}

TEST(Sinks, what_rows_sum_to_is_read_off_the_run) {
  const auto model = sinks_model();
  const auto sums = [&](const char* changed, int head) {
    RunOptions options;
    if (*changed != 0) options.edits.push_back(edit(changed));
    const TracePointer trace = must_run(*model, kSinkInput, options);
    const Site pattern = must_site("blocks.0.attn.pattern");
    EXPECT_FALSE(row_off_one(*trace, pattern, head)) << "the sum is no edit's doing";
    EXPECT_FALSE(row_sums_with_sinks(*trace, must_site("blocks.1.attn.pattern")));
    EXPECT_FALSE(row_sums_with_sinks(*trace, must_site("blocks.0.attn.masked")));
    const Tensor cells = must_tensor(*trace, pattern);
    RowSums out{9, -9};
    for (std::int64_t of = head < 0 ? 0 : head; of < (head < 0 ? 4 : head + 1); ++of)
      for (std::int64_t row = 0; row < 8; ++row) {
        double sum = 0;
        for (std::int64_t key = 0; key < 8; ++key) sum += static_cast<double>(cells.at(of, row, key));
        out = {std::min(out.least, sum), std::max(out.most, sum)};
      }
    const auto found = row_sums_with_sinks(*trace, pattern, head);
    EXPECT_TRUE(found);
    EXPECT_NEAR(found->least, out.least, 1e-5) << changed;
    EXPECT_NEAR(found->most, out.most, 1e-5) << changed;
    return *found;
  };
  EXPECT_LT(sums("", -1).most, 1);
  EXPECT_LT(sums("blocks.0.attn.sinks[head=1]=-1", 1).most, 1);
  EXPECT_GT(sums("blocks.0.attn.pattern[head=1,query=3,key=1]=0.9", 1).most, 0.9);
  sums("blocks.0.attn.masked[head=1,query=2]+=3", 1);
}

// ---- as gpt-oss stores them -----------------------------------------------------------------------

class SinksOfGptOss : public Wild {
 protected:
  static CheckpointFolder folder() {
    CheckpointFolder out("llama");
    out.config["model_type"] = "gpt_oss";
    out.config["architectures"] = {"GptOssForCausalLM"};
    out.config["num_local_experts"] = 0;
    out.config["head_dim"] =
        out.config["hidden_size"].get<int>() / out.config["num_attention_heads"].get<int>();
    out.config["sliding_window"] = 4;
    const std::int64_t heads = out.config["num_attention_heads"].get<int>();
    for (int layer = 0; layer < out.config["num_hidden_layers"].get<int>(); ++layer)
      out.add("model.layers." + std::to_string(layer) + ".self_attn.sinks", {heads},
              0.25f * static_cast<float>(layer + 1));
    return out;
  }
};

TEST_F(SinksOfGptOss, are_read_by_the_names_of_the_library) {
  const CheckpointFolder checkpoint = folder();
  const OpenedModel model = opened(checkpoint);
  ASSERT_TRUE(model.model);
  EXPECT_EQ(model.family, "gpt-oss");
  EXPECT_TRUE(model.unused.empty());
  const ModelConfig& config = model.model->config();
  for (int layer = 0; layer < config.n_layers(); ++layer) {
    const auto& attention = config.blocks[static_cast<std::size_t>(layer)].attention;
    EXPECT_TRUE(attention.sinks);
    EXPECT_EQ(attention.window, layer % 2 == 0 ? 4 : 0);
    const Tensor sinks = model.model->weights().get("blocks." + std::to_string(layer) + ".attn.sinks.weight");
    ASSERT_EQ(sinks.sizes(), std::vector<std::int64_t>{attention.n_heads});
    EXPECT_EQ(sinks.at(0), 0.25f * static_cast<float>(layer + 1));
  }
  const TracePointer run = must_run(*model.model, {kIds, {}});
  expect_explained(*run, 6);
  // Rows that add up to less than 1 are no work of an edit, nor do their keys share 1 among them.
  ViewState state = first_state(model, run);
  const auto pattern = draw_view(**find_view("attention"), state);
  state.page = "softmax";
  const auto station = draw_view(**find_view("steps"), state);
  ASSERT_TRUE(pattern && station);
  EXPECT_EQ(key_of_sentence(*pattern), "figure.attention.sentence");
  EXPECT_EQ(key_of_sentence(*station), "figure.steps.softmax.sink");
  EXPECT_GT(max_abs_difference(logits_of(model), logits_at(model_path("llama"))), 1e-3);
}

TEST_F(SinksOfGptOss, are_missed_where_the_file_has_none) {
  CheckpointFolder checkpoint = folder();
  checkpoint.erase("layers.1.self_attn.sinks");
  expect_says(refusal(checkpoint), {"layers.1.self_attn.sinks"});
}

TEST_F(SinksOfGptOss, experts_are_refused_with_a_sentence) {
  CheckpointFolder checkpoint = folder();
  checkpoint.config["num_local_experts"] = 32;
  expect_says(refusal(checkpoint), {"32 experts"});
  checkpoint.config.erase("num_local_experts");
  expect_says(refusal(checkpoint), {"128 experts"});
}

}  // namespace
}  // namespace attnscope
