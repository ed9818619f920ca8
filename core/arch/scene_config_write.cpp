// The inverse of scene_config.cpp: a ModelConfig as JSON. Fields with their defaults are left
// out.
#include <nlohmann/json.hpp>
#include <optional>

#include "core/arch/config_reader.h"
#include "core/arch/scene_config.h"
#include "core/base/read_all.h"
#include "core/base/shortest.h"
#include "core/trace/common.h"

namespace attnscope {

using Json = nlohmann::json;

double spelled(float value) {
  double out = 0;
  read_all(shortest_text(value), out);
  return out;
}

Json rope_scaling_json(const RopeSpec& rope) {
  if (rope.kind == RopeSpec::Kind::standard) return nullptr;
  static constexpr const char* kKinds[] = {"default", "linear", "llama3", "dynamic", "yarn"};
  Json out{{"rope_type", kKinds[static_cast<int>(rope.kind)]}, {"factor", rope.factor}};
  if (rope.kind == RopeSpec::Kind::linear) return out;
  out["original_max_position_embeddings"] = rope.original_max_positions;
  if (rope.kind == RopeSpec::Kind::llama3) {
    out["low_freq_factor"] = rope.low_freq_factor;
    out["high_freq_factor"] = rope.high_freq_factor;
  }
  if (rope.kind == RopeSpec::Kind::yarn) {
    out["beta_fast"] = rope.beta_fast;
    out["beta_slow"] = rope.beta_slow;
    if (rope.attention_factor > 0) out["attention_factor"] = rope.attention_factor;
    out["truncate"] = rope.truncate;
  }
  return out;
}

namespace {

Json norm_json(const NormSpec& norm) {
  static constexpr const char* kKinds[] = {"none", "layer", "rms"};
  Json out{{"kind", kKinds[static_cast<int>(norm.kind)]}};
  if (norm.kind == NormSpec::Kind::none) return out;
  out["eps"] = spelled(norm.eps);
  if (norm.weight_offset != 0.f) out["weight_offset"] = spelled(norm.weight_offset);
  return out;
}

Json attention_json(const AttentionSpec& a) {
  Json out{{"n_heads", a.n_heads}, {"n_kv_heads", a.n_kv_heads},
           {"d_head", a.d_head},   {"scale", spelled(a.scale)},
           {"causal", a.causal},   {"mask_before_scale", a.mask_before_scale}};
  if (a.window > 0) out["window"] = a.window;
  if (a.cap > 0.f) out["cap"] = spelled(a.cap);
  if (a.sinks) out["sinks"] = true;
  if (a.qk_norm.kind != NormSpec::Kind::none) out["qk_norm"] = norm_json(a.qk_norm);
  if (!a.mask.empty()) out["mask"] = a.mask;
  return out;
}

Json mlp_json(const MlpSpec& mlp) {
  static constexpr const char* kKinds[] = {"none", "plain", "gated"};
  Json out{{"kind", kKinds[static_cast<int>(mlp.kind)]}};
  if (mlp.kind == MlpSpec::Kind::none) return out;
  out["activation"] = activation_key(mlp.activation);
  out["d_mlp"] = mlp.d_mlp;
  return out;
}

Json attention_position_json(const AttentionPosition& p, int d_head) {
  static constexpr const char* kKinds[] = {"none", "rope", "alibi", "buckets"};
  Json out{{"kind", kKinds[static_cast<int>(p.kind)]}};
  if (p.kind == AttentionPosition::Kind::buckets) {
    out["buckets"] = p.buckets;
    out["max_distance"] = p.max_distance;
  }
  if (!p.rotates()) return out;
  out["rope_theta"] = p.rope.theta;
  if (p.rope.kind != RopeSpec::Kind::standard) out["rope_scaling"] = rope_scaling_json(p.rope);
  if (p.rope.rotary_dims > 0 && d_head > 0)
    out["partial_rotary_factor"] =
        rotary_share(p.rope.frequency_dims > 0 ? p.rope.frequency_dims : p.rope.rotary_dims, d_head);
  if (p.rope.interleaved) out["interleaved"] = true;
  return out;
}

// What the attention of all blocks does, where one "positions" of the stack can say it.
std::optional<Json> shared_position_json(const ModelConfig& config) {
  const auto shared = common(config, &BlockSpec::attention, &AttentionSpec::position);
  const auto d_head = common(config, &BlockSpec::attention, &AttentionSpec::d_head);
  if (!shared) return {};
  const bool both =
      config.position.kind != PositionSpec::Kind::none && shared->kind != AttentionPosition::Kind::none;
  if (both || (shared->rotates() && shared->rope.rotary_dims > 0 && !d_head)) return {};
  return std::make_optional<Json>(attention_position_json(*shared, d_head.value_or(0)));
}

Json positions_json(const ModelConfig& config) {
  const PositionSpec& p = config.position;
  Json out = shared_position_json(config).value_or(Json{{"kind", "none"}});
  if (p.kind == PositionSpec::Kind::learned) out["kind"] = "learned";
  if (p.kind == PositionSpec::Kind::sinusoidal) out["kind"] = "sinusoidal";
  if (p.max_positions > 0) out["max_positions"] = p.max_positions;
  if (p.offset > 0) out["offset"] = p.offset;
  if (p.halves) out["halves"] = true;
  return out;
}

void scene_config_write_put_block(Json& out, const BlockSpec& block) {
  static constexpr const char* kOrders[] = {"pre", "post", "parallel"};
  out["residual"] = block.residual;
  out["norm"] = norm_json(block.norm);
  out["attention"] = attention_json(block.attention);
  out["mlp"] = mlp_json(block.mlp);
  if (block.order != NormOrder::pre) out["order"] = kOrders[static_cast<int>(block.order)];
  if (block.shared_norm) out["shared_norm"] = true;
  if (block.branch_norms) out["branch_norms"] = true;
  if (!block.cross) return;
  Json& cross = out["cross"] = attention_json(*block.cross);
  if (!cross.contains("cap") && out["attention"].contains("cap")) cross["cap"] = 0;
  if (!cross.contains("sinks") && out["attention"].contains("sinks")) cross["sinks"] = false;
  if (!cross.contains("qk_norm") && out["attention"].contains("qk_norm")) cross["qk_norm"]["kind"] = "none";
}

// The defaults of every entry of a list: optional parts are off.
BlockSpec without_extras(BlockSpec block) {
  block.norm.weight_offset = 0.f;
  block.order = NormOrder::pre;
  block.shared_norm = block.branch_norms = false;
  block.cross.reset();
  block.attention.window = 0;
  block.attention.cap = 0.f;
  block.attention.sinks = false;
  block.attention.qk_norm.kind = NormSpec::Kind::none;
  block.attention.mask.clear();
  return block;
}

void scene_config_write_put_blocks(Json& out, const ModelConfig& config) {
  Json list = Json::array();
  const bool own_positions = !shared_position_json(config);
  bool alike = true;
  for (const BlockSpec& block : config.blocks) {
    Json& one = list.emplace_back(Json::object());
    scene_config_write_put_block(one, block);
    if (own_positions)
      one["attention"]["positions"] =
          attention_position_json(block.attention.position, block.attention.d_head);
    alike = alike && one == list.front();
  }
  if (alike) {
    out.update(list.front());
    out["n_layers"] = config.n_layers();
  } else {
    scene_config_write_put_block(out, without_extras(config.blocks[0]));  // which every entry changes
    out["blocks"] = std::move(list);
  }
}

Json head_json(const HeadSpec& head) {
  Json out{{"present", head.present}, {"tied", head.tied}};
  if (head.transform) {
    out["transform"] = true;
    out["activation"] = activation_key(head.activation);
    out["norm"] = norm_json(head.norm);
  }
  if (head.scale != 1.f) out["scale"] = spelled(head.scale);
  if (head.cap > 0.f) out["cap"] = spelled(head.cap);
  if (head.first_row_only) out["first_row_only"] = true;
  if (head.outputs > 0) out["outputs"] = head.outputs;
  return out;
}

Json patch_json(const PatchSpec& patch) {
  return {{"size", patch.size},
          {"channels", patch.channels},
          {"rows", patch.rows},
          {"cols", patch.cols},
          {"class_token", patch.class_token}};
}

}  // namespace

Json config_to_json(const ModelConfig& config) {
  Json out{{"d_model", config.d_model},
           {"d_in", config.d_in},
           {"final_norm", norm_json(config.final_norm)},
           {"positions", positions_json(config)},
           {"head", head_json(config.head)}};
  scene_config_write_put_blocks(out, config);
  if (config.vocab_size > 0) out["vocab_size"] = config.vocab_size;
  if (config.embed_scale != 1.f) out["embed_scale"] = spelled(config.embed_scale);
  if (config.embed_norm.kind != NormSpec::Kind::none) out["embed_norm"] = norm_json(config.embed_norm);
  if (config.type_vocab > 0) out["type_vocab"] = config.type_vocab;
  if (config.patch.size > 0) out["patch"] = patch_json(config.patch);
  if (config.projected > 0) out["projected"] = config.projected;
  if (config.shares_embedding) out["shares_embedding"] = true;
  for (const auto& [key, token] :
       {std::pair("bos", config.bos), std::pair("eos", config.eos), std::pair("pad", config.pad),
        std::pair("decoder_start", config.decoder_start), std::pair("image_token", config.image_token)})
    if (token >= 0) out[key] = token;
  if (!config.suppressed_tokens.empty()) out["suppressed_tokens"] = config.suppressed_tokens;
  for (const ModelConfig& encoder : config.encoders)
    out[encoder.stack == Stack::enc ? "encoder" : "vision"] = config_to_json(encoder);
  return out;
}

}  // namespace attnscope
