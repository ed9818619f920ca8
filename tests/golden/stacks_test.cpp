// Models of several stacks as they are found: other spellings of their tensors, tables of their own, parts
// left out; and what they write token by token against running everything anew for each token.
#include <algorithm>

#include "core/sample/sampler.h"
#include "tests/golden/checkpoint.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

class Stacks : public ::testing::Test {
 protected:
  // The logits of the first sequence of `original`'s reference.
  static Tensor logits(const OpenedModel& opened, const std::string& original) {
    if (!opened.model) return {};
    const Fixture reference = fixture(original);
    const TracePointer trace = must_run(*opened.model, reference.inputs[0], reference.options);
    return trace ? must_tensor(*trace, trace->main(Slot::logits)) : Tensor();
  }
  Tensor logits_of(const CheckpointFolder& checkpoint, const std::string& original) {
    checkpoint.write(folder_ / "m");
    return logits(must_open(folder_ / "m"), original);
  }
  void expect_same(const CheckpointFolder& checkpoint, const std::string& original, double tolerance = 0) {
    EXPECT_LE(max_abs_difference(logits_of(checkpoint, original),
                                 logits(must_open(model_path(original)), original)),
              tolerance);
  }
  Error refusal(const CheckpointFolder& checkpoint) {
    checkpoint.write(folder_ / "m");
    const auto opened = open_model(folder_ / "m");
    EXPECT_FALSE(opened);
    return opened ? Error{} : opened.error();
  }
  TempFolder folder_;
};

void replace_in_names(CheckpointFolder& checkpoint, const std::string& from, const std::string& to) {
  for (RawTensor& tensor : checkpoint.tensors)
    if (const std::size_t at = tensor.name.find(from); at != std::string::npos)
      tensor.name.replace(at, from.size(), to);
}

void erase(CheckpointFolder& checkpoint, const std::string& begin) {
  std::erase_if(checkpoint.tensors, [&](const RawTensor& tensor) { return starts_with(tensor.name, begin); });
}

RawTensor table(const std::string& name, const Tensor& values) {
  return {name, "F32", values.sizes(), bytes_of(values.values())};
}

TEST_F(Stacks, without_the_prefix_of_the_base_model) {
  for (const char* model : {"bart", "marian"}) {
    CheckpointFolder checkpoint(model);
    checkpoint.rename("model.", "");
    expect_same(checkpoint, model);
  }
  CheckpointFolder vit("vit");
  vit.rename("vit.", "");
  expect_same(vit, "vit");
}

TEST_F(Stacks, the_table_of_tokens_under_either_name) {
  for (const char* model : {"bart", "marian", "t5"}) {
    const std::string base = std::string(model) == "t5" ? "" : "model.";
    for (const char* name : {"encoder.embed_tokens", "decoder.embed_tokens"}) {
      CheckpointFolder checkpoint(model);
      checkpoint.rename(base + "shared", base + name);
      expect_same(checkpoint, model);
    }
  }
}

TEST_F(Stacks, a_broken_number_of_a_shared_table_is_counted_once) {
  for (const char* model : {"marian", "t5"}) {
    CheckpointFolder checkpoint(model);
    const std::string name = std::string(model) == "t5" ? "shared.weight" : "model.shared.weight";
    const float broken = NAN;
    std::memcpy(checkpoint.at(name).bytes.data() + (3 * 48 + 7) * sizeof broken, &broken, sizeof broken);
    checkpoint.write(folder_ / model);
    const WeightHealth health = weight_health(must_open(folder_ / model).model->weights());
    EXPECT_EQ(health.nans, 1) << model;
    EXPECT_EQ(health.first, "dec.tok_embed.weight[3, 7]") << model;
  }
}

