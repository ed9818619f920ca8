#include "core/arch/scene_config.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/arch/config_reader.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr int kLargestToy = 4096;

// Looks a word up in a short list; the sentence names what is known.
template <class Kind>
Kind choose(ConfigReader& config, const char* key, const char* fallback,
            std::initializer_list<std::pair<const char*, Kind>> known) {
  const std::string word = config.text({key}, fallback);
  std::vector<std::string> names;
  for (const auto& [name, kind] : known) {
    if (word == name) return kind;
    names.emplace_back(name);
  }
  config.refuse(Code::unsupported,
                format("%s: \"%s\" cannot be \"%s\".", config.what().c_str(), key, word.c_str()),
                "Known are " + join(names, ", ") + ".");
  return known.begin()->second;
}

// The object at `key`, or an empty one.
json part(ConfigReader& config, const char* key) {
  const json* found = config.find({key});
  if (!found) return json::object();
  if (found->is_object()) return *found;
  config.refuse(Code::bad_format, format("%s: \"%s\" must be an object.", config.what().c_str(), key),
                "Correct the config.");
  return json::object();
}

template <class Read>
void read_part(ConfigReader& config, const char* key, Read read) {
  const json object = part(config, key);
  ConfigReader inner(object, config.what() + ": " + key);
  read(inner);
  if (const Status status = inner.status(); !status)
    config.refuse(status.error().code, status.error().sentence, status.error().hint);
}

NormSpec read_norm(ConfigReader& in) {
  using Kind = NormSpec::Kind;
  NormSpec norm;
  norm.kind =
      choose<Kind>(in, "kind", "none", {{"none", Kind::none}, {"layer", Kind::layer}, {"rms", Kind::rms}});
  norm.eps = static_cast<float>(in.number({"eps"}, 1e-5));
  return norm;
}

AttentionSpec read_attention(ConfigReader& in) {
  AttentionSpec a;
  a.n_heads = in.size({"n_heads"}, 1, kLargestToy);
  a.n_kv_heads = in.size({"n_kv_heads"}, a.n_heads, kLargestToy);
  a.d_head = in.size({"d_head"}, 0, kLargestToy);
  a.scale = static_cast<float>(in.number({"scale"}, 1.0 / std::sqrt(static_cast<double>(a.d_head))));
  a.causal = in.flag({"causal"}, true);
  a.mask_before_scale = in.flag({"mask_before_scale"}, false);
  if (in.find({"window"})) a.window = in.size({"window"}, 0);
  return a;
}

MlpSpec read_mlp(ConfigReader& in) {
  using Kind = MlpSpec::Kind;
  MlpSpec mlp;
  mlp.kind = choose<Kind>(in, "kind", "none",
                          {{"none", Kind::none}, {"plain", Kind::plain}, {"gated", Kind::gated}});
  if (mlp.kind == Kind::none) return mlp;
  mlp.activation = in.activation({"activation"}, "gelu_new");
  mlp.d_mlp = in.size({"d_mlp"}, 0, 4 * kLargestToy);
  return mlp;
}

PositionSpec read_positions(ConfigReader& in, int d_head) {
  using Kind = PositionSpec::Kind;
  PositionSpec p;
  p.kind = choose<Kind>(in, "kind", "none",
                        {{"none", Kind::none},
                         {"learned", Kind::learned},
                         {"sinusoidal", Kind::sinusoidal},
                         {"rope", Kind::rope}});
  if (p.kind == Kind::rope) p.rope = read_rope(in, d_head);
  if (p.kind == Kind::learned || in.find({"max_positions"}))
    p.max_positions = in.size({"max_positions"}, 0, 1 << 20);
  return p;
}

const char* activation_key(Activation kind) {
  switch (kind) {
    case Activation::gelu_tanh: return "gelu_new";
    case Activation::gelu_exact: return "gelu";
    case Activation::silu: return "silu";
    case Activation::relu: return "relu";
    case Activation::quick_gelu: return "quick_gelu";
  }
  return "gelu";
}

