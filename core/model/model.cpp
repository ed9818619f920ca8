#include "core/model/model.h"

#include <new>

#include "core/base/text.h"
#include "core/model/forward.h"

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

void expect_block(Shapes& out, const std::string& base, const BlockSpec& block, std::int64_t d_in,
                  std::int64_t d_model) {
  const AttentionSpec& attention = block.attention;
  const std::int64_t q_width = std::int64_t{attention.n_heads} * attention.d_head;
  const std::int64_t kv_width = std::int64_t{attention.n_kv_heads} * attention.d_head;
  expect_norm(out, base + "ln1", block.norm, d_in);
  expect_linear(out, base + "attn.q", d_in, q_width);
  expect_linear(out, base + "attn.k", d_in, kv_width);
  expect_linear(out, base + "attn.v", d_in, kv_width);
  expect_linear(out, base + "attn.out", q_width, d_model);
  if (block.mlp.kind == MlpSpec::Kind::none) return;
  expect_norm(out, base + "ln2", block.norm, d_model);
  if (block.mlp.kind == MlpSpec::Kind::gated) {
    expect_linear(out, base + "mlp.gate", d_model, block.mlp.d_mlp);
    expect_linear(out, base + "mlp.up", d_model, block.mlp.d_mlp);
  } else {
    expect_linear(out, base + "mlp.pre", d_model, block.mlp.d_mlp);
  }
  expect_linear(out, base + "mlp.out", block.mlp.d_mlp, d_model);
}

Status check_sizes(const ModelConfig& config) {
  const auto bad = [](std::string sentence) {
    return fail(Code::bad_shape, std::move(sentence), "Correct the sizes in the config.");
  };
  if (config.d_model <= 0 || config.d_in <= 0) return bad("The model's width (d_model) must be at least 1.");
  if (config.blocks.empty()) return bad("The model has no block: the number of layers must be at least 1.");
  for (int layer = 0; layer < config.n_layers(); ++layer) {
    const BlockSpec& block = config.blocks[static_cast<std::size_t>(layer)];
    const AttentionSpec& a = block.attention;
    if (a.n_heads <= 0 || a.d_head <= 0 || a.n_kv_heads <= 0) {
      return bad(format("Block %d: heads (%d), key/value heads (%d) and head size (%d) must be at least 1.",
                        layer, a.n_heads, a.n_kv_heads, a.d_head));
    }
    if (a.n_heads % a.n_kv_heads != 0) {
      return bad(format("Block %d: %d query heads cannot share %d key/value heads evenly.", layer, a.n_heads,
                        a.n_kv_heads));
    }
    if (config.position.kind == PositionSpec::Kind::rope && a.d_head % 2 != 0)
      return bad(
          format("Block %d: rotary positions turn pairs, but the head size %d is odd.", layer, a.d_head));
    if (block.mlp.kind != MlpSpec::Kind::none && block.mlp.d_mlp <= 0)
      return bad(format("Block %d: the MLP's width must be at least 1.", layer));
  }
  return Done{};
}

}  // namespace

std::vector<WeightShape> expected_weights(const ModelConfig& config) {
  Shapes out;
  if (config.vocab_size > 0) out.push_back({"tok_embed.weight", {config.vocab_size, config.d_in}, true});
  if (config.position.kind == PositionSpec::Kind::learned)
    out.push_back({"pos_embed.weight", {config.position.max_positions, config.d_in}, true});
  for (int layer = 0; layer < config.n_layers(); ++layer) {
    const std::string base = "blocks." + std::to_string(layer) + ".";
    expect_block(out, base, config.blocks[static_cast<std::size_t>(layer)],
                 layer == 0 ? config.d_in : config.d_model, config.d_model);
  }
  expect_norm(out, "ln_final", config.final_norm, config.d_model);
  if (config.head.present) expect_linear(out, "logits", config.d_model, config.vocab_size);
  return out;
}

Status check_weights(const ModelConfig& config, const Weights& weights) {
  TRY_OK(check_sizes(config));
  for (const WeightShape& expected : expected_weights(config)) {
    const Tensor* found = weights.find(expected.name);
    if (!found && !expected.required) continue;
    if (!found) {
      return fail(Code::not_found,
                  format("The tensor %s is missing; the config asks for the shape %s.", expected.name.c_str(),
                         shape_text(expected.shape).c_str()),
                  "The file may be incomplete, or the config may belong to another model.");
    }
    if (found->sizes() != expected.shape) {
      return fail(Code::bad_shape,
                  format("The tensor %s has the shape %s, but the config asks for %s.", expected.name.c_str(),
                         shape_text(*found).c_str(), shape_text(expected.shape).c_str()),
                  "The config and the weights belong to different models, or one of them was changed.");
    }
  }
  return Done{};
}