TEST_F(Stacks, marian_with_tables_of_its_own) {
  CheckpointFolder checkpoint("marian");
  checkpoint.config["share_encoder_decoder_embeddings"] = false;
  checkpoint.config["tie_word_embeddings"] = false;
  const RawTensor shared = checkpoint.at("model.shared.weight");
  erase(checkpoint, "model.shared");
  for (const char* name :
       {"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight"})
    checkpoint.tensors.push_back({name, shared.dtype, shared.shape, shared.bytes});
  expect_same(checkpoint, "marian");
  // Each is read where it belongs: other numbers in one of them give other logits.
  for (std::size_t i = 0; i < 3; ++i) {
    CheckpointFolder changed = checkpoint;
    std::string& bytes = changed.tensors[changed.tensors.size() - 1 - i].bytes;
    std::rotate(bytes.begin(), bytes.begin() + 48 * 4, bytes.end());  // each token has its neighbour's row
    EXPECT_GT(max_abs_difference(logits_of(changed, "marian"), logits_of(checkpoint, "marian")), 1e-2) << i;
  }
}

TEST_F(Stacks, marian_with_stored_positions) {
  const Tensor formula = sinusoidal_positions(0, 64, 48, true);
  CheckpointFolder checkpoint("marian");
  for (const char* stack : {"encoder", "decoder"})
    checkpoint.tensors.push_back(table("model." + std::string(stack) + ".embed_positions.weight", formula));
  expect_same(checkpoint, "marian");
  EXPECT_EQ(must_open(folder_ / "m").model->config().position.kind, PositionSpec::Kind::sinusoidal);
  checkpoint.tensors.back() =
      table("model.decoder.embed_positions.weight", formula.with_value({1, 3}, 0.25f));
  checkpoint.write(folder_ / "own");
  const ModelConfig own = must_open(folder_ / "own").model->config();
  EXPECT_EQ(own.position.kind, PositionSpec::Kind::learned);
  EXPECT_EQ(own.encoder()->position.kind, PositionSpec::Kind::sinusoidal);
}

TEST_F(Stacks, bart_as_mbart_norms_before) {
  CheckpointFolder checkpoint("bart");
  checkpoint.config["model_type"] = "mbart";
  EXPECT_NE(refusal(checkpoint).sentence().find("encoder.layer_norm.weight"), std::string::npos);
  for (const char* stack : {"encoder", "decoder"})
    for (const char* part : {".layer_norm.weight", ".layer_norm.bias"})
      checkpoint.tensors.push_back(table("model." + std::string(stack) + part,
                                         Tensor::filled({{Axis::d_model, 48}}, part[12] == 'w' ? 1.f : 0.f)));
  checkpoint.write(folder_ / "m");
  const OpenedModel opened = must_open(folder_ / "m");
  const TracePointer trace = must_run(*opened.model, fixture("bart").inputs[0]);
  EXPECT_EQ(trace->config().blocks[0].order, NormOrder::pre);
  EXPECT_NE(trace->find(must_site("dec.ln_final.out")), nullptr);
  EXPECT_NE(trace->find(must_site("enc.ln_final.out")), nullptr);
}

TEST_F(Stacks, a_head_that_is_no_vocabulary_is_left_out) {
  CheckpointFolder checkpoint("bart");
  checkpoint.tensors.push_back(
      table("classification_head.dense.weight", Tensor::filled({{Axis::out, 48}, {Axis::in, 48}}, 0.f)));
  checkpoint.write(folder_ / "m");
  EXPECT_FALSE(must_open(folder_ / "m").model->config().head.present);
}

TEST_F(Stacks, t5_scales_its_tied_head_where_the_config_does_not_say_otherwise) {
  CheckpointFolder checkpoint("t5");
  const Tensor plain = logits_of(checkpoint, "t5");
  checkpoint.config.erase("scale_decoder_outputs");
  const Tensor scaled = logits_of(checkpoint, "t5");
  for (std::int64_t id = 0; id < plain.size(1); ++id)
    EXPECT_NEAR(scaled.at(3, id), plain.at(3, id) / std::sqrt(48.f), 1e-5) << id;
}

