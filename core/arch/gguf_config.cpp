// GGUF metadata as a config.json with Hugging Face's keys.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/arch/config_reader.h"
#include "core/arch/gguf_model.h"
#include "core/arch/gguf_names.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

// Entries of one architecture; keeps the first problem.
class Entries {
 public:
  Entries(const Gguf& file, std::string prefix) : file_(file), prefix_(std::move(prefix) + ".") {}

  // A whole number; of an array that holds one for each layer, the one that all share.
  std::optional<std::int64_t> integer(const char* key) {
    const GgufValue* value = file_.find(prefix_ + key);
    if (!value) return std::nullopt;
    if (const auto all = value->numbers(); all && !all->empty()) {
      if (std::any_of(all->begin(), all->end(), [&](double n) { return n != all->front(); }))
        refuse(Code::unsupported, key, "error.arch.gguf.differs");
      return static_cast<std::int64_t>(all->front());
    }
    const auto number = value->integer();
    if (!number) refuse(Code::bad_format, key, "error.arch.gguf.no_whole");
    return number;
  }
  std::int64_t required(const char* key) {
    const auto value = integer(key);
    if (!value) refuse(Code::bad_format, key, "error.arch.gguf.missing");
    return value.value_or(1);
  }
  std::optional<double> number(const char* key) {
    const GgufValue* value = file_.find(prefix_ + key);
    if (!value) return std::nullopt;
    const auto number = value->number();
    if (!number) refuse(Code::bad_format, key, "error.arch.gguf.no_number");
    return number;
  }
  std::string text(const char* key) const {
    const GgufValue* value = file_.find(prefix_ + key);
    return value ? std::string(value->text().value_or("")) : "";
  }
  std::optional<bool> flag(const char* key) const {
    const GgufValue* value = file_.find(prefix_ + key);
    return value ? value->flag() : std::nullopt;
  }
  /// `sentence`: a key of the tables whose {0} is the file and {1} the name of the metadata.
  void refuse(Code code, const std::string& key, std::string_view sentence,
              const std::vector<Text>& more = {}) {
    std::vector<Text> arguments{file_.what, in_quotes(prefix_ + key)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (!error_) error_ = fail(code, sentence, std::move(arguments));
  }
  Status status() const {
    if (error_) return *error_;
    return Done{};
  }

 private:
  const Gguf& file_;
  std::string prefix_;
  std::optional<Error> error_;
};

template <class T>
void set(Json& config, const char* key, const std::optional<T>& value) {
  if (value) config[key] = *value;
}

// Factors by which the rotary frequencies are divided, one for each pair (Llama 3's scaling, written out).
Result<Json> frequency_factors(const Gguf& file) {
  if (is_integer(file.tensors->find("rope_freqs.weight")->dtype))
    return fail(Code::bad_format, "error.arch.gguf.factors", {file.what});
  TRY(const Tensor factors, file.tensors->load("rope_freqs.weight"));
  Json list = Json::array();
  for (const float factor : factors.values()) list.push_back(static_cast<double>(factor));
  return list;
}

// The number of rotated features of a head of `d_head`. `all`: any other number is an error.
void set_turned(Entries& entries, std::int64_t d_head, bool all, Json& rope) {
  constexpr const char* kKey = "rope.dimension_count";
  const auto rotated = entries.integer(kKey);
  if (!rotated || d_head < 1) return;
  if (*rotated < 1 || *rotated > d_head || *rotated % 2 != 0)
    entries.refuse(Code::out_of_range, kKey, "error.arch.gguf.rotated_pairs", {*rotated, d_head});
  else if (all && *rotated != d_head)
    entries.refuse(Code::unsupported, kKey, "error.arch.gguf.rotated_part", {*rotated, d_head});
  else
    rope["partial_rotary_factor"] = rotary_share(*rotated, d_head);
}

Status set_rope(const Gguf& file, Entries& entries, Json& config) {
  Json rope{{"rope_type", "default"}, {"rope_theta", entries.number("rope.freq_base").value_or(10000.0)}};
  std::string kind = entries.text("rope.scaling.type");
  auto factor = entries.number("rope.scaling.factor");
  if (!factor) factor = entries.number("rope.scale_linear");
  if (kind.empty() && factor && *factor != 1) kind = "linear";
  if (!kind.empty() && kind != "none") {
    rope["rope_type"] = kind;
    set(rope, "factor", factor);
    set(rope, "original_max_position_embeddings", entries.integer("rope.scaling.original_context_length"));
    set(rope, "beta_fast", entries.number("rope.scaling.yarn_beta_fast"));
    set(rope, "beta_slow", entries.number("rope.scaling.yarn_beta_slow"));
  }
  if (file.tensors->find("rope_freqs.weight")) {
    TRY(rope["frequency_factors"], frequency_factors(file));
  }
  config["rope_parameters"] = std::move(rope);
  return Done{};
}

// Sizes that every architecture has, by the keys of the Llama family.
void set_sizes(Entries& entries, Json& config) {
  config["hidden_size"] = entries.required("embedding_length");
  config["num_hidden_layers"] = entries.required("block_count");
  config["num_attention_heads"] = entries.required("attention.head_count");
  config["intermediate_size"] = entries.required("feed_forward_length");
  set(config, "max_position_embeddings", entries.integer("context_length"));
}

// Features of a head where the file has no key for them.
std::int64_t head_size(const Json& config) {
  const std::int64_t heads = config["num_attention_heads"], width = config["hidden_size"];
  return heads > 0 ? width / heads : 0;
}

void set_tokens(const Gguf& file, Json& config) {
  for (const auto& [key, name] : {std::pair("bos_token_id", "tokenizer.ggml.bos_token_id"),
                                  std::pair("eos_token_id", "tokenizer.ggml.eos_token_id"),
                                  std::pair("pad_token_id", "tokenizer.ggml.padding_token_id")})
    if (const GgufValue* value = file.find(name)) set(config, key, value->integer());
}

Status llama_like(const Gguf& file, Entries& entries, Json& config) {
  set_sizes(entries, config);
  set(config, "num_key_value_heads", entries.integer("attention.head_count_kv"));
  set(config, "head_dim", entries.integer("attention.key_length"));
  set(config, "rms_norm_eps", entries.number("attention.layer_norm_rms_epsilon"));
  config["hidden_act"] = "silu";
  if (const auto window = entries.integer("attention.sliding_window"); window && *window > 0) {
    config["sliding_window"] = *window;
    if (config["model_type"] == "llama") config["model_type"] = "mistral";  // the block is the same
  }
  TRY_OK(set_rope(file, entries, config));
  set_turned(entries, config.value("head_dim", head_size(config)), true, config["rope_parameters"]);
  return Done{};
}

Status gguf_config_gemma(const Gguf& file, Entries& entries, Json& config) {
  TRY_OK(llama_like(file, entries, config));
  config["hidden_act"] = config["hidden_activation"] = "gelu_pytorch_tanh";
  if (!config.contains("head_dim")) config["head_dim"] = 256;
  if (config["model_type"] != "gemma2") return Done{};
  const std::int64_t layers = entries.required("block_count"),
                     heads = entries.required("attention.head_count"),
                     width = entries.required("embedding_length");
  // The divisor of the scores is not in the file: the root of head_dim, but for the model of 27 billion.
  config["query_pre_attn_scalar"] =
      layers == 46 && heads > 0 ? width / heads : config["head_dim"].get<std::int64_t>();
  config["attn_logit_softcapping"] = entries.number("attn_logit_softcapping").value_or(50.0);
  config["final_logit_softcapping"] = entries.number("final_logit_softcapping").value_or(30.0);
  if (!config.contains("sliding_window")) config["sliding_window"] = 4096;
  return Done{};
}

Status gguf_config_gpt2(const Gguf&, Entries& entries, Json& config) {
  config["n_embd"] = entries.required("embedding_length");
  config["n_layer"] = entries.required("block_count");
  config["n_head"] = entries.required("attention.head_count");
  config["n_inner"] = entries.required("feed_forward_length");
  config["n_positions"] = entries.required("context_length");
  config["activation_function"] = "gelu_new";
  set(config, "layer_norm_epsilon", entries.number("attention.layer_norm_epsilon"));
  return Done{};
}

Status gguf_config_bert(const Gguf& file, Entries& entries, Json& config) {
  set_sizes(entries, config);
  if (const TensorInfo* positions = file.tensors->find("position_embd.weight"))
    config["max_position_embeddings"] = positions->shape.front();
  if (const TensorInfo* types = file.tensors->find("token_types.weight"))
    config["type_vocab_size"] =
        types->shape.size() > 1 ? types->shape.front() : 1;  // llama-quantize drops the 1
  config["hidden_act"] = "gelu";
  config["architectures"] = {"BertModel"};
  set(config, "layer_norm_eps", entries.number("attention.layer_norm_epsilon"));
  return Done{};
}

Status gguf_config_gpt_neox(const Gguf& file, Entries& entries, Json& config) {
  set_sizes(entries, config);
  set(config, "layer_norm_eps", entries.number("attention.layer_norm_epsilon"));
  config["hidden_act"] = "gelu";
  config["use_parallel_residual"] = entries.flag("use_parallel_residual").value_or(true);
  TRY_OK(set_rope(file, entries, config));
  config["rope_parameters"]["partial_rotary_factor"] = 1.0;  // where the file is silent
  set_turned(entries, config.value("head_dim", head_size(config)), false, config["rope_parameters"]);
  return Done{};
}

// Factors that some models have and the blocks here do not. 0 is absent; 1 changes nothing where rows are
// multiplied.
void refuse_factors(Entries& entries) {
  for (const auto& [key, neutral] :
       {std::pair("attention.scale", 0.0), std::pair("attention.clamp_kqv", 0.0),
        std::pair("logit_scale", 1.0), std::pair("embedding_scale", 1.0), std::pair("residual_scale", 1.0),
        std::pair("rope.scaling.attn_factor", 1.0), std::pair("rope.scaling.yarn_log_multiplier", 0.0)})
    if (const auto value = entries.number(key); value && *value != 0 && *value != neutral)
      entries.refuse(Code::unsupported, key, "error.arch.gguf.value", {format("%g", *value)});
}

Error unknown_architecture(const Gguf& file, const std::string& name) {
  const std::string known = join(gguf_architectures(), ", ");
  if (name.empty()) return fail(Code::bad_format, "error.arch.gguf.no_architecture", {file.what, known});
  return fail(Code::unsupported, "error.arch.gguf.architecture", {file.what, in_quotes(name), known});
}

}  // namespace

