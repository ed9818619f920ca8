// Checkpoints as they are found, made from the fixtures: with and without prefixes, leftover buffers, old
// spellings, half precision, shards; and broken ones, each with the sentence a person gets.
#include "tests/golden/wild.h"

#include <limits>

namespace attnscope {
namespace {

using namespace attnscope::testing;

TEST_F(Wild, gpt2_without_the_prefix) {
  CheckpointFolder checkpoint("gpt2");
  checkpoint.rename("transformer.", "");
  expect_same(checkpoint, "gpt2");
}

TEST_F(Wild, llama_base_model_without_prefix_and_head) {
  CheckpointFolder checkpoint("qwen2");
  checkpoint.rename("model.", "");
  expect_same(checkpoint, "qwen2");
  CheckpointFolder headless("llama");
  headless.rename("model.", "");
  std::erase_if(headless.tensors, [](const RawTensor& t) { return t.name == "lm_head.weight"; });
  headless.write(folder_ / "base");
  const OpenedModel opened = must_open(folder_ / "base");
  EXPECT_FALSE(opened.model->config().head.present);
  const TracePointer trace = must_run(*opened.model, {kIds, {}});
  EXPECT_EQ(trace->find(must_site("logits")), nullptr);
  EXPECT_NE(trace->find(must_site("ln_final.out")), nullptr);
}

TEST_F(Wild, leftover_buffers_are_left_alone) {
  CheckpointFolder gpt2("gpt2");
  for (const char* layer : {"0", "1", "2"}) {
    const std::string base = std::string("transformer.h.") + layer + ".attn.";
    gpt2.tensors.push_back({base + "bias", "U8", {1, 1, 64, 64}, std::string(64 * 64, '\1')});
    gpt2.tensors.push_back({base + "masked_bias", "F32", {}, bytes_of(std::vector<float>{-1e4f})});
  }
  expect_same(gpt2, "gpt2");
  CheckpointFolder llama("llama");
  llama.tensors.push_back({"model.rotary_emb.inv_freq", "F32", {4}, bytes_of(std::vector<float>(4, 7.f))});
  llama.tensors.push_back(
      {"model.layers.0.self_attn.rotary_emb.inv_freq", "F32", {4}, bytes_of(std::vector<float>(4, 7.f))});
  expect_same(llama, "llama");
}

TEST_F(Wild, old_spellings_of_gpt2) {
  CheckpointFolder checkpoint("gpt2");
  checkpoint.config = {{"architectures", {"GPT2LMHeadModel"}},
                       {"n_ctx", 64},
                       {"n_embd", 48},
                       {"n_head", 4},
                       {"n_layer", 3},
                       {"vocab_size", 199},
                       {"layer_norm_epsilon", 1e-5},
                       {"n_inner", nullptr}};
  expect_same(checkpoint, "gpt2");
  checkpoint.config["model_type"] = "gpt2";
  checkpoint.config["num_attention_heads"] = 4;
  checkpoint.config.erase("n_head");
  expect_same(checkpoint, "gpt2");
}

TEST_F(Wild, missing_optional_fields_of_llama) {
  CheckpointFolder checkpoint("llama");
  for (const char* field :
       {"head_dim", "hidden_act", "tie_word_embeddings", "attention_bias", "mlp_bias", "bos_token_id",
        "eos_token_id", "rope_parameters", "architectures", "pad_token_id", "use_cache", "dtype"})
    checkpoint.config.erase(field);
  expect_same(checkpoint, "llama");
}

TEST_F(Wild, biases_that_the_config_denies_are_refused) {
  for (const auto& [name, key] :
       {std::pair{"self_attn.q_proj", "attention_bias"}, {"mlp.up_proj", "mlp_bias"}}) {
    CheckpointFolder checkpoint("llama");
    const std::string tensor = std::string("model.layers.1.") + name;
    checkpoint.add(tensor + ".bias", {checkpoint.at(tensor + ".weight").shape[0]}, 1.f);
    checkpoint.config[key] = false;
    expect_says(refusal(checkpoint), {key, name});
    checkpoint.config[key] = true;
    const OpenedModel with = opened(checkpoint);
    EXPECT_GT(max_abs_difference(logits_of(with), logits_at(model_path("llama"))), 1e-3) << key;
  }
}

TEST_F(Wild, rope_of_older_and_newer_configs) {
  CheckpointFolder older("llama3"), newer("llama3");
  older.config.erase("rope_parameters");
  older.config["rope_theta"] = 20000.0;
  newer.config["rope_parameters"] = {{"rope_type", "linear"}, {"factor", 4.0}, {"rope_theta", 20000.0}};
  for (const char* key : {"type", "rope_type"}) {
    older.config["rope_scaling"] = {{key, "linear"}, {"factor", 4.0}};
    older.write(folder_ / "old");
    newer.write(folder_ / "new");
    EXPECT_EQ(max_abs_difference(logits_at(folder_ / "old"), logits_at(folder_ / "new")), 0);
  }
  EXPECT_GT(max_abs_difference(logits_at(folder_ / "old"), logits_at(model_path("llama3"))), 1e-2);
  CheckpointFolder scaled("llama3");
  scaled.config["rope_scaling"] = scaled.config["rope_parameters"];
  scaled.config["rope_theta"] = scaled.config["rope_scaling"]["rope_theta"];
  scaled.config["rope_scaling"].erase("rope_theta");
  scaled.config.erase("rope_parameters");
  expect_same(scaled, "llama3");
}

TEST_F(Wild, per_layer_scale_options_of_gpt2) {
  CheckpointFolder checkpoint("gpt2");
  checkpoint.config["scale_attn_weights"] = false;
  checkpoint.config["scale_attn_by_inverse_layer_idx"] = true;
  checkpoint.write(folder_ / "m");
  const OpenedModel opened = must_open(folder_ / "m");
  for (int layer = 0; layer < 3; ++layer)
    EXPECT_FLOAT_EQ(opened.model->config().blocks[static_cast<std::size_t>(layer)].attention.scale,
                    1.f / static_cast<float>(layer + 1));
}

TEST_F(Wild, untied_head_of_gpt2) {
  CheckpointFolder checkpoint("gpt2");
  checkpoint.config["tie_word_embeddings"] = false;
  RawTensor head = checkpoint.at("transformer.wte.weight");
  head.name = "lm_head.weight";
  for (std::size_t i = 0; i < head.bytes.size(); i += 4) {
    float value = 0;
    std::memcpy(&value, head.bytes.data() + i, 4);
    value *= 2;
    std::memcpy(head.bytes.data() + i, &value, 4);
  }
  checkpoint.tensors.push_back(head);
  checkpoint.write(folder_ / "m");
  const Tensor doubled = logits_at(folder_ / "m"), plain = logits_at(model_path("gpt2"));
  EXPECT_LE(max_abs_difference(doubled, scale(plain, 2.f)), 1e-5);
}

TEST_F(Wild, half_precision_copy) {
  CheckpointFolder checkpoint("llama");
  checkpoint.to_half();
  expect_same(checkpoint, "llama", 0.05);
  EXPECT_EQ(must_open(folder_ / "m").dtype, "F16");
  EXPECT_GT(max_abs_difference(logits_at(folder_ / "m"), logits_at(model_path("llama"))), 0);
}

TEST_F(Wild, shards_with_an_index) {
  CheckpointFolder("qwen2").write_sharded(folder_ / "m");
  EXPECT_EQ(max_abs_difference(logits_at(folder_ / "m"), logits_at(model_path("qwen2"))), 0);
  std::filesystem::remove(folder_ / "m/model-00002-of-00003.safetensors");
  const auto opened = open_model(folder_ / "m");
  ASSERT_FALSE(opened);
  expect_says(opened.error(), {"model-00002-of-00003.safetensors"});
}

TEST_F(Wild, opened_by_any_file_of_the_folder) {
  const Tensor whole = logits_at(model_path("gpt2"));
  EXPECT_EQ(max_abs_difference(logits_at(model_path("gpt2/config.json")), whole), 0);
  EXPECT_EQ(max_abs_difference(logits_at(model_path("gpt2/model.safetensors")), whole), 0);
  EXPECT_EQ(max_abs_difference(logits_at(model_path("gpt2/")), whole), 0);
}

TEST_F(Wild, a_wrong_shape_names_the_tensor_and_both_shapes) {
  CheckpointFolder checkpoint("llama");
  checkpoint.config["intermediate_size"] = 80;
  expect_says(refusal(checkpoint), {"model.layers.0.mlp.gate_proj.weight", "(88, 48)", "(80, 48)"});
  CheckpointFolder gpt2("gpt2");
  gpt2.config["n_positions"] = 128;
  expect_says(refusal(gpt2), {"transformer.wpe.weight", "(64, 48)", "(128, 48)"});
  CheckpointFolder heads("llama");
  heads.config["num_key_value_heads"] = 4;
  expect_says(refusal(heads), {"self_attn.k_proj.weight", "(16, 48)", "(32, 48)"});
}

TEST_F(Wild, a_missing_tensor_is_named) {
  CheckpointFolder checkpoint("gpt2");
  std::erase_if(checkpoint.tensors,
                [](const RawTensor& t) { return t.name == "transformer.h.1.mlp.c_fc.weight"; });
  expect_says(refusal(checkpoint), {"transformer.h.1.mlp.c_fc.weight", "(48, 192)"});
}

TEST_F(Wild, unknown_architectures_hear_which_are_known) {
  CheckpointFolder checkpoint("gpt2");
  checkpoint.config["model_type"] = "mamba";
  expect_says(refusal(checkpoint), {"mamba", "gpt2", "llama", "qwen2"});
  checkpoint.config.erase("model_type");
  checkpoint.config.erase("architectures");
  expect_says(refusal(checkpoint), {"model_type", "gpt2"});
  CheckpointFolder longrope("llama3");
  longrope.config["rope_parameters"]["rope_type"] = "longrope";
  expect_says(refusal(longrope), {"longrope", "linear", "dynamic", "llama3", "yarn"});
}

TEST_F(Wild, absurd_configs_are_refused_before_anything_is_allocated) {
  for (const auto& [field, value] : std::vector<std::pair<const char*, Json>>{{"n_layer", 1e9},
                                                                              {"n_layer", 0},
                                                                              {"n_layer", 4000},
                                                                              {"n_embd", -48},
                                                                              {"n_head", 5},
                                                                              {"vocab_size", 2147483648.0},
                                                                              {"n_positions", "many"},
                                                                              {"layer_norm_epsilon", {1, 2}},
                                                                              {"activation_function", "mish"},
                                                                              {"n_inner", 1.5}}) {
    CheckpointFolder checkpoint("gpt2");
    checkpoint.config[field] = value;
    const Error error = refusal(checkpoint);
    EXPECT_FALSE(error.sentence().empty()) << field;
    EXPECT_FALSE(error.hint().empty()) << field;
  }
}

TEST_F(Wild, nan_weights_run_and_are_located) {
  CheckpointFolder checkpoint("gpt2");
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  std::memcpy(checkpoint.at("transformer.h.1.mlp.c_fc.weight").bytes.data() + (3 * 192 + 7) * 4, &nan, 4);
  std::memcpy(checkpoint.at("transformer.h.2.ln_1.weight").bytes.data(), &inf, 4);
  checkpoint.write(folder_ / "m");
  const OpenedModel opened = must_open(folder_ / "m");
  const WeightHealth health = weight_health(opened.model->weights());
  EXPECT_EQ(health.nans, 1);
  EXPECT_EQ(health.infs, 1);
  EXPECT_EQ(health.first, "blocks.1.mlp.pre.weight[3, 7]");
  const TracePointer trace = must_run(*opened.model, {kIds, {}});
  EXPECT_EQ(stats(must_tensor(*trace, "blocks.1.resid_mid")).nans, 0);
  EXPECT_EQ(stats(must_tensor(*trace, "blocks.1.mlp.pre")).nans, static_cast<std::int64_t>(kIds.size()));
}

TEST_F(Wild, inputs_that_do_not_fit) {
  const OpenedModel opened = must_open(model_path("llama"));
  const auto refused = [&](std::vector<int> ids) {
    const auto trace = opened.model->run({std::move(ids), {}});
    EXPECT_FALSE(trace);
    return trace ? Error{} : trace.error();
  };
  expect_says(refused({}), {"empty"});
  expect_says(refused({1, 2, 199}), {"199", "position 2", "vocabulary of 199"});
  expect_says(refused({-1}), {"-1"});
  const auto beyond = must_open(model_path("gpt2")).model->run({std::vector<int>(65, 1), {}});
  ASSERT_FALSE(beyond) << "a learned table of positions ends";
  expect_says(beyond.error(), {"65", "64"});
  expect_says(open_model(folder_ / "none").error(), {"none"});
  std::filesystem::create_directories(folder_ / "empty");
  expect_says(open_model(folder_ / "empty").error(), {"config.json"});
}

}  // namespace
}  // namespace attnscope
