// Writes a checkpoint of Hugging Face as the GGUF that llama.cpp's conversion makes of it: its names, its
// keys, reordered rows for interleaved rotation, transposed and regrouped matrices, norms with 1 added.
#pragma once

#include <map>

#include "tests/golden/checkpoint.h"
#include "tests/golden/gguf_writer.h"

namespace attnscope::testing {

class GgufCheckpoint {
 public:
  explicit GgufCheckpoint(const CheckpointFolder& from, std::string architecture = {})
      : config_(from.config), type_(from.config["model_type"]), arch_(std::move(architecture)) {
    if (arch_.empty()) arch_ = type_ == "mistral" ? "llama" : type_ == "gpt_neox" ? "gptneox" : type_;
    entries();
    for (const RawTensor& tensor : from.tensors) add(tensor);
    if (rope("rope_type", "default") == Json("llama3"))
      writer.floats("rope_freqs.weight", {pairs()}, llama3_factors());
  }

  GgufWriter writer;

 private:
  Json setting(std::initializer_list<const char*> keys, const Json& fallback) const {
    for (const char* key : keys)
      if (config_.contains(key) && !config_[key].is_null()) return config_[key];
    return fallback;
  }
  Json rope(const char* key, const Json& fallback) const {
    return config_.contains("rope_parameters") ? config_["rope_parameters"].value(key, fallback) : fallback;
  }
  std::int64_t heads() const { return setting({"num_attention_heads", "n_head"}, 1); }
  std::int64_t width() const { return setting({"hidden_size", "n_embd"}, 1); }
  std::int64_t d_head() const { return setting({"head_dim"}, width() / heads()); }
  std::int64_t pairs() const { return d_head() / 2; }

  void count(const std::string& key, const Json& value) {
    if (!value.is_null()) writer.number(arch_ + "." + key, value.get<std::uint32_t>());
  }
  void real(const std::string& key, const Json& value) {
    if (!value.is_null()) writer.real(arch_ + "." + key, value.get<float>());
  }
  void entries() {
    writer.text("general.architecture", arch_);
    count("context_length", setting({"max_position_embeddings", "n_positions"}, nullptr));
    count("embedding_length", width());
    count("block_count", setting({"num_hidden_layers", "n_layer"}, 1));
    count("feed_forward_length", setting({"intermediate_size", "n_inner"}, 4 * width()));
    count("attention.head_count", heads());
    count("attention.head_count_kv", setting({"num_key_value_heads"}, nullptr));
    if (type_ != "gpt2" && type_ != "bert" && type_ != "gpt_neox") {
      count("attention.key_length", d_head());
      count("rope.dimension_count", d_head());
      real("rope.freq_base", rope("rope_theta", 10000.0));
    }
    if (type_ == "gpt_neox") {
      const double share =
          setting({"rotary_pct", "partial_rotary_factor"}, rope("partial_rotary_factor", 1.0));
      count("rope.dimension_count", static_cast<int>(share * static_cast<double>(d_head())));
      writer.flag(arch_ + ".use_parallel_residual", setting({"use_parallel_residual"}, true));
    }
    if (rope("rope_type", "default") == Json("yarn")) {
      writer.text(arch_ + ".rope.scaling.type", "yarn");
      real("rope.scaling.factor", rope("factor", 1.0));
      count("rope.scaling.original_context_length", rope("original_max_position_embeddings", 1));
      real("rope.scaling.yarn_beta_fast", rope("beta_fast", 32.0));
      real("rope.scaling.yarn_beta_slow", rope("beta_slow", 1.0));
    }
    count("attention.sliding_window", setting({"sliding_window"}, nullptr));
    real("attn_logit_softcapping", setting({"attn_logit_softcapping"}, nullptr));
    real("final_logit_softcapping", setting({"final_logit_softcapping"}, nullptr));
    real("attention.layer_norm_rms_epsilon", setting({"rms_norm_eps"}, nullptr));
    real("attention.layer_norm_epsilon", setting({"layer_norm_epsilon", "layer_norm_eps"}, nullptr));
  }