std::vector<std::string> gguf_architectures() {
  std::vector<std::string> names;
  for (const GgufArchitecture& architecture : gguf_architecture_table())
    names.emplace_back(architecture.name);
  return names;
}

Result<Json> gguf_config(const Gguf& file) {
  const GgufValue* value = file.find("general.architecture");
  const std::string name(value ? value->text().value_or("") : "");
  const GgufArchitecture* architecture = find_gguf_architecture(name);
  if (!architecture) return unknown_architecture(file, name);
  const TensorInfo* table = file.tensors->find("token_embd.weight");
  if (file.tensors->infos().empty())
    return fail(Code::unsupported, "error.arch.gguf.vocabulary_only", {file.what});
  if (!table || table->shape.size() != 2)
    return fail(Code::not_found, "error.arch.gguf.no_table", {file.what});
  Json config{{"model_type", std::string(architecture->model_type)}, {"vocab_size", table->shape[0]}};
  config["tie_word_embeddings"] = file.tensors->find("output.weight") == nullptr;
  set_tokens(file, config);
  Entries entries(file, name);
  const auto read = architecture->model_type == "gpt2"       ? gguf_config_gpt2
                    : architecture->model_type == "bert"     ? gguf_config_bert
                    : architecture->model_type == "gpt_neox" ? gguf_config_gpt_neox
                    : starts_with(name, "gemma")             ? gguf_config_gemma
                                                             : llama_like;
  const Status status = read(file, entries, config);
  refuse_factors(entries);
  TRY_OK(entries.status());
  if (!status) return status.error();
  return config;
}

}  // namespace attnscope
