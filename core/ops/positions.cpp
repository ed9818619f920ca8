// Positions as numbers: rotary frequencies and rotation, and the sinusoidal table. Angles are computed in
// double.
#include <cmath>

#include "core/base/thread_pool.h"
#include "core/ops/ops.h"

namespace attnscope {
namespace {

// The "llama3" scaling: long wavelengths are stretched by `factor`, short ones kept, those between blended.
double llama3_frequency(const RopeSpec& spec, double frequency) {
  const double turns = spec.original_max_positions * frequency / (2 * M_PI);  // over the original context
  if (turns < spec.low_freq_factor) return frequency / spec.factor;
  if (turns > spec.high_freq_factor) return frequency;
  const double blend = (turns - spec.low_freq_factor) / (spec.high_freq_factor - spec.low_freq_factor);
  return (1 - blend) * frequency / spec.factor + blend * frequency;
}

// Turns one row: from and to are [d_head], cosine and sine [pairs].
void turn(const float* from, std::int64_t step, const float* cosine, const float* sine, std::int64_t pairs,
          std::int64_t d_head, float* to) {
  for (std::int64_t i = 0; i < pairs; ++i) {
    const float a = from[i * step], b = from[(i + pairs) * step];
    to[i] = a * cosine[i] - b * sine[i];
    to[i + pairs] = b * cosine[i] + a * sine[i];
  }
  for (std::int64_t i = 2 * pairs; i < d_head; ++i) to[i] = from[i * step];
}

}  // namespace

std::vector<double> rope_frequencies(const RopeSpec& spec, std::int64_t d_head) {
  const std::int64_t rotary = spec.rotary_dims > 0 ? spec.rotary_dims : d_head;
  CHECK(rotary <= d_head && rotary % 2 == 0);
  std::vector<double> frequencies;
  for (std::int64_t i = 0; i < rotary; i += 2) {
    double frequency = std::pow(spec.theta, -static_cast<double>(i) / static_cast<double>(rotary));
    if (spec.kind == RopeSpec::Kind::linear) frequency /= spec.factor;
    if (spec.kind == RopeSpec::Kind::llama3) frequency = llama3_frequency(spec, frequency);
    frequencies.push_back(frequency);
  }
  return frequencies;
}

Tensor rotate(const Tensor& x, const std::vector<double>& frequencies, std::int64_t first_pos) {
  CHECK(x.rank() == 3);
  const std::int64_t heads = x.size(0), count = x.size(1), d_head = x.size(2);
  const std::int64_t pairs = static_cast<std::int64_t>(frequencies.size());
  CHECK(2 * pairs <= d_head);
  Buffer out({{x.axis(1), count}, {x.axis(0), heads}, {x.axis(2), d_head}});  // [pos, head, d_head]
  parallel_for(count, 8, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> cosine(frequencies.size()), sine(frequencies.size());
    for (std::int64_t pos = begin; pos < end; ++pos) {
      for (std::size_t i = 0; i < frequencies.size(); ++i) {
        const double angle = static_cast<double>(first_pos + pos) * frequencies[i];
        cosine[i] = static_cast<float>(std::cos(angle));
        sine[i] = static_cast<float>(std::sin(angle));
      }
      for (std::int64_t head = 0; head < heads; ++head)
        turn(x.data() + head * x.stride(0) + pos * x.stride(1), x.stride(2), cosine.data(), sine.data(),
             pairs, d_head, out.data() + (pos * heads + head) * d_head);
    }
  });
  return std::move(out).freeze().permute({1, 0, 2});  // [head, pos, d_head]
}

Tensor sinusoidal_positions(std::int64_t first_pos, std::int64_t count, std::int64_t d_model) {
  Buffer out({{Axis::pos, count}, {Axis::dim, d_model}});  // [pos, dim]
  float* to = out.data();
  for (std::int64_t pos = first_pos; pos < first_pos + count; ++pos)
    for (std::int64_t dim = 0; dim < d_model; ++dim) {
      const double exponent = static_cast<double>(dim / 2 * 2) / static_cast<double>(d_model);
      const double angle = static_cast<double>(pos) * std::pow(10000.0, -exponent);
      *to++ = static_cast<float>(dim % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  return std::move(out).freeze();
}

}  // namespace attnscope
