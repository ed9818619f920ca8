#include "core/lens/positions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace attnscope {

Tensor position_table(const ModelConfig& config, const Weights& weights, std::int64_t count) {
  if (config.position.kind == PositionSpec::Kind::sinusoidal)
    return sinusoidal_positions(0, count, config.d_in);
  if (config.position.kind != PositionSpec::Kind::learned) return {};
  const Tensor table = weights.get("pos_embed.weight");
  return table.slice(0, 0, std::min(count, table.size(0))).packed();
}

Tensor sinusoid_table(std::int64_t count, std::int64_t width) {
  return sinusoidal_positions(0, count, width);
}

double sinusoid_wavelength(std::int64_t dim, std::int64_t width) {
  const double exponent = 2.0 * static_cast<double>(dim / 2) / static_cast<double>(width);
  return 2.0 * std::numbers::pi * std::pow(10000.0, exponent);
}

std::vector<double> rope_wavelengths(const RopeSpec& spec, std::int64_t d_head) {
  std::vector<double> out;
  for (const double frequency : rope_frequencies(spec, d_head))
    out.push_back(2.0 * std::numbers::pi / frequency);
  return out;
}

Shift shift_encoding(const Tensor& table, std::int64_t pos, std::int64_t distance) {
  Shift out;
  const std::int64_t width = table.size(1);
  for (std::int64_t dim = 0; dim < width; ++dim) {
    const double angle =
        static_cast<double>(distance) * 2.0 * std::numbers::pi / sinusoid_wavelength(dim, width);
    const std::int64_t even = dim / 2 * 2;
    const double sine = table.at(pos, even), cosine = even + 1 < width ? table.at(pos, even + 1) : 0.0;
    // sin(a + b) = sin a cos b + cos a sin b; cos(a + b) = cos a cos b - sin a sin b
    out.moved.push_back(dim == even ? sine * std::cos(angle) + cosine * std::sin(angle)
                                    : cosine * std::cos(angle) - sine * std::sin(angle));
    out.actual.push_back(table.at(pos + distance, dim));
    out.error = std::max(out.error, std::fabs(out.moved.back() - out.actual.back()));
  }
  return out;
}

RotaryPair rotary_pair(const Tensor& q, const Tensor& k, const std::vector<double>& frequencies,
                       std::int64_t pair, double query_pos, double key_pos) {
  RotaryPair out{};
  const std::int64_t half = static_cast<std::int64_t>(frequencies.size());
  const auto turn = [](const double(&from)[2], double angle, double(&to)[2]) {
    to[0] = from[0] * std::cos(angle) - from[1] * std::sin(angle);
    to[1] = from[1] * std::cos(angle) + from[0] * std::sin(angle);
  };
  out.q[0] = q.at(pair);
  out.q[1] = q.at(pair + half);
  out.k[0] = k.at(pair);
  out.k[1] = k.at(pair + half);
  out.angle_q = query_pos * frequencies[static_cast<std::size_t>(pair)];
  out.angle_k = key_pos * frequencies[static_cast<std::size_t>(pair)];
  turn(out.q, out.angle_q, out.rotated_q);
  turn(out.k, out.angle_k, out.rotated_k);
  out.dot = out.rotated_q[0] * out.rotated_k[0] + out.rotated_q[1] * out.rotated_k[1];
  return out;
}

double rotary_dot(const Tensor& q, const Tensor& k, const std::vector<double>& frequencies, double query_pos,
                  double key_pos) {
  double sum = 0;
  const std::int64_t half = static_cast<std::int64_t>(frequencies.size());
  for (std::int64_t pair = 0; pair < half; ++pair)
    sum += rotary_pair(q, k, frequencies, pair, query_pos, key_pos).dot;
  for (std::int64_t i = 2 * half; i < q.size(0); ++i) sum += static_cast<double>(q.at(i)) * k.at(i);
  return sum;
}

}  // namespace attnscope
