#include "core/model/derive.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/text.h"
#include "core/trace/editable.h"
#include "core/trace/ties.h"

namespace attnscope {
namespace {

Error no_part(const Exchange& exchange, const Text& problem) {
  return fail(Code::unsupported, "error.model.exchange", {to_text(Edit{exchange, -1, true, {}}), problem});
}

// ---- weights --------------------------------------------------------------------------------------

// The target in terms of the table where the unembedding was named: its axes are the other way round.
Target on_table(Target where, const Tensor& named, const Tensor& table) {
  for (AxisRange& range : where.at)
    for (int d = 0; d < named.rank(); ++d)
      if (axis_name(named.axis(d)) == range.axis && named.rank() == 2)
        range.axis = axis_name(table.axis(1 - d));
  return where;
}

// One cell lies over the others; more than one are written into a copy.
Result<Applied> edited(const NumberEdit& edit, const Tensor& table) {
  std::vector<std::int64_t> index;
  for (int d = 0; d < table.rank(); ++d) {
    const AxisRange* range = range_on(edit.where, table.axis(d));
    if (range && range->end == range->begin + 1 && range->begin < table.size(d))
      index.push_back(range->begin);
  }
  const auto* number = std::get_if<float>(&edit.value);
  if (!number || static_cast<int>(index.size()) < table.rank()) return apply(edit, table, {});
  const float old = table.at(index);
  const float now = edit.op == EditOp::set ? *number : edit.op == EditOp::add ? old + *number : old * *number;
  return Applied{table.with_value(index, now), true};
}

Result<bool> edit_weight(Weights& weights, const ModelConfig& config, const NumberEdit& edit) {
  const std::string& name = edit.where.weight;
  TRY_OK(check_weight_name(weights, name));
  const Tensor* named = weights.find(name);
  const WeightCell kept = kept_weight(config, name, {0, 1});
  const Tensor* table = weights.find(kept.name);
  NumberEdit own = edit;
  if (kept.index.front() != 0) own.where = on_table(edit.where, *named, *table);
  TRY(const Applied applied, edited(own, *table));
  weights.set(kept.name, applied.value);
  tie_tables(config, weights);
  return applied.reached;
}

// ---- parts ----------------------------------------------------------------------------------------

ModelConfig& stack_of(ModelConfig& config, Stack stack) {
  for (ModelConfig& encoder : config.encoders)
    if (encoder.stack == stack) return encoder;
  return config;
}

Result<Activation> activation_named(const Exchange& exchange, bool gated) {
  const bool names_gate =
      exchange.value == "swiglu" || exchange.value == "geglu" || exchange.value == "reglu";
  if (names_gate && !gated) return no_part(exchange, Text::of("error.model.exchange.no_gate"));
  if (exchange.value == "relu" || exchange.value == "reglu") return Activation::relu;
  if (exchange.value == "silu" || exchange.value == "swiglu") return Activation::silu;
  if (exchange.value == "gelu_tanh") return Activation::gelu_tanh;
  return Activation::gelu_exact;
}

// The heads of a projection [in, kv*d_head] (or its bias) averaged in `groups` groups of neighbours.
Tensor averaged_heads(const Tensor& weight, std::int64_t heads, std::int64_t groups) {
  const int last = weight.rank() - 1;
  const std::int64_t rows = last == 0 ? 1 : weight.size(0), d_head = weight.size(last) / heads,
                     each = heads / groups;
  Shape shape;
  if (last > 0) shape.emplace_back(weight.axis(0), rows);
  shape.emplace_back(weight.axis(last), groups * d_head);
  const Tensor from = weight.packed();
  Buffer out(shape);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t group = 0; group < groups; ++group)
      for (std::int64_t i = 0; i < d_head; ++i) {
        double sum = 0;
        for (std::int64_t head = group * each; head < (group + 1) * each; ++head)
          sum += static_cast<double>(from.data()[(row * heads + head) * d_head + i]);
        out.data()[(row * groups + group) * d_head + i] = static_cast<float>(sum / static_cast<double>(each));
      }
  return std::move(out).freeze();
}

// The weights of K where those of V belong, and the other way round.
Status swap_keys_and_values(const Exchange& exchange, const std::string& base, Weights& weights) {
  const auto find = [&](const char* name) { return weights.find(base + name); };
  const Tensor *k = find("attn.k.weight"), *v = find("attn.v.weight");
  const Tensor *k_bias = find("attn.k.bias"), *v_bias = find("attn.v.bias");
  if (!k || !v || k->size(1) != v->size(1) || !k_bias != !v_bias)
    return no_part(exchange, Text::of("error.model.exchange.no_swap"));
  const Tensor keys = *k, values = *v;
  weights.set(base + "attn.k.weight", values);
  weights.set(base + "attn.v.weight", keys);
  if (!k_bias) return Done{};
  const Tensor key_bias = *k_bias, value_bias = *v_bias;
  weights.set(base + "attn.k.bias", value_bias);
  weights.set(base + "attn.v.bias", key_bias);
  return Done{};
}

Status share_heads(const Exchange& exchange, BlockSpec& block, const std::string& base, Weights& weights) {
  if (exchange.value == "swapped") return swap_keys_and_values(exchange, base, weights);
  const int groups = std::atoi(exchange.value.c_str()), heads = block.attention.n_kv_heads;
  if (groups < 1 || heads % groups != 0)
    return no_part(exchange, Text::of("error.model.exchange.groups", {heads, groups}));
  for (const char* name : {"attn.k.weight", "attn.k.bias", "attn.v.weight", "attn.v.bias"})
    if (const Tensor* weight = weights.find(base + name))
      weights.set(base + name, averaged_heads(*weight, heads, groups));
  block.attention.n_kv_heads = groups;
  return Done{};
}

NormOrder order_named(const std::string& value) {
  return value == "pre" ? NormOrder::pre : value == "post" ? NormOrder::post : NormOrder::parallel;
}

Status reorder(const Exchange& exchange, BlockSpec& block, const std::string& base, const Weights& weights) {
  const NormOrder order = order_named(exchange.value);
  if (block.cross && order == NormOrder::parallel)
    return no_part(exchange, Text::of("error.model.exchange.cross_between"));
  const bool needs_second =
      block.shared_norm && order != NormOrder::parallel && block.norm.kind != NormSpec::Kind::none;
  if (needs_second && !weights.find(base + "ln2.weight"))
    return no_part(exchange, Text::of("error.model.exchange.one_norm"));
  block.order = order;
  block.shared_norm = block.shared_norm && order == NormOrder::parallel;
  return Done{};
}

Status cut_skip(const Exchange& exchange, BlockSpec& block) {
  if (exchange.branch == "cross" && !block.cross)
    return no_part(exchange, Text::of("error.model.exchange.no_cross"));
  if (exchange.branch == "mlp" && block.mlp.kind == MlpSpec::Kind::none)
    return no_part(exchange, Text::of("error.model.exchange.no_mlp"));
  (exchange.branch == "cross" ? block.cross_skip
   : exchange.branch == "mlp" ? block.mlp_skip
                              : block.attention_skip) = false;
  return Done{};
}

Status unscale(const Exchange& exchange, BlockSpec& block) {
  if (exchange.branch == "cross" && !block.cross)
    return no_part(exchange, Text::of("error.model.exchange.no_cross"));
  (exchange.branch == "cross" ? *block.cross : block.attention).scale = 1.f;
  return Done{};
}

Status exchange_in(const Exchange& exchange, BlockSpec& block, const std::string& base, Weights& weights) {
  if (!block.residual && (exchange.part == Exchange::Part::order || exchange.part == Exchange::Part::skip))
    return no_part(exchange, Text::of("error.model.exchange.bare"));
  switch (exchange.part) {
    case Exchange::Part::order: return reorder(exchange, block, base, weights);
    case Exchange::Part::skip: return cut_skip(exchange, block);
    case Exchange::Part::scaling: return unscale(exchange, block);
    case Exchange::Part::kv_heads: return share_heads(exchange, block, base, weights);
    case Exchange::Part::mask_order: {
      const bool between = block.attention.cap > 0.f;
      if (between) return no_part(exchange, Text::of("error.model.exchange.cap"));
      if (block.attention.position.biases()) return no_part(exchange, Text::of("error.model.exchange.bias"));
      block.attention.mask_before_scale = exchange.value == "before";
      return Done{};
    }
    case Exchange::Part::activation: {
      if (block.mlp.kind == MlpSpec::Kind::none)
        return no_part(exchange, Text::of("error.model.exchange.no_mlp"));
      TRY(block.mlp.activation, activation_named(exchange, block.mlp.kind == MlpSpec::Kind::gated));
      return Done{};
    }
  }
  return Done{};
}

Status exchange_parts(const Exchange& exchange, ModelConfig& config, Weights& weights) {
  const bool named = exchange.stack == Stack::single || exchange.stack == config.stack ||
                     (exchange.stack == Stack::enc && config.encoder()) ||
                     (exchange.stack == Stack::vision && config.vision());
  if (!named) return no_part(exchange, Text::of("error.model.exchange.no_stack"));
  ModelConfig& stack = stack_of(config, exchange.stack);
  if (exchange.layer >= stack.n_layers())
    return no_part(exchange, Text::of("error.model.exchange.blocks", {stack.n_layers() - 1}));
  for (int layer = 0; layer < stack.n_layers(); ++layer) {
    if (exchange.layer >= 0 && layer != exchange.layer) continue;
    const std::string base = std::string(stack_prefix(stack.stack)) + "blocks." + std::to_string(layer) + ".";
    TRY_OK(exchange_in(exchange, stack.blocks[static_cast<std::size_t>(layer)], base, weights));
  }
  return Done{};
}

bool has_part(const Exchange& exchange, const BlockSpec& block) {
  const bool cross = exchange.branch == "cross";
  if (cross && !block.cross) return false;
  switch (exchange.part) {
    case Exchange::Part::order: return block.residual && block.order == order_named(exchange.value);
    case Exchange::Part::skip:
      return !(cross ? block.cross_skip : exchange.branch == "mlp" ? block.mlp_skip : block.attention_skip);
    case Exchange::Part::scaling: return (cross ? *block.cross : block.attention).scale == 1.f;
    case Exchange::Part::kv_heads: return std::to_string(block.attention.n_kv_heads) == exchange.value;
    case Exchange::Part::mask_order: return block.attention.mask_before_scale == (exchange.value == "before");
    case Exchange::Part::activation: break;
  }
  const auto named = activation_named(exchange, block.mlp.kind == MlpSpec::Kind::gated);
  return block.mlp.kind != MlpSpec::Kind::none && named && *named == block.mlp.activation;
}

bool is_weight_edit(const Edit& edit) {
  return edit.number() && edit.number()->where.kind == Target::Kind::weight;
}

}  // namespace