Model::Model(std::shared_ptr<const ModelConfig> config, std::shared_ptr<const Weights> weights)
    : config_(std::move(config)), weights_(std::move(weights)) {}

Result<std::shared_ptr<const Model>> Model::make(ModelConfig config, Weights weights) {
  TRY_OK(check_weights(config, weights));
  return std::make_shared<const Model>(std::make_shared<const ModelConfig>(std::move(config)),
                                       std::make_shared<const Weights>(std::move(weights)));
}

std::shared_ptr<const Model> Model::with_weight(const std::string& name, Tensor value) const {
  auto changed = std::make_shared<Weights>(*weights_);
  if (config_->head.tied && name == "tok_embed.weight") changed->set("logits.weight", value.transpose());
  changed->set(name, std::move(value));
  return std::make_shared<const Model>(config_, std::move(changed));
}

Status Model::check_input(const Input& input, std::int64_t first_pos) const {
  if (input.length() == 0) {
    return fail(Code::out_of_range, "There is nothing to run: the input is empty.",
                "Type at least one token.");
  }
  if (!input.vectors.empty()) {
    if (config_->vocab_size > 0 || input.vectors.size(1) != config_->d_in) {
      return fail(Code::bad_shape,
                  format("The input rows have %lld numbers, but the model reads %d.",
                         static_cast<long long>(input.vectors.size(1)), config_->d_in),
                  "Give rows of the model's width.");
    }
  } else if (config_->vocab_size == 0) {
    return fail(Code::bad_shape, "This module reads rows of numbers, not tokens.",
                "Open a scene that holds its input.");
  }
  for (std::size_t pos = 0; pos < input.ids.size(); ++pos) {
    if (input.ids[pos] >= 0 && input.ids[pos] < config_->vocab_size) continue;
    return fail(Code::out_of_range,
                format("Token id %d at position %zu is outside the vocabulary of %d.", input.ids[pos], pos,
                       config_->vocab_size),
                format("Ids run from 0 to %d.", config_->vocab_size - 1));
  }
  const std::int64_t limit = config_->position.max_positions;
  if (limit > 0 && first_pos + input.length() > limit) {
    return fail(Code::out_of_range,
                format("The input has %lld tokens, but the model has positions for %lld.",
                       static_cast<long long>(first_pos + input.length()), static_cast<long long>(limit)),
                "Shorten the input.");
  }
  return Done{};
}

namespace {

// Changes that this run had no place for: better said than passed over.
Status check_changes(const Trace& trace, const RunOptions& options) {
  for (const Intervention& change : options.interventions) {
    const Slot slot = change.where.site.slot;
    const std::string name = to_text(change.where.site);
    if (!change.enabled) continue;
    if (!trace.find(change.where.site)) {
      return fail(Code::not_found, format("This model has no step %s to change.", name.c_str()),
                  "Choose a step of the timeline.");
    }
    if (slot != Slot::mask && slot != Slot::logits && slot != Slot::probs) continue;
    return fail(Code::unsupported, format("%s cannot be changed itself.", name.c_str()),
                slot == Slot::mask ? "Switch cells of the mask instead."
                                   : "Change ln_final.out or a weight instead.");
  }
  return Done{};
}

}  // namespace

Result<std::shared_ptr<const Trace>> Model::run(const Input& input, const RunOptions& options,
                                                KvCache* cache) const {
  const std::int64_t first_pos = cache ? cache->length() : 0;
  TRY_OK(check_input(input, first_pos));
  auto trace = std::make_shared<Trace>(config_, weights_);
  trace->ids = input.ids;
  trace->first_pos = first_pos;
  trace->length = input.length();
  try {
    forward(*config_, *weights_, input, Probe(*trace, options), first_pos, cache);
  } catch (const RunCancelled&) {
    return fail(Code::cancelled, "The run was stopped.", "");
  } catch (const std::bad_alloc&) {
    return fail(Code::no_memory,
                format("There is not enough memory for %lld tokens.", static_cast<long long>(input.length())),
                "Shorten the input, or close other programs.");
  }
  TRY_OK(check_changes(*trace, options));
  if (cache) cache->advance(input.length());
  return std::shared_ptr<const Trace>(std::move(trace));
}

}  // namespace attnscope
