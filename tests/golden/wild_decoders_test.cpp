// Decoders as they are found: Llama, Mistral, Qwen2, Qwen3, Gemma, Gemma 2, GPT-NeoX and BLOOM with and
// without prefixes, with leftovers, in old and new spellings; and broken ones, each with its sentence.
#include "tests/golden/wild.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

class WildDecoders : public Wild {
 protected:
  std::vector<std::int64_t> windows(const CheckpointFolder& checkpoint) {
    std::vector<std::int64_t> out;
    const OpenedModel open = opened(checkpoint);
    for (const BlockSpec& block : open.model->config().blocks) out.push_back(block.attention.window);
    return out;
  }
};

using Windows = std::vector<std::int64_t>;

TEST_F(WildDecoders, without_the_prefix) {
  for (const char* model : {"gemma", "gemma2", "qwen3", "mistral"}) {
    CheckpointFolder checkpoint(model);
    checkpoint.rename("model.", "");
    expect_same(checkpoint, model);
  }
  CheckpointFolder neox("gpt_neox"), bloom("bloom");
  neox.rename("gpt_neox.", "");
  expect_same(neox, "gpt_neox");
  bloom.rename("transformer.", "");
  expect_same(bloom, "bloom");
}

TEST_F(WildDecoders, inside_a_larger_checkpoint) {
  for (const char* outside : {"language_model.model.", "model.language_model."}) {
    CheckpointFolder checkpoint("qwen3");
    checkpoint.rename("model.", outside);
    if (std::string(outside) == "language_model.model.")
      checkpoint.rename("lm_head", "language_model.lm_head");
    checkpoint.add("vision_tower.weight", {2, 2}, 1.f);
    expect_same(checkpoint, "qwen3");
  }
}

TEST_F(WildDecoders, without_a_language_model_head) {
  for (const auto& [model, head] : std::vector<std::pair<const char*, const char*>>{
           {"qwen3", "lm_head."}, {"mistral", "lm_head."}, {"gpt_neox", "embed_out."}}) {
    CheckpointFolder checkpoint(model);
    checkpoint.erase(head);
    const OpenedModel model_opened = opened(checkpoint);
    EXPECT_FALSE(model_opened.model->config().head.present) << model;
    const TracePointer trace = must_run(*model_opened.model, {kIds, {}});
    EXPECT_EQ(trace->find(must_site("logits")), nullptr) << model;
    EXPECT_NE(trace->find(must_site("ln_final.out")), nullptr) << model;
  }
}

TEST_F(WildDecoders, leftovers_are_left_alone) {
  CheckpointFolder neox("gpt_neox");
  for (const char* layer : {"0", "1"}) {
    const std::string base = std::string("gpt_neox.layers.") + layer + ".attention.";
    neox.tensors.push_back({base + "bias", "BOOL", {1, 1, 64, 64}, std::string(64 * 64, '\1')});
    neox.add(base + "masked_bias", {}, -1e9f);
    neox.add(base + "rotary_emb.inv_freq", {2}, 7.f);
  }
  expect_same(neox, "gpt_neox");
  CheckpointFolder gemma("gemma");
  gemma.add("model.layers.0.self_attn.rotary_emb.inv_freq", {8}, 7.f);
  gemma.add("model.rotary_emb.inv_freq", {8}, 7.f);
  RawTensor table = gemma.at("model.embed_tokens.weight");
  table.name = "lm_head.weight";  // written although it is the table
  gemma.tensors.push_back(table);
  expect_same(gemma, "gemma");
}

TEST_F(WildDecoders, missing_optional_fields) {
  const auto without = [&](const char* model, std::initializer_list<const char*> fields) {
    CheckpointFolder checkpoint(model);
    for (const char* field : fields) checkpoint.config.erase(field);
    expect_same(checkpoint, model);
  };
  without("gemma", {"tie_word_embeddings", "hidden_act", "rope_parameters", "attention_bias", "pad_token_id",
                    "bos_token_id", "eos_token_id", "rms_norm_eps", "architectures", "dtype"});
  without("gemma2", {"tie_word_embeddings", "hidden_act", "hidden_activation", "rope_parameters"});
  without("qwen3", {"tie_word_embeddings", "hidden_act", "sliding_window", "use_sliding_window"});
  without("gpt_neox", {"rotary_pct", "rotary_emb_base", "use_parallel_residual", "hidden_act",
                       "layer_norm_eps", "tie_word_embeddings"});
  without("mistral", {"head_dim", "hidden_act", "rope_parameters", "tie_word_embeddings"});
  without("bloom", {"tie_word_embeddings", "layer_norm_epsilon", "apply_residual_connection_post_layernorm"});
}