bool has_part(const ModelConfig& config, const Exchange& exchange) {
  const ModelConfig& stack = config.of(exchange.stack);
  for (int layer = 0; layer < stack.n_layers(); ++layer)
    if ((exchange.layer < 0 || layer == exchange.layer) &&
        !has_part(exchange, stack.blocks[static_cast<std::size_t>(layer)]))
      return false;
  return exchange.layer < stack.n_layers();
}

bool changes_model(const Edits& edits) {
  return std::any_of(edits.begin(), edits.end(),
                     [](const auto& edit) { return edit->exchange() || is_weight_edit(*edit); });
}

Result<DerivedModel> derived(const std::shared_ptr<const ModelConfig>& config,
                             const std::shared_ptr<const Weights>& weights, const Edits& edits) {
  ModelConfig changed = *config;
  auto numbers = std::make_shared<Weights>(*weights);
  DerivedModel out{config, numbers, {}};
  for (const auto& edit : edits) {
    if (is_weight_edit(*edit)) {
      TRY(const bool reached, edit_weight(*numbers, changed, *edit->number()));
      if (reached) out.reached.push_back(edit);
    } else if (const Exchange* exchange = edit->exchange()) {
      TRY_OK(exchange_parts(*exchange, changed, *numbers));
      out.reached.push_back(edit);
      out.config = nullptr;
    }
  }
  if (!out.config) out.config = std::make_shared<const ModelConfig>(std::move(changed));
  return out;
}

}  // namespace attnscope