json rope_to_json(const RopeSpec& rope) {
  json out{{"rope_theta", rope.theta}};
  if (rope.kind == RopeSpec::Kind::linear)
    out["rope_scaling"] = {{"rope_type", "linear"}, {"factor", rope.factor}};
  if (rope.kind == RopeSpec::Kind::llama3) {
    out["rope_scaling"] = {{"rope_type", "llama3"},
                           {"factor", rope.factor},
                           {"low_freq_factor", rope.low_freq_factor},
                           {"high_freq_factor", rope.high_freq_factor},
                           {"original_max_position_embeddings", rope.original_max_positions}};
  }
  return out;
}

}  // namespace

Result<ModelConfig> config_from_json(const json& object, const std::string& what) {
  ConfigReader config(object, what);
  ModelConfig out;
  out.family = "scene";
  out.d_model = config.size({"d_model"}, 0, kLargestToy);
  out.d_in = config.size({"d_in"}, out.d_model, kLargestToy);
  if (config.find({"vocab_size"})) out.vocab_size = config.size({"vocab_size"}, 0, 1 << 20);
  BlockSpec block;
  block.residual = config.flag({"residual"}, true);
  read_part(config, "norm", [&](ConfigReader& in) { block.norm = read_norm(in); });
  read_part(config, "attention", [&](ConfigReader& in) { block.attention = read_attention(in); });
  read_part(config, "mlp", [&](ConfigReader& in) { block.mlp = read_mlp(in); });
  read_part(config, "positions",
            [&](ConfigReader& in) { out.position = read_positions(in, block.attention.d_head); });
  out.final_norm = NormSpec{NormSpec::Kind::none, 1e-5f, 0.f};
  if (config.find({"final_norm"}))
    read_part(config, "final_norm", [&](ConfigReader& in) { out.final_norm = read_norm(in); });
  out.head.present = false;
  read_part(config, "head", [&](ConfigReader& in) {
    out.head.present = in.flag({"present"}, false);
    out.head.tied = in.flag({"tied"}, false);
  });
  if (out.head.present && out.vocab_size == 0)
    config.refuse(Code::bad_format, what + ": a head needs a vocabulary.", "Give vocab_size.");
  if (block.residual && out.d_in != out.d_model)
    config.refuse(Code::bad_shape, what + ": a residual stream has one width: d_in must equal d_model.",
                  "Correct the sizes.");
  const int layers = config.size({"n_layers"}, 1, 256);
  if (!block.residual && layers > 1)
    config.refuse(Code::unsupported, what + ": a module without a residual stream has one block.",
                  "Set residual to true.");
  TRY_OK(config.status());
  out.blocks.assign(static_cast<std::size_t>(layers), block);
  return out;
}

json config_to_json(const ModelConfig& config) {
  static constexpr const char* kNorms[] = {"none", "layer", "rms"};
  static constexpr const char* kMlps[] = {"none", "plain", "gated"};
  static constexpr const char* kPositions[] = {"none", "learned", "sinusoidal", "rope"};
  const auto norm = [](const NormSpec& n) {
    return json{{"kind", kNorms[static_cast<int>(n.kind)]}, {"eps", n.eps}};
  };
  const BlockSpec& block = config.blocks.front();
  const AttentionSpec& a = block.attention;
  json positions = rope_to_json(config.position.rope);
  positions["kind"] = kPositions[static_cast<int>(config.position.kind)];
  if (config.position.max_positions > 0) positions["max_positions"] = config.position.max_positions;
  json attention{{"n_heads", a.n_heads}, {"n_kv_heads", a.n_kv_heads},
                 {"d_head", a.d_head},   {"scale", a.scale},
                 {"causal", a.causal},   {"mask_before_scale", a.mask_before_scale}};
  if (a.window > 0) attention["window"] = a.window;
  json mlp{{"kind", kMlps[static_cast<int>(block.mlp.kind)]}};
  if (block.mlp.kind != MlpSpec::Kind::none) {
    mlp["activation"] = activation_key(block.mlp.activation);
    mlp["d_mlp"] = block.mlp.d_mlp;
  }
  json out{{"d_model", config.d_model},
           {"d_in", config.d_in},
           {"n_layers", config.n_layers()},
           {"residual", block.residual},
           {"norm", norm(block.norm)},
           {"final_norm", norm(config.final_norm)},
           {"attention", attention},
           {"mlp", mlp},
           {"positions", positions},
           {"head", {{"present", config.head.present}, {"tied", config.head.tied}}}};
  if (config.vocab_size > 0) out["vocab_size"] = config.vocab_size;
  return out;
}

}  // namespace attnscope