TEST_F(WildDecoders, the_gelu_of_old_gemma_configs) {
  CheckpointFolder checkpoint("gemma");
  checkpoint.config["hidden_act"] = "gelu";
  expect_same(checkpoint, "gemma");
  checkpoint.config["hidden_activation"] = nullptr;
  expect_same(checkpoint, "gemma");
  checkpoint.config["hidden_activation"] = "gelu_pytorch_tanh";
  expect_same(checkpoint, "gemma");
  checkpoint.config["hidden_activation"] = "gelu";  // said aloud
  EXPECT_EQ(opened(checkpoint).model->config().blocks[0].mlp.activation, Activation::gelu_exact);
}

TEST_F(WildDecoders, windows_of_gemma2) {
  CheckpointFolder checkpoint("gemma2");
  EXPECT_EQ(windows(checkpoint), (Windows{4, 0, 4, 0}));
  const Json slides = "sliding_attention", sees_all = "full_attention";
  checkpoint.config["layer_types"] = {slides, sees_all, slides, sees_all};
  expect_same(checkpoint, "gemma2");
  checkpoint.config["layer_types"] = {sees_all, sees_all, sees_all, slides};
  EXPECT_EQ(windows(checkpoint), (Windows{0, 0, 0, 4}));
  EXPECT_GT(max_abs_difference(logits_at(folder_ / "m"), logits_at(model_path("gemma2"))), 1e-2);
  checkpoint.config["layer_types"] = {slides, sees_all};
  expect_says(refusal(checkpoint), {"layer_types", "layer 2"});
  checkpoint.config["layer_types"] = {slides, "chunked_attention", slides, slides};
  expect_says(refusal(checkpoint), {"layer_types", "layer 1", "full_attention"});
  checkpoint.config.erase("layer_types");
  checkpoint.config.erase("sliding_window");
  EXPECT_EQ(windows(checkpoint), (Windows{4096, 0, 4096, 0}));
}

TEST_F(WildDecoders, caps_of_gemma2) {
  CheckpointFolder checkpoint("gemma2");
  checkpoint.config["attn_logit_softcapping"] = checkpoint.config["final_logit_softcapping"] = nullptr;
  const OpenedModel none = opened(checkpoint);
  EXPECT_EQ(none.model->config().blocks[0].attention.cap, 0.f);
  EXPECT_EQ(none.model->config().head.cap, 0.f);
  checkpoint.config.erase("attn_logit_softcapping");
  checkpoint.config.erase("final_logit_softcapping");
  checkpoint.config.erase("query_pre_attn_scalar");
  const OpenedModel silent = opened(checkpoint);
  EXPECT_EQ(silent.model->config().blocks[0].attention.cap, 50.f);
  EXPECT_EQ(silent.model->config().head.cap, 30.f);
  EXPECT_FLOAT_EQ(silent.model->config().blocks[0].attention.scale, 1.f / 16);
  checkpoint.config["final_logit_softcapping"] = -1;
  expect_says(refusal(checkpoint), {"final_logit_softcapping"});
  checkpoint.config["final_logit_softcapping"] = 30;
  checkpoint.config["query_pre_attn_scalar"] = 0;
  expect_says(refusal(checkpoint), {"query_pre_attn_scalar"});
}