  // Hugging Face's parts of names, and what they are called in GGUF; the first that fits counts.
  std::string renamed(std::string name) const {
    const std::vector<std::pair<std::string, std::string>> parts{
        {"bert.encoder.layer.", "blk."},
        {"transformer.h.", "blk."},
        {"model.layers.", "blk."},
        {"gpt_neox.layers.", "blk."},
        {"transformer.wte", "token_embd"},
        {"transformer.wpe", "position_embd"},
        {"transformer.ln_f", "output_norm"},
        {"model.embed_tokens", "token_embd"},
        {"model.norm", "output_norm"},
        {"lm_head", "output"},
        {"gpt_neox.embed_in", "token_embd"},
        {"gpt_neox.final_layer_norm", "output_norm"},
        {"embed_out", "output"},
        {"bert.embeddings.word_embeddings", "token_embd"},
        {"bert.embeddings.position_embeddings", "position_embd"},
        {"bert.embeddings.token_type_embeddings", "token_types"},
        {"bert.embeddings.LayerNorm", "token_embd_norm"},
        {".attention.self.query", ".attn_q"},
        {".attention.self.key", ".attn_k"},
        {".attention.self.value", ".attn_v"},
        {".attention.output.dense", ".attn_output"},
        {".attention.output.LayerNorm", ".attn_output_norm"},
        {".intermediate.dense", ".ffn_up"},
        {".output.dense", ".ffn_down"},
        {".output.LayerNorm", ".layer_output_norm"},
        {".attn.c_attn", ".attn_qkv"},
        {".attn.c_proj", ".attn_output"},
        {".mlp.c_fc", ".ffn_up"},
        {".mlp.c_proj", ".ffn_down"},
        {".ln_1", ".attn_norm"},
        {".ln_2", ".ffn_norm"},
        {".input_layernorm", ".attn_norm"},
        {".attention.query_key_value", ".attn_qkv"},
        {".attention.dense", ".attn_output"},
        {".mlp.dense_h_to_4h", ".ffn_up"},
        {".mlp.dense_4h_to_h", ".ffn_down"},
        {".self_attn.q_proj", ".attn_q"},
        {".self_attn.k_proj", ".attn_k"},
        {".self_attn.v_proj", ".attn_v"},
        {".self_attn.o_proj", ".attn_output"},
        {".self_attn.q_norm", ".attn_q_norm"},
        {".self_attn.k_norm", ".attn_k_norm"},
        {".mlp.gate_proj", ".ffn_gate"},
        {".mlp.up_proj", ".ffn_up"},
        {".mlp.down_proj", ".ffn_down"},
        {".pre_feedforward_layernorm", ".ffn_norm"},
        {".post_feedforward_layernorm", ".post_ffw_norm"},
        {".post_attention_layernorm", type_ == "gemma2" ? ".post_attention_norm" : ".ffn_norm"}};
    for (const auto& [from, to] : parts)
      if (const std::size_t at = name.find(from); at != std::string::npos) name.replace(at, from.size(), to);
    return name;
  }

  void add(RawTensor tensor) {
    if (ends_with(tensor.name, "inv_freq") || starts_with(tensor.name, "cls.") ||
        tensor.name.find("pooler") != std::string::npos)
      return;
    std::vector<float> values(tensor.bytes.size() / sizeof(float));
    std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    const std::int64_t rows = tensor.shape[0], cols = tensor.shape.size() > 1 ? tensor.shape[1] : 1;
    const std::string name = renamed(tensor.name);
    const bool llama_rows = type_ == "llama" || type_ == "mistral";
    if (type_ == "gpt2" && tensor.shape.size() == 2 && starts_with(name, "blk.")) {
      values = moved(rows * cols, values, 1, [&](std::int64_t i) { return i % rows * cols + i / rows; });
      std::swap(tensor.shape[0], tensor.shape[1]);
    } else if (llama_rows && name.find(".attn_q.") != std::string::npos) {
      values = paired(rows, values, cols, heads());
    } else if (llama_rows && name.find(".attn_k.") != std::string::npos) {
      values = paired(rows, values, cols, setting({"num_key_value_heads"}, heads()));
    } else if (type_ == "gpt_neox" && name.find(".attn_qkv.") != std::string::npos) {
      const std::int64_t d = rows / heads() / 3;
      values = moved(rows, values, cols, [&](std::int64_t row) {
        const std::int64_t part = row / (heads() * d), head = row / d % heads();
        return (head * 3 + part) * d + row % d;
      });
    } else if (starts_with(type_, "gemma") && name.find("norm") != std::string::npos) {
      for (float& value : values) value += 1.f;
    }
    writer.floats(name, tensor.shape, values);
  }

  // Row r of the result is row from(r).
  template <class From>
  static std::vector<float> moved(std::int64_t rows, const std::vector<float>& values, std::int64_t cols,
                                  From from) {
    std::vector<float> out;
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t col = 0; col < cols; ++col)
        out.push_back(values[static_cast<std::size_t>(from(row) * cols + col)]);
    return out;
  }
  // [head, 2, half] -> [head, half, 2]
  static std::vector<float> paired(std::int64_t rows, const std::vector<float>& values, std::int64_t cols,
                                   std::int64_t heads) {
    const std::int64_t d = rows / heads;
    return moved(rows, values, cols, [d](std::int64_t row) {
      const std::int64_t head = row / d, pair = row % d / 2, half = row % 2;
      return head * d + half * (d / 2) + pair;
    });
  }

  // What the frequencies are divided by (llama.cpp writes these instead of the settings of the scaling).
  std::vector<float> llama3_factors() const {
    const double theta = rope("rope_theta", 10000.0), factor = rope("factor", 1.0),
                 low = rope("low_freq_factor", 1.0), high = rope("high_freq_factor", 4.0),
                 original = rope("original_max_position_embeddings", 8192.0);
    std::vector<float> factors;
    for (std::int64_t i = 0; i < pairs(); ++i) {
      const double wavelength =
          2 * M_PI * std::pow(theta, static_cast<double>(2 * i) / static_cast<double>(d_head()));
      const double smooth = std::clamp((original / wavelength - low) / (high - low), 0.0, 1.0);
      factors.push_back(static_cast<float>(1 / ((1 - smooth) / factor + smooth)));
    }
    return factors;
  }

  Json config_;
  std::string type_, arch_;
};

}  // namespace attnscope::testing
