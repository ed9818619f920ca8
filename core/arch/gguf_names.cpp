#include "core/arch/gguf_names.h"

#include "core/base/text.h"

namespace attnscope {
namespace {

using Fix = GgufFix;
using GgufNames = std::vector<GgufName>;

GgufNames gguf_names_gpt2() {
  return {{"token_embd", "transformer.wte"},
          {"position_embd", "transformer.wpe"},
          {"output_norm", "transformer.ln_f"},
          {"output", "lm_head"},
          {"blk.{}.attn_norm", "transformer.h.{}.ln_1"},
          {"blk.{}.attn_qkv", "transformer.h.{}.attn.c_attn", Fix::transposed},
          {"blk.{}.attn_output", "transformer.h.{}.attn.c_proj", Fix::transposed},
          {"blk.{}.ffn_norm", "transformer.h.{}.ln_2"},
          {"blk.{}.ffn_up", "transformer.h.{}.mlp.c_fc", Fix::transposed},
          {"blk.{}.ffn_down", "transformer.h.{}.mlp.c_proj", Fix::transposed}};
}

// Llama's block and those of its relatives, without the norms.
GgufNames llama_matrices(Fix q_rows, Fix k_rows) {
  return {{"token_embd", "model.embed_tokens"},
          {"output", "lm_head"},
          {"blk.{}.attn_q", "model.layers.{}.self_attn.q_proj", q_rows},
          {"blk.{}.attn_k", "model.layers.{}.self_attn.k_proj", k_rows},
          {"blk.{}.attn_v", "model.layers.{}.self_attn.v_proj"},
          {"blk.{}.attn_output", "model.layers.{}.self_attn.o_proj"},
          {"blk.{}.ffn_gate", "model.layers.{}.mlp.gate_proj"},
          {"blk.{}.ffn_up", "model.layers.{}.mlp.up_proj"},
          {"blk.{}.ffn_down", "model.layers.{}.mlp.down_proj"}};
}

GgufNames with(GgufNames names, std::initializer_list<GgufName> more) {
  names.insert(names.end(), more);
  return names;
}

GgufNames llama() {
  return with(llama_matrices(Fix::q_rows, Fix::k_rows),
              {{"output_norm", "model.norm"},
               {"blk.{}.attn_norm", "model.layers.{}.input_layernorm"},
               {"blk.{}.ffn_norm", "model.layers.{}.post_attention_layernorm"}});
}

GgufNames qwen() {
  return with(llama_matrices(Fix::none, Fix::none),
              {{"output_norm", "model.norm"},
               {"blk.{}.attn_norm", "model.layers.{}.input_layernorm"},
               {"blk.{}.attn_q_norm", "model.layers.{}.self_attn.q_norm"},
               {"blk.{}.attn_k_norm", "model.layers.{}.self_attn.k_norm"},
               {"blk.{}.ffn_norm", "model.layers.{}.post_attention_layernorm"}});
}

GgufNames gguf_names_gemma() {
  return with(llama_matrices(Fix::none, Fix::none),
              {{"output_norm", "model.norm", Fix::plus_one},
               {"blk.{}.attn_norm", "model.layers.{}.input_layernorm", Fix::plus_one},
               {"blk.{}.ffn_norm", "model.layers.{}.post_attention_layernorm", Fix::plus_one}});
}

GgufNames gemma2() {
  return with(llama_matrices(Fix::none, Fix::none),
              {{"output_norm", "model.norm", Fix::plus_one},
               {"blk.{}.attn_norm", "model.layers.{}.input_layernorm", Fix::plus_one},
               {"blk.{}.post_attention_norm", "model.layers.{}.post_attention_layernorm", Fix::plus_one},
               {"blk.{}.ffn_norm", "model.layers.{}.pre_feedforward_layernorm", Fix::plus_one},
               {"blk.{}.post_ffw_norm", "model.layers.{}.post_feedforward_layernorm", Fix::plus_one}});
}

GgufNames gguf_names_bert() {
  return {{"token_embd", "bert.embeddings.word_embeddings"},
          {"position_embd", "bert.embeddings.position_embeddings"},
          {"token_types", "bert.embeddings.token_type_embeddings"},
          {"token_embd_norm", "bert.embeddings.LayerNorm"},
          {"blk.{}.attn_q", "bert.encoder.layer.{}.attention.self.query"},
          {"blk.{}.attn_k", "bert.encoder.layer.{}.attention.self.key"},
          {"blk.{}.attn_v", "bert.encoder.layer.{}.attention.self.value"},
          {"blk.{}.attn_output", "bert.encoder.layer.{}.attention.output.dense"},
          {"blk.{}.attn_output_norm", "bert.encoder.layer.{}.attention.output.LayerNorm"},
          {"blk.{}.ffn_up", "bert.encoder.layer.{}.intermediate.dense"},
          {"blk.{}.ffn_down", "bert.encoder.layer.{}.output.dense"},
          {"blk.{}.layer_output_norm", "bert.encoder.layer.{}.output.LayerNorm"}};
}

GgufNames gguf_names_gpt_neox() {
  return {{"token_embd", "gpt_neox.embed_in"},
          {"output_norm", "gpt_neox.final_layer_norm"},
          {"output", "embed_out"},
          {"blk.{}.attn_norm", "gpt_neox.layers.{}.input_layernorm"},
          {"blk.{}.attn_qkv", "gpt_neox.layers.{}.attention.query_key_value", Fix::qkv_rows},
          {"blk.{}.attn_output", "gpt_neox.layers.{}.attention.dense"},
          {"blk.{}.ffn_norm", "gpt_neox.layers.{}.post_attention_layernorm"},
          {"blk.{}.ffn_up", "gpt_neox.layers.{}.mlp.dense_h_to_4h"},
          {"blk.{}.ffn_down", "gpt_neox.layers.{}.mlp.dense_4h_to_h"}};
}

// "blk.12.attn_q" -> the layer's digits, with `pattern` "blk.{}.attn_q"; nothing where it does not fit.
std::optional<std::string> layer_in(std::string_view pattern, std::string_view name) {
  const std::size_t hole = pattern.find("{}");
  if (hole == std::string_view::npos) return pattern == name ? std::optional<std::string>("") : std::nullopt;
  const std::string_view before = pattern.substr(0, hole), after = pattern.substr(hole + 2);
  if (name.size() <= before.size() + after.size() || !starts_with(name, before) || !ends_with(name, after))
    return std::nullopt;
  const std::string_view digits = name.substr(before.size(), name.size() - before.size() - after.size());
  if (digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return std::string(digits);
}

}  // namespace

const std::vector<GgufArchitecture>& gguf_architecture_table() {
  static const std::vector<GgufArchitecture> table{{"gpt2", "gpt2", gguf_names_gpt2()},
                                                   {"llama", "llama", llama()},
                                                   {"mistral", "mistral", llama()},
                                                   {"qwen2", "qwen2", qwen()},
                                                   {"qwen3", "qwen3", qwen()},
                                                   {"gemma", "gemma", gguf_names_gemma()},
                                                   {"gemma2", "gemma2", gemma2()},
                                                   {"bert", "bert", gguf_names_bert()},
                                                   {"gptneox", "gpt_neox", gguf_names_gpt_neox()}};
  return table;
}

const GgufArchitecture* find_gguf_architecture(std::string_view name) {
  for (const GgufArchitecture& architecture : gguf_architecture_table())
    if (architecture.name == name) return &architecture;
  return nullptr;
}

std::optional<GgufTarget> gguf_target(const GgufArchitecture& architecture, std::string_view tensor) {
  const std::size_t dot = tensor.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  for (const GgufName& row : architecture.names) {
    const auto layer = layer_in(row.gguf, tensor.substr(0, dot));
    if (!layer) continue;
    std::string name(row.hugging_face);
    if (const std::size_t hole = name.find("{}"); hole != std::string::npos) name.replace(hole, 2, *layer);
    return GgufTarget{name + std::string(tensor.substr(dot)), row.fix};
  }
  return std::nullopt;
}

}  // namespace attnscope
