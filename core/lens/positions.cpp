#include "core/lens/positions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace attnscope {

Tensor position_table(const ModelConfig& config, const Weights& weights, std::int64_t count) {
  const PositionSpec& spec = config.position;
  const std::int64_t offset = std::max<std::int64_t>(0, spec.offset);
  if (spec.kind == PositionSpec::Kind::sinusoidal)
    return sinusoidal_positions(offset, count, config.d_in, spec.halves);
  if (spec.kind != PositionSpec::Kind::learned) return {};
  const Tensor table = weights.get(std::string(stack_prefix(config.stack)) + "pos_embed.weight");
  return table.slice(0, std::min(offset, table.size(0)), std::min(offset + count, table.size(0))).packed();
}

Tensor sinusoid_table(std::int64_t count, std::int64_t width, bool halves, double base) {
  if (base == 10000) return sinusoidal_positions(0, count, width, halves);
  Buffer out({{Axis::pos, count}, {Axis::dim, width}});
  for (std::int64_t dim = 0; dim < width; ++dim) {
    const double frequency = 2.0 * std::numbers::pi / sinusoid_wavelength(dim, width, halves, base);
    const bool sine = dim == sinusoid_pair(dim, width, halves).sine;
    for (std::int64_t pos = 0; pos < count; ++pos) {
      const double angle = static_cast<double>(pos) * frequency;
      out.data()[pos * width + dim] = static_cast<float>(sine ? std::sin(angle) : std::cos(angle));
    }
  }
  return std::move(out).freeze();
}

SinusoidPair sinusoid_pair(std::int64_t dim, std::int64_t width, bool halves) {
  if (!halves) return {dim / 2 * 2, std::min(dim / 2 * 2 + 1, width - 1)};
  const std::int64_t half = (width + 1) / 2, pair = dim % half;
  return {pair, std::min(pair + half, width - 1)};
}

double sinusoid_wavelength(std::int64_t dim, std::int64_t width, bool halves, double base) {
  const std::int64_t pair = halves ? sinusoid_pair(dim, width, true).sine : dim / 2;
  const double exponent = 2.0 * static_cast<double>(pair) / static_cast<double>(width);
  return 2.0 * std::numbers::pi * std::pow(base, exponent);
}

Shift shift_encoding(const Tensor& table, std::int64_t pos, std::int64_t distance, bool halves, double base) {
  Shift out;
  const std::int64_t width = table.size(1);
  for (std::int64_t dim = 0; dim < width; ++dim) {
    const double angle = static_cast<double>(distance) * 2.0 * std::numbers::pi /
                         sinusoid_wavelength(dim, width, halves, base);
    const SinusoidPair pair = sinusoid_pair(dim, width, halves);
    const double sine = table.at(pos, pair.sine),
                 cosine = pair.cosine != pair.sine ? table.at(pos, pair.cosine) : 0.0;
    // sin(a + b) = sin a cos b + cos a sin b; cos(a + b) = cos a cos b - sin a sin b
    out.moved.push_back(dim == pair.sine ? sine * std::cos(angle) + cosine * std::sin(angle)
                                         : cosine * std::cos(angle) - sine * std::sin(angle));
    out.actual.push_back(table.at(pos + distance, dim));
    out.error = std::max(out.error, std::fabs(out.moved.back() - out.actual.back()));
  }
  return out;
}

std::vector<double> wavelengths_of(const Rotary& rotary) {
  std::vector<double> out;
  for (const double frequency : rotary.frequencies) out.push_back(2.0 * std::numbers::pi / frequency);
  return out;
}

