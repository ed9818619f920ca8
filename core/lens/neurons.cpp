#include "core/lens/neurons.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/keep_first.h"
#include "core/trace/head.h"

namespace attnscope {
namespace {

// Rows less their mean where the norm takes it away, times the norm's gain; without its scale and bias.
Tensor by_gain(const NormSpec& spec, const Tensor& gain, const Tensor& rows) {
  if (spec.kind == NormSpec::Kind::none) return rows;
  const std::int64_t count = rows.size(0), width = rows.size(1);
  std::vector<float> out = rows.values();
  for (std::int64_t row = 0; row < count; ++row) {
    float* x = out.data() + row * width;
    const double mean = spec.kind == NormSpec::Kind::layer
                            ? std::accumulate(x, x + width, 0.0) / static_cast<double>(width)
                            : 0.0;
    for (std::int64_t i = 0; i < width; ++i) {
      const double by =
          gain.empty() ? 1.0 : static_cast<double>(gain.at(i)) + static_cast<double>(spec.weight_offset);
      x[i] = static_cast<float>((static_cast<double>(x[i]) - mean) * by);
    }
  }
  return Tensor::from(std::move(out), {{rows.axis(0), count}, {rows.axis(1), width}});
}

std::string base_of(const MlpPlace& place) {
  return std::string(stack_prefix(place.stack)) + "blocks." + std::to_string(place.layer) + ".";
}

Tensor neurons_row_of(const Tensor& matrix, std::int64_t row) {
  return Tensor::from(matrix.slice(0, row, row + 1).values(),
                      {{Axis::pos, 1}, {Axis::d_model, matrix.size(1)}});
}

// The norm whose result the MLP reads.
struct NormRead {
  NormSpec spec{NormSpec::Kind::none, 0, 0};
  Tensor gain;
};
NormRead norm_before(const ModelConfig& config, const Weights& weights, const MlpPlace& place) {
  const BlockSpec& block = config.of(place.stack).blocks[static_cast<std::size_t>(place.layer)];
  const bool first = block.order == NormOrder::post || block.shared_norm;
  const std::string name =
      first ? (block.order == NormOrder::post && block.cross ? "ln_cross" : "ln1") : "ln2";
  return {block.norm, weights.get(base_of(place) + name + ".weight")};
}

std::vector<NeuronToken> reads_of(const Trace& trace, const MlpPlace& place, std::int64_t neuron,
                                  std::size_t count) {
  const ModelConfig& stack = trace.config().of(place.stack);
  const Weights& weights = trace.weights();
  const bool gated = stack.blocks[static_cast<std::size_t>(place.layer)].mlp.kind == MlpSpec::Kind::gated;
  const Tensor* in = weights.find(base_of(place) + "mlp." + (gated ? "gate" : "pre") + ".weight");
  Tensor table = weights.get(std::string(stack_prefix(place.stack)) + "tok_embed.weight");
  if (!in || table.empty() || table.size(1) != in->size(0)) return {};
  const Tensor column =
      Tensor::from(in->slice(1, neuron, neuron + 1).values(), {{Axis::pos, 1}, {Axis::d_model, in->size(0)}});
  // E γ · w = E · (γ w): the gain goes to the column; a centring norm takes the column's mean from E's rows.
  const NormRead norm = norm_before(trace.config(), weights, place);
  std::vector<float> key = column.values();
  double mean = 0, length = 0;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (norm.spec.kind != NormSpec::Kind::none && !norm.gain.empty())
      key[i] *= norm.gain.at(static_cast<std::int64_t>(i)) + norm.spec.weight_offset;
    mean += static_cast<double>(key[i]);
  }
  mean = norm.spec.kind == NormSpec::Kind::layer ? mean / static_cast<double>(key.size()) : 0;
  for (float& value : key) {
    value = static_cast<float>(static_cast<double>(value) - mean);
    length += static_cast<double>(value) * static_cast<double>(value);
  }
  const auto width = static_cast<std::int64_t>(key.size());
  const Tensor along = linear(Tensor::from(std::move(key), {{Axis::pos, 1}, {Axis::d_model, width}}),
                              table.transpose(), {}, Axis::vocab);  // [1, vocab]
  std::vector<float> cosines(static_cast<std::size_t>(table.size(0)));
  for (std::int64_t id = 0; id < table.size(0); ++id) {
    const std::vector<float> row = table.slice(0, id, id + 1).values();
    double square = 0, sum = 0;
    for (const float value : row) {
      square += static_cast<double>(value) * static_cast<double>(value);
      sum += static_cast<double>(value);
    }
    if (norm.spec.kind == NormSpec::Kind::layer) square -= sum * sum / static_cast<double>(row.size());
    const double by = std::sqrt(std::max(0.0, square) * length);
    cosines[static_cast<std::size_t>(id)] =
        by > 0 ? static_cast<float>(static_cast<double>(along.at(0, id)) / by) : 0.f;
  }
  return largest_tokens(Tensor::from(std::move(cosines), {{Axis::pos, 1}, {Axis::vocab, table.size(0)}}),
                        count, 1);
}

}  // namespace

