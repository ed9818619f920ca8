// Weights to begin with. Every tensor has a stream of random numbers of its own, chosen by its name, so that
// one more layer leaves the others as they were.
#include <cmath>

#include "core/base/text.h"
#include "core/trace/common.h"
#include "core/train/random.h"
#include "core/train/trainer.h"

namespace attnscope {
namespace {

// Which stack a weight stands in.
const ModelConfig& first_weights_stack_of(const ModelConfig& config, const std::string& name) {
  for (const ModelConfig& encoder : config.encoders)
    if (starts_with(name, stack_prefix(encoder.stack))) return encoder;
  return config;
}

bool name_holds(const std::string& name, const char* part) { return name.find(part) != std::string::npos; }
bool is_norm(const std::string& name) {
  return name_holds(name, "ln1") || name_holds(name, "ln2") || name_holds(name, "ln_") ||
         name_holds(name, "q_norm.") || name_holds(name, "k_norm.");
}

bool has_bias(const ModelConfig& config, const ModelConfig& stack, const std::string& name) {
  if (name_holds(name, "logits.bias")) return config.head.transform;
  const BlockSpec* block = stack.block_of(name);
  return block ? block->norm.kind != NormSpec::Kind::rms
               : common(stack, &BlockSpec::norm, &NormSpec::kind) != NormSpec::Kind::rms;
}

float norm_offset(const ModelConfig& stack, const std::string& name) {
  const BlockSpec* block = stack.block_of(name);
  if (!block) return (name_holds(name, "ln_embed") ? stack.embed_norm : stack.final_norm).weight_offset;
  return (name_holds(name, "_norm.") ? block->attention.qk_norm : block->norm).weight_offset;
}

double spread(const ModelConfig& stack, const WeightShape& expected) {
  const std::string& name = expected.name;
  if (expected.shape.size() == 1) return 0.02;  // sinks
  const double in = static_cast<double>(expected.shape[0]), out = static_cast<double>(expected.shape[1]);
  const BlockSpec* block = stack.block_of(name);
  const bool post = (block ? block->order : common(stack, &BlockSpec::order)) == NormOrder::post;
  if (name_holds(name, "rel_bias")) return 0.02;
  if (is_table(name))
    return post && stack.embed_scale != 1.f ? 1 / std::sqrt(out) : 0.02 * std::sqrt(768 / out);
  if (post) return std::sqrt(2 / (in + out));
  const double plain = 0.02 * std::sqrt(768 / in);
  const bool adds =
      name_holds(name, "attn.out") || name_holds(name, "cross.out") || name_holds(name, "mlp.out");
  return adds ? plain / std::sqrt(2.0 * stack.n_layers()) : plain;
}

Tensor normal_values(const Shape& shape, double deviation, SplitMix64 random) {
  Buffer out(shape);
  for (std::int64_t i = 0; i < out.count(); ++i)
    out.data()[i] = static_cast<float>(deviation * random.normal());
  return std::move(out).freeze();
}

Tensor first_value(const ModelConfig& stack, const WeightShape& expected, std::uint64_t seed) {
  const Shape shape = named_shape(expected);
  if (ends_with(expected.name, ".bias")) return Tensor::filled(shape, 0.f);
  if (is_norm(expected.name)) return Tensor::filled(shape, 1.f - norm_offset(stack, expected.name));
  return normal_values(shape, spread(stack, expected), random_of(seed, fingerprint(expected.name), 0));
}

}  // namespace

Weights first_weights(const ModelConfig& config, std::uint64_t seed) {
  const std::string base(stack_prefix(config.stack));
  const bool shared = config.encoder() && config.encoder()->shares_embedding;
  Weights out;
  for (const WeightShape& expected : expected_weights(config)) {
    const ModelConfig& stack = first_weights_stack_of(config, expected.name);
    if (ends_with(expected.name, ".bias") && !is_norm(expected.name) &&
        !has_bias(config, stack, expected.name))
      continue;
    if (config.head.tied && expected.name == base + "logits.weight") continue;
    if (shared && expected.name == "enc.tok_embed.weight") continue;
    out.set(expected.name, first_value(stack, expected, seed));
  }
  const Tensor table = out.get(base + "tok_embed.weight");  // [vocab, d_model]
  if (shared) out.set("enc.tok_embed.weight", table);
  if (config.head.tied) out.set(base + "logits.weight", table.transpose().rename({Axis::in, Axis::vocab}));
  return out;
}

}  // namespace attnscope