RotaryPair rotary_pair(const Tensor& q, const Tensor& k, const Rotary& rotary, std::int64_t pair,
                       double query_pos, double key_pos) {
  RotaryPair out{};
  const auto turn = [&](const double(&from)[2], double angle, double(&to)[2]) {
    to[0] = (from[0] * std::cos(angle) - from[1] * std::sin(angle)) * rotary.magnitude;
    to[1] = (from[1] * std::cos(angle) + from[0] * std::sin(angle)) * rotary.magnitude;
  };
  const double frequency = rotary.frequencies[static_cast<std::size_t>(pair)];
  out.q[0] = q.at(rotary.first_of(pair));
  out.q[1] = q.at(rotary.second_of(pair));
  out.k[0] = k.at(rotary.first_of(pair));
  out.k[1] = k.at(rotary.second_of(pair));
  out.angle_q = query_pos * frequency;
  out.angle_k = key_pos * frequency;
  turn(out.q, out.angle_q, out.rotated_q);
  turn(out.k, out.angle_k, out.rotated_k);
  out.dot = out.rotated_q[0] * out.rotated_k[0] + out.rotated_q[1] * out.rotated_k[1];
  return out;
}

double rotary_dot(const Tensor& q, const Tensor& k, const Rotary& rotary, double query_pos, double key_pos) {
  double sum = 0;
  for (std::int64_t pair = 0; pair < rotary.pairs(); ++pair)
    sum += rotary_pair(q, k, rotary, pair, query_pos, key_pos).dot;
  for (std::int64_t i = 2 * rotary.pairs(); i < q.size(0); ++i) sum += static_cast<double>(q.at(i)) * k.at(i);
  return sum;
}

Tensor bias_rectangle(const Trace& trace, const Site& of, std::int64_t head, Range queries, Range keys) {
  const AttentionState* state = trace.attention(of);
  if (!state || state->in.bias.kind == ScoreBias::Kind::none) return {};
  const auto clamp = [](Range r, std::int64_t size) {
    const std::int64_t begin = std::clamp<std::int64_t>(r.begin, 0, size);
    return Range{begin, std::clamp<std::int64_t>(r.end, begin, size)};
  };
  queries = clamp(queries, state->in.q.size(1));
  keys = clamp(keys, state->in.k.size(1));
  Buffer out({{Axis::query, queries.size()}, {Axis::key, keys.size()}});
  float* at = out.data();
  for (std::int64_t query = queries.begin; query < queries.end; ++query)
    for (std::int64_t key = keys.begin; key < keys.end; ++key)
      *at++ = state->in.bias.at(head, state->in.first_query + query, key);
  return std::move(out).freeze();
}

Tensor bias_in_sight(const Trace& trace, const Site& of, std::int64_t head, Range queries, Range keys) {
  const Tensor bias = bias_rectangle(trace, of, head, queries, keys);
  if (bias.empty()) return bias;
  const AttentionState& state = *trace.attention(of);
  const std::int64_t first = state.in.first_query + std::max<std::int64_t>(0, queries.begin),
                     left = std::max<std::int64_t>(0, keys.begin);
  Buffer out({{Axis::query, bias.size(0)}, {Axis::key, bias.size(1)}});
  float* at = out.data();
  for (std::int64_t row = 0; row < bias.size(0); ++row)
    for (std::int64_t col = 0; col < bias.size(1); ++col)
      *at++ = state.in.mask.allowed(first + row, left + col) ? bias.at(row, col)
                                                             : -std::numeric_limits<float>::infinity();
  return std::move(out).freeze();
}

std::vector<BucketRange> bucket_ranges(const ScoreBias& bias) {
  std::vector<BucketRange> out;
  if (bias.kind != ScoreBias::Kind::buckets) return out;
  const std::int64_t far = bias.max_distance;
  for (std::int64_t distance = -far; distance <= (bias.both_directions ? far : 0); ++distance) {
    const std::int64_t bucket = distance < 0 ? bias.bucket(-distance, 0) : bias.bucket(0, distance);
    if (out.empty() || out.back().bucket != bucket) out.push_back({bucket, distance, distance, false});
    out.back().last = distance;
  }
  if (!out.empty()) out.front().open = true;
  if (!out.empty() && bias.both_directions) out.back().open = true;
  return out;
}

}  // namespace attnscope