TEST_F(Stacks, t5_with_a_head_of_its_own_and_without_gates) {
  CheckpointFolder checkpoint("t5");
  checkpoint.config["feed_forward_proj"] = "relu";
  checkpoint.config["dense_act_fn"] = "relu";
  checkpoint.config["tie_word_embeddings"] = false;
  checkpoint.config.erase("scale_decoder_outputs");
  RawTensor head = checkpoint.at("shared.weight");
  head.name = "lm_head.weight";
  checkpoint.tensors.push_back(head);
  std::erase_if(checkpoint.tensors,
                [](const RawTensor& t) { return t.name.find("wi_1") != std::string::npos; });
  replace_in_names(checkpoint, "wi_0", "wi");
  checkpoint.write(folder_ / "m");
  const OpenedModel opened = must_open(folder_ / "m");
  const TracePointer trace = must_run(*opened.model, fixture("t5").inputs[0]);
  const Tensor pre = must_tensor(*trace, "dec.blocks.1.mlp.pre"),
               post = must_tensor(*trace, "dec.blocks.1.mlp.post");
  for (std::int64_t i = 0; i < pre.size(1); ++i) EXPECT_EQ(post.at(2, i), std::max(0.f, pre.at(2, i)));
  EXPECT_EQ(opened.model->config().head.scale, 1.f);
  EXPECT_FALSE(opened.model->config().head.tied);
}

TEST_F(Stacks, t5_encoders_alone) {
  CheckpointFolder checkpoint("t5");
  erase(checkpoint, "decoder.");
  checkpoint.write(folder_ / "m");
  const OpenedModel opened = must_open(folder_ / "m"), whole = must_open(model_path("t5"));
  const Input both = fixture("t5").inputs[1];
  Input alone;
  alone.ids = both.source;
  alone.attention_mask = both.source_attention_mask;
  const TracePointer mine = must_run(*opened.model, alone), theirs = must_run(*whole.model, both);
  EXPECT_EQ(max_abs_difference(must_tensor(*mine, "ln_final.out"), must_tensor(*theirs, "enc.ln_final.out")),
            0);
  EXPECT_FALSE(generate(*opened.model, alone, 3, {}));
}

TEST_F(Stacks, vit_with_new_spellings_and_without_a_classifier) {
  CheckpointFolder checkpoint("vit");
  replace_in_names(checkpoint, "encoder.layer.", "layers.");
  replace_in_names(checkpoint, "attention.attention.query", "attention.q_proj");
  replace_in_names(checkpoint, "attention.attention.key", "attention.k_proj");
  replace_in_names(checkpoint, "attention.attention.value", "attention.v_proj");
  replace_in_names(checkpoint, "attention.output.dense", "attention.o_proj");
  replace_in_names(checkpoint, "intermediate.dense", "mlp.fc1");
  replace_in_names(checkpoint, "output.dense", "mlp.fc2");
  expect_same(checkpoint, "vit");
  const OpenedModel labelled = must_open(folder_ / "m");
  ASSERT_EQ(labelled.output_names.size(), 7u);
  EXPECT_EQ(labelled.output_names[6], "LABEL_6");
  erase(checkpoint, "classifier");
  checkpoint.write(folder_ / "base");
  const TracePointer trace = must_run(*must_open(folder_ / "base").model, fixture("vit").inputs[0]);
  EXPECT_EQ(trace->find(must_site("logits")), nullptr);
  EXPECT_EQ(must_tensor(*trace, "ln_final.out").size(0), 17);
}

TEST_F(Stacks, images_that_patches_do_not_divide_are_refused) {
  CheckpointFolder checkpoint("vit");
  checkpoint.config["image_size"] = 30;
  EXPECT_NE(refusal(checkpoint).sentence().find("30 x 30"), std::string::npos);
  checkpoint.config["image_size"] = Json::array({32, -1});
  EXPECT_NE(refusal(checkpoint).sentence().find("image_size"), std::string::npos);
}

TEST_F(Stacks, paligemma_in_all_its_spellings) {
  CheckpointFolder first("paligemma_prefix");
  first.rename("vision_tower.", "vision_tower.vision_model.");
  expect_same(first, "paligemma_prefix");
  CheckpointFolder later("paligemma_prefix");
  later.rename("language_model.model.", "model.language_model.");
  later.rename("vision_tower.", "model.vision_tower.vision_model.");
  later.rename("multi_modal_projector.", "model.multi_modal_projector.");
  expect_same(later, "paligemma_prefix");
  later.config["image_token_id"] = 130;
  later.config.erase("image_token_index");
  later.config["text_config"].erase("head_dim");  // 256 in configs that are silent
  EXPECT_NE(refusal(later).sentence().find("q_proj"), std::string::npos);
  later.config["text_config"]["model_type"] = "gpt9";
  EXPECT_NE(refusal(later).sentence().find("gpt9"), std::string::npos);
}

