#include "core/model/expected_weights.h"

#include "core/base/text.h"
#include "core/trace/mask_spec.h"

namespace attnscope {
namespace {

using Shapes = std::vector<WeightShape>;

void expect_norm(Shapes& out, const std::string& name, const NormSpec& norm, std::int64_t width) {
  if (norm.kind == NormSpec::Kind::none) return;
  out.push_back({name + ".weight", {width}, false});
  if (norm.kind == NormSpec::Kind::layer) out.push_back({name + ".bias", {width}, false});
}

void expect_linear(Shapes& out, const std::string& name, std::int64_t in, std::int64_t width) {
  out.push_back({name + ".weight", {in, width}, true});
  out.push_back({name + ".bias", {width}, false});
}

void expect_attention(Shapes& out, const std::string& base, const AttentionSpec& spec, std::int64_t d_in,
                      std::int64_t d_source, std::int64_t d_model) {
  const std::int64_t q_width = std::int64_t{spec.n_heads} * spec.d_head;
  const std::int64_t kv_width = std::int64_t{spec.n_kv_heads} * spec.d_head;
  expect_linear(out, base + "q", d_in, q_width);
  expect_linear(out, base + "k", d_source, kv_width);
  expect_linear(out, base + "v", d_source, kv_width);
  if (spec.qk_norm.kind != NormSpec::Kind::none) {
    out.push_back({base + "q_norm.weight", {spec.d_head}, false});
    out.push_back({base + "k_norm.weight", {spec.d_head}, false});
  }
  if (spec.sinks) out.push_back({base + "sinks.weight", {spec.n_heads}, true});
  expect_linear(out, base + "out", q_width, d_model);
}

void expect_block(Shapes& out, const std::string& base, const BlockSpec& block, std::int64_t d_in,
                  std::int64_t d_model, std::int64_t d_source) {
  expect_norm(out, base + "ln1", block.norm, block.order == NormOrder::post ? d_model : d_in);
  expect_attention(out, base + "attn.", block.attention, d_in, d_in, d_model);
  if (block.branch_norms) expect_norm(out, base + "ln1_post", block.norm, d_model);
  if (block.cross) {
    expect_norm(out, base + "ln_cross", block.norm, d_model);
    expect_attention(out, base + "cross.", *block.cross, d_model, d_source, d_model);
  }
  if (block.mlp.kind == MlpSpec::Kind::none) return;
  if (!block.shared_norm) expect_norm(out, base + "ln2", block.norm, d_model);
  if (block.mlp.kind == MlpSpec::Kind::gated) {
    expect_linear(out, base + "mlp.gate", d_model, block.mlp.d_mlp);
    expect_linear(out, base + "mlp.up", d_model, block.mlp.d_mlp);
  } else {
    expect_linear(out, base + "mlp.pre", d_model, block.mlp.d_mlp);
  }
  expect_linear(out, base + "mlp.out", block.mlp.d_mlp, d_model);
  if (block.branch_norms) expect_norm(out, base + "ln2_post", block.norm, d_model);
}

// The first attention with a table of distances; all of a stack share one table.
const AttentionSpec* with_buckets(const ModelConfig& config) {
  for (const BlockSpec& block : config.blocks)
    if (block.attention.position.kind == AttentionPosition::Kind::buckets) return &block.attention;
  return nullptr;
}

void expect_embedding(Shapes& out, const std::string& base, const ModelConfig& config) {
  const PatchSpec& patch = config.patch;
  if (patch.size > 0) {
    expect_linear(out, base + "patch_embed", std::int64_t{patch.channels} * patch.size * patch.size,
                  config.d_model);
    if (patch.class_token) out.push_back({base + "class_embed.weight", {1, config.d_model}, true});
  } else if (config.vocab_size > 0) {
    out.push_back({base + "tok_embed.weight", {config.vocab_size, config.d_in}, true});
  }
  const PositionSpec& position = config.position;
  if (position.kind == PositionSpec::Kind::learned)
    out.push_back({base + "pos_embed.weight", {position.max_positions + position.offset, config.d_in}, true});
  if (const AttentionSpec* biased = with_buckets(config))
    out.push_back({base + "rel_bias.weight", {biased->position.buckets, biased->n_heads}, true});
  if (config.type_vocab > 0)
    out.push_back({base + "type_embed.weight", {config.type_vocab, config.d_in}, true});
  expect_norm(out, base + "ln_embed", config.embed_norm, config.d_in);
}

void expect_stack(Shapes& out, const ModelConfig& config, std::int64_t d_source) {
  const std::string base(stack_prefix(config.stack));
  expect_embedding(out, base, config);
  for (int layer = 0; layer < config.n_layers(); ++layer) {
    expect_block(out, base + "blocks." + std::to_string(layer) + ".",
                 config.blocks[static_cast<std::size_t>(layer)], layer == 0 ? config.d_in : config.d_model,
                 config.d_model, d_source);
  }
  expect_norm(out, base + "ln_final", config.final_norm, config.d_model);
  if (config.projected > 0) expect_linear(out, base + "projected", config.d_model, config.projected);
  if (config.head.transform) {
    expect_linear(out, base + "head.pre", config.d_model, config.d_model);
    expect_norm(out, base + "ln_head", config.head.norm, config.d_model);
  }
  if (config.head.present) expect_linear(out, base + "logits", config.d_model, config.outputs());
}

Status bad_size(std::string_view key, std::vector<Text> arguments = {}) {
  return Error{Code::bad_shape, Text::of(key, std::move(arguments)), Text::of("error.model.sizes")};
}

Status check_attention(const AttentionSpec& a, int layer) {
  if (a.n_heads <= 0 || a.d_head <= 0 || a.n_kv_heads <= 0) {
    return bad_size("error.model.heads", {layer, a.n_heads, a.n_kv_heads, a.d_head});
  }
  if (a.n_heads % a.n_kv_heads != 0) {
    return bad_size("error.model.shared_heads", {layer, a.n_heads, a.n_kv_heads});
  }
  const RopeSpec& rope = a.position.rope;
  const int rotated = rope.rotary_dims > 0 ? rope.rotary_dims : a.d_head;
  if (a.position.rotates() && (rotated % 2 != 0 || rotated > a.d_head)) {
    return bad_size("error.model.rotary_pairs", {layer, rotated, a.d_head});
  }
  if (a.mask_before_scale && (a.cap > 0.f || a.position.biases()))
    return bad_size("error.model.mask_first", {layer});
  if (!a.mask.empty()) TRY_OK(MaskSpec::parse(a.mask));
  return Done{};
}

Status check_stack(const ModelConfig& config, const ModelConfig& main) {
  if (config.d_model <= 0 || config.d_in <= 0) return bad_size("error.model.width");
  if (config.blocks.empty()) return bad_size("error.model.no_block");
  const PatchSpec& patch = config.patch;
  if (patch.size < 0 || (patch.size > 0 && (patch.channels <= 0 || patch.rows <= 0 || patch.cols <= 0)))
    return bad_size("error.model.no_patch");
  const AttentionSpec* table = with_buckets(config);
  for (int layer = 0; layer < config.n_layers(); ++layer) {
    const BlockSpec& block = config.blocks[static_cast<std::size_t>(layer)];
    const AttentionSpec& a = block.attention;
    TRY_OK(check_attention(a, layer));
    if (block.cross) TRY_OK(check_attention(*block.cross, layer));
    if (a.position.kind == AttentionPosition::Kind::buckets &&
        (a.n_heads != table->n_heads || a.position.buckets != table->position.buckets))
      return bad_size("error.model.one_table", {layer});
    if (block.cross && !main.encoder()) return bad_size("error.model.cross_alone", {layer});
    if (block.mlp.kind != MlpSpec::Kind::none && block.mlp.d_mlp <= 0)
      return bad_size("error.model.mlp_width", {layer});
  }
  return Done{};
}

Status check_sizes(const ModelConfig& config) {
  TRY_OK(check_stack(config, config));
  for (const ModelConfig& encoder : config.encoders) TRY_OK(check_stack(encoder, config));
  const ModelConfig* vision = config.vision();
  if (vision && (vision->projected > 0 ? vision->projected : vision->d_model) != config.d_model)
    return bad_size("error.model.image_width");
  return Done{};
}

}  // namespace

bool is_table(const std::string& name) {
  return name.find("_embed.weight") != std::string::npos && name.find("patch_embed") == std::string::npos;
}
Shape named_shape(const WeightShape& weight) {
  if (weight.shape.size() == 1) return {{Axis::d_model, weight.shape[0]}};
  const bool table = is_table(weight.name) || weight.name.find("rel_bias") != std::string::npos;
  const Axis rows = weight.name.find("pos_embed") != std::string::npos ? Axis::pos
                    : table                                            ? Axis::vocab
                                                                       : Axis::in;
  return {{rows, weight.shape[0]}, {table ? Axis::d_model : Axis::out, weight.shape[1]}};
}

std::vector<WeightShape> expected_weights(const ModelConfig& config) {
  Shapes out;
  const ModelConfig* encoder = config.encoder();
  for (const ModelConfig& stack : config.encoders) expect_stack(out, stack, stack.d_model);
  expect_stack(out, config, encoder ? encoder->d_model : config.d_model);
  return out;
}

Status check_weights(const ModelConfig& config, const Weights& weights) {
  TRY_OK(check_sizes(config));
  for (const WeightShape& expected : expected_weights(config)) {
    const Tensor* found = weights.find(expected.name);
    if (!found && !expected.required) continue;
    if (!found) {
      return fail(Code::not_found, "error.model.tensor_missing", {expected.name, shape_text(expected.shape)});
    }
    if (found->sizes() != expected.shape) {
      return fail(Code::bad_shape, "error.model.tensor_shape",
                  {expected.name, shape_text(*found), shape_text(expected.shape)});
    }
  }
  return Done{};
}

}  // namespace attnscope