bool has_neurons(const Trace& trace, const MlpPlace& place) {
  return place.layer >= 0 && trace.find(place.site(StepRole::neurons)) != nullptr;
}

bool has_neurons(const Trace& trace) {
  return std::any_of(trace.records().begin(), trace.records().end(),
                     [](const Record& record) { return record.site.is(StepRole::neurons); });
}

std::vector<Neuron> strongest_neurons(const Trace& trace, const MlpPlace& place, std::int64_t pos,
                                      std::size_t count) {
  const Record* record = trace.find(place.site(StepRole::neurons));
  if (!record || pos < 0 || pos >= record->shape[0]) return {};
  const std::int64_t width = record->shape[1];
  const Tensor row = trace.slice(record->site, 0, {pos, pos + 1}, {0, width});  // [1, d_mlp]
  const Tensor* out = trace.weights().find(base_of(place) + "mlp.out.weight");  // [d_mlp, d_model]
  std::vector<Neuron> all;
  for (std::int64_t i = 0; i < width; ++i) {
    Neuron one{i, row.at(0, i), std::fabs(static_cast<double>(row.at(0, i)))};
    if (out && one.adds > 0) {
      double square = 0;
      for (const float value : out->slice(0, i, i + 1).values())
        square += static_cast<double>(value) * static_cast<double>(value);
      one.adds *= std::sqrt(square);
    }
    if (std::isfinite(one.adds)) all.push_back(one);
  }
  keep_first(all, count, [](const Neuron& a, const Neuron& b) {
    return a.adds != b.adds ? a.adds > b.adds : a.index < b.index;
  });
  return all;
}

std::vector<NeuronToken> largest_tokens(const Tensor& values, std::size_t count, float sign) {
  std::vector<NeuronToken> all;
  for (std::int64_t id = 0; id < values.size(1); ++id)
    if (const float value = values.at(0, id); std::isfinite(value))
      all.push_back({static_cast<int>(id), value});
  keep_first(all, count, [&](const NeuronToken& a, const NeuronToken& b) {
    return a.value != b.value ? sign * a.value > sign * b.value : a.token < b.token;
  });
  return all;
}

Tensor unembedded(const ModelConfig& config, const Weights& weights, const Tensor& rows) {
  const Tensor* words = weights.find(std::string(stack_prefix(config.stack)) + "logits.weight");
  if (!config.head.present || config.head.transform || !words || words->size(0) != rows.size(1)) return {};
  return linear(config.head.scale == 1.f ? rows : scale(rows, config.head.scale), *words, {}, Axis::vocab);
}

Tensor direction_logits(const ModelConfig& config, const Weights& weights, const Tensor& directions) {
  const Tensor* gain = weights.find(std::string(stack_prefix(config.stack)) + "ln_final.weight");
  return unembedded(config, weights, by_gain(config.final_norm, gain ? *gain : Tensor(), directions));
}

NeuronWords neuron_words(const Trace& trace, const MlpPlace& place, std::int64_t neuron, std::size_t count) {
  NeuronWords out;
  out.reads = reads_of(trace, place, neuron, count);
  const Tensor* writes = trace.weights().find(base_of(place) + "mlp.out.weight");
  if (!writes || place.stack != trace.config().stack) return out;
  // What the block's own norm makes of what is written, before the final norm.
  const BlockSpec& block = trace.config().blocks[static_cast<std::size_t>(place.layer)];
  Tensor row = neurons_row_of(*writes, neuron);
  if (block.branch_norms)
    row = by_gain(block.norm, trace.weights().get(base_of(place) + "ln2_post.weight"), row);
  if (block.order == NormOrder::post)
    row = by_gain(block.norm, trace.weights().get(base_of(place) + "ln2.weight"), row);
  const Tensor logits = direction_logits(trace.config(), trace.weights(), row);
  if (logits.empty()) return out;
  out.promotes = largest_tokens(logits, count, 1);
  out.suppresses = largest_tokens(logits, count, -1);
  return out;
}

}  // namespace attnscope
