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

Tensor normed_by(const NormSpec& spec, const Tensor& weight, const Tensor& bias, const Tensor& x,
                 const Tensor& scale, const Normed& made) {
  const std::int64_t width = x.size(1);
  Buffer out({{x.axis(0), x.size(0)}, {x.axis(1), width}});
  made.out.read(out.data());
  for (std::int64_t row = 0; row < x.size(0); ++row) {
    if (scale.at(row) == made.scale.at(row)) continue;
    double sum = 0;
    for (std::int64_t i = 0; i < width; ++i) sum += static_cast<double>(x.at(row, i));
    const double mean = spec.kind == NormSpec::Kind::layer ? sum / static_cast<double>(width) : 0.0;
    for (std::int64_t i = 0; i < width; ++i) {
      const double gain =
          weight.empty() ? 1.0 : static_cast<double>(weight.at(i)) + static_cast<double>(spec.weight_offset);
      const double y = (static_cast<double>(x.at(row, i)) - mean) / static_cast<double>(scale.at(row)) * gain;
      out.data()[row * width + i] =
          static_cast<float>(y + (bias.empty() ? 0.0 : static_cast<double>(bias.at(i))));
    }
  }
  return std::move(out).freeze();
}

bool reads_words(const Trace& trace) {
  const std::string name(stack_prefix(trace.config().stack));
  return trace.config().head.present && trace.weights().find(name + "logits.weight") != nullptr;
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