TEST_F(Stacks, image_and_prompt_are_named_where_the_input_does_not_say) {
  const OpenedModel opened = must_open(model_path("paligemma_prefix"));
  Input input = fixture("paligemma_prefix").inputs[0];
  input.spans.clear();
  const TracePointer trace = must_run(*opened.model, input);
  const Tensor pattern = must_tensor(*trace, "blocks.1.attn.pattern");  // [head, query, key]
  EXPECT_GT(pattern.at(0, 0, 10), 0.f);                                 // all of it is prompt now
  const std::vector<Span> spans{{"image", 0, 4}, {"prompt", 4, 11}};
  EXPECT_EQ(trace->input.spans, spans);
}

class Writes : public ::testing::TestWithParam<std::string> {};

// The most likely word that the model may say, everything run anew for each.
std::vector<int> slowly(const Model& model, Input input, std::size_t count) {
  std::vector<int> out;
  while (out.size() < count) {
    const TracePointer trace = must_run(model, input);
    const Tensor row = without_suppressed(model.config(), trace->logits_row(trace->length - 1));
    int best = 0;
    for (int id = 1; id < static_cast<int>(row.size(0)); ++id)
      if (row.at(id) > row.at(best)) best = id;
    out.push_back(best);
    if (best == model.config().eos) break;
    input.ids.push_back(best);
  }
  return out;
}

TEST_P(Writes, with_a_cache_what_it_writes_without) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  const Fixture reference = fixture(GetParam());
  for (Input input : reference.inputs) {
    const bool across = opened.model->config().encoder() != nullptr;
    if (across) input.ids.clear();
    const auto made = generate(*opened.model, input, 10, {0.f, 0, 1.f, 0});
    ASSERT_TRUE(made) << made.error().text();
    if (across) input.ids = {opened.model->config().decoder_start};
    input.attention_mask.clear();
    EXPECT_EQ(made->ids, slowly(*opened.model, input, 10));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Writes, ::testing::Values("bart", "marian", "t5", "paligemma_prefix"),
                         [](const auto& model) { return model.param; });

TEST(Writes, never_the_padding_of_marian) {
  CheckpointFolder checkpoint("marian");
  std::string& bias = checkpoint.at("final_logits_bias").bytes;
  const float loud = 100.f;
  std::memcpy(bias.data() + 198 * sizeof(float), &loud, sizeof loud);
  TempFolder folder;
  checkpoint.write(folder / "m");
  const OpenedModel opened = must_open(folder / "m");
  Input input = fixture("marian").inputs[0];
  input.ids.clear();
  const TracePointer trace = must_run(*opened.model, fixture("marian").inputs[0]);
  EXPECT_GT(trace->logits_row(0).at(198), 50.f);
  const auto made = generate(*opened.model, input, 8, {0.f, 0, 1.f, 0});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(std::count(made->ids.begin(), made->ids.end(), 198), 0);
  const auto drawn = generate(*opened.model, input, 8, {1.f, 0, 1.f, 5});
  EXPECT_EQ(std::count(drawn->ids.begin(), drawn->ids.end(), 198), 0);
}

TEST(Writes, padding_of_a_prompt_is_taken_away) {
  const OpenedModel opened = must_open(model_path("paligemma_prefix"));
  const Fixture reference = fixture("paligemma_prefix");
  const auto wanted = generate(*opened.model, reference.inputs[0], 5, {0.f, 0, 1.f, 0});
  Input padded = reference.inputs[0];
  padded.ids.insert(padded.ids.begin(), {0, 0});
  padded.attention_mask.assign(padded.ids.size(), 1);
  padded.attention_mask[0] = padded.attention_mask[1] = 0;
  for (Span& span : padded.spans) span.begin += 2, span.end += 2;
  const auto made = generate(*opened.model, padded, 5, {0.f, 0, 1.f, 0});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->ids, wanted->ids);
}

}  // namespace
}  // namespace attnscope