TEST_F(WildDecoders, windows_of_mistral_and_qwen) {
  CheckpointFolder mistral("mistral"), qwen("qwen2"), qwen3("qwen3");
  mistral.config["sliding_window"] = nullptr;
  EXPECT_EQ(windows(mistral), (Windows{0, 0}));
  mistral.config.erase("sliding_window");
  EXPECT_EQ(windows(mistral), (Windows{4096, 4096}));
  for (CheckpointFolder* checkpoint : {&qwen, &qwen3}) {
    Json& config = checkpoint->config;
    config.erase("layer_types");
    config["sliding_window"] = 3;
    config["max_window_layers"] = 1;
    config["use_sliding_window"] = false;
    EXPECT_EQ(windows(*checkpoint), (Windows{0, 0}));
    config["use_sliding_window"] = true;
    EXPECT_EQ(windows(*checkpoint), (Windows{0, 3}));
    config["max_window_layers"] = 0;
    EXPECT_EQ(windows(*checkpoint), (Windows{3, 3}));
    config["layer_types"] = {"sliding_attention", "full_attention"};
    EXPECT_EQ(windows(*checkpoint), (Windows{3, 0}));
  }
}

TEST_F(WildDecoders, newer_spelling_of_partial_rotation) {
  CheckpointFolder checkpoint("gpt_neox_serial");
  checkpoint.config.erase("rotary_pct");
  checkpoint.config.erase("rotary_emb_base");
  checkpoint.config["rope_parameters"] = {
      {"rope_type", "default"}, {"rope_theta", 10000.0}, {"partial_rotary_factor", 0.5}};
  expect_same(checkpoint, "gpt_neox_serial");
  checkpoint.config["rope_parameters"].erase("partial_rotary_factor");
  checkpoint.config["partial_rotary_factor"] = 0.5;
  expect_same(checkpoint, "gpt_neox_serial");
  checkpoint.config["use_parallel_residual"] = true;
  checkpoint.write(folder_ / "m");
  EXPECT_GT(max_abs_difference(logits_at(folder_ / "m"), logits_at(model_path("gpt_neox_serial"))), 1e-2);
}

TEST_F(WildDecoders, half_precision_and_shards) {
  for (const char* model : {"gemma2", "qwen3", "gpt_neox", "bloom"}) {
    CheckpointFolder half(model), bfloat(model);
    half.to_half();
    expect_same(half, model, 0.05);
    EXPECT_EQ(opened(half).dtype, "F16") << model;
    bfloat.to_bfloat();
    expect_same(bfloat, model, 0.5);
    EXPECT_EQ(opened(bfloat).dtype, "BF16") << model;
    CheckpointFolder(model).write_sharded(folder_ / model);
    EXPECT_EQ(max_abs_difference(logits_at(folder_ / model), logits_at(model_path(model))), 0) << model;
  }
}

TEST_F(WildDecoders, named_by_the_architecture_alone) {
  for (const char* model : {"gemma", "gemma2", "qwen3", "gpt_neox", "mistral", "bloom"}) {
    CheckpointFolder checkpoint(model);
    const std::string family = opened(checkpoint).family;
    checkpoint.config.erase("model_type");
    EXPECT_EQ(opened(checkpoint).family, family);
    EXPECT_EQ(max_abs_difference(logits_at(folder_ / "m"), logits_at(model_path(model))), 0);
  }
}

TEST_F(WildDecoders, contradicting_shapes_name_the_tensor) {
  CheckpointFolder heads("qwen3");
  heads.config["head_dim"] = 12;
  expect_says(refusal(heads), {"model.layers.0.self_attn.q_proj.weight", "(64, 48)", "(48, 48)"});
  CheckpointFolder norms("qwen3");
  norms.at("model.layers.1.self_attn.k_norm.weight").shape = {4, 4};
  expect_says(refusal(norms), {"model.layers.1.self_attn.k_norm.weight", "(4, 4)", "(16)"});
  CheckpointFolder fused("gpt_neox");
  fused.at("gpt_neox.layers.1.attention.query_key_value.weight").shape = {64, 192};
  expect_says(refusal(fused), {"layers.1.attention.query_key_value.weight", "(64, 192)", "(192, 64)"});
  CheckpointFolder odd("gpt_neox");
  odd.config["num_attention_heads"] = 5;
  expect_says(refusal(odd), {"num_attention_heads"});
  CheckpointFolder behind("gemma2");
  behind.erase("layers.2.post_feedforward_layernorm");
  expect_says(refusal(behind), {"model.layers.2.post_feedforward_layernorm.weight", "(48)"});
  CheckpointFolder bloom("bloom");
  bloom.config["apply_residual_connection_post_layernorm"] = true;
  expect_says(refusal(bloom), {"apply_residual_connection_post_layernorm"});
}

}  // namespace
}  // namespace attnscope
