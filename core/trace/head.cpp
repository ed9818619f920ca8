#include "core/trace/head.h"

namespace attnscope {
namespace {

Normed norm_rows(const NormSpec& spec, const Tensor& weight, const Tensor& bias, const Tensor& x) {
  return spec.kind == NormSpec::Kind::layer ? layer_norm(x, weight, bias, spec.eps)
                                            : rms_norm(x, weight, spec.eps, spec.weight_offset);
}

}  // namespace

Normed apply_norm(const NormSpec& spec, const Tensor& weight, const Tensor& bias, const Tensor& x) {
  if (spec.kind == NormSpec::Kind::none) return {{}, x};
  if (x.rank() == 2) return norm_rows(spec, weight, bias, x);
  const std::int64_t heads = x.size(0), count = x.size(1), width = x.size(2);
  const Tensor flat = x.packed();  // [head, pos, d_head] as [head*pos, d_head]
  const Tensor rows = Tensor::borrow(std::make_shared<Tensor>(flat), flat.data(),
                                     Shape{{x.axis(1), heads * count}, {x.axis(2), width}});
  const Normed y = norm_rows(spec, weight, bias, rows);
  return {y.scale.split(0, x.axis(0), heads, x.axis(1)), y.out.split(0, x.axis(0), heads, x.axis(1))};
}

Tensor unembed(const ModelConfig& config, const Weights& weights, const Tensor& rows, Range part) {
  const std::string name(stack_prefix(config.stack));
  const Tensor weight = weights.get(name + "logits.weight"), bias = weights.get(name + "logits.bias");
  const Tensor from = config.head.scale == 1.f ? rows : scale(rows, config.head.scale);  // [row, d_model]
  const bool whole = part.begin == 0 && part.end == weight.size(1);
  const Tensor columns = whole ? weight : weight.slice(1, part.begin, part.end);
  const Tensor offset = bias.empty() || whole ? bias : bias.slice(0, part.begin, part.end);
  const Tensor raw = linear(from, columns, offset, Axis::vocab);  // [row, part]
  return config.head.cap > 0.f ? soft_cap(raw, config.head.cap) : raw;
}

Tensor through_head(const ModelConfig& config, const Weights& weights, const Tensor& rows) {
  const std::string base(stack_prefix(config.stack));
  const auto normed = [&](const NormSpec& spec, const char* name, const Tensor& x) {
    return apply_norm(spec, weights.get(base + name + ".weight"), weights.get(base + name + ".bias"), x).out;
  };
  Tensor x = normed(config.final_norm, "ln_final", rows);  // [row, d_model]
  if (!config.head.transform) return x;
  x = linear(x, weights.get(base + "head.pre.weight"), weights.get(base + "head.pre.bias"), Axis::d_model);
  return normed(config.head.norm, "ln_head", activate(config.head.activation, x));
}

}  // namespace attnscope
