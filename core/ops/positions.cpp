// Positions as numbers: rotary frequencies and rotation, and the sinusoidal table. Angles are computed in
// double.
#include <algorithm>
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

// The "dynamic" scaling (NTK-aware): beyond the original length theta grows, so that the slowest pair turns
// as if positions were stretched while the fastest one turns on as before.
double dynamic_theta(const RopeSpec& spec, std::int64_t rotary, std::int64_t length) {
  const double stretch = std::max(1.0, static_cast<double>(length) / spec.original_max_positions);
  const double dims = static_cast<double>(rotary);
  if (rotary <= 2) return spec.theta;  // its only pair turns by 1 for any theta
  return spec.theta * std::pow(spec.factor * stretch - (spec.factor - 1), dims / (dims - 2));
}

// The "yarn" scaling: pairs before the first border turn as before, those behind the second are stretched,
// those between blended.
class YarnRamp {
 public:
  YarnRamp(const RopeSpec& spec, std::int64_t rotary) : factor_(spec.factor) {
    const auto border = [&](double turns) {  // pair that turns this often over the original length
      return static_cast<double>(rotary) * std::log(spec.original_max_positions / (turns * 2 * M_PI)) /
             (2 * std::log(spec.theta));
    };
    first_ = border(spec.beta_fast);
    last_ = border(spec.beta_slow);
    if (spec.truncate) {
      first_ = std::floor(first_);
      last_ = std::ceil(last_);
    }
    first_ = std::max(first_, 0.0);
    last_ = std::min(last_, static_cast<double>(rotary - 1));
    if (first_ == last_) last_ += 0.001;
  }
  double apply(std::int64_t pair, double frequency) const {
    const double stretched = std::clamp((static_cast<double>(pair) - first_) / (last_ - first_), 0.0, 1.0);
    return frequency / factor_ * stretched + frequency * (1 - stretched);
  }

 private:
  double factor_, first_ = 0, last_ = 0;
};

// Turns one row: from and to are [d_head], cosine and sine [pairs].
void turn(const float* from, std::int64_t step, const float* cosine, const float* sine, std::int64_t pairs,
          std::int64_t d_head, bool interleaved, float* to) {
  for (std::int64_t i = 0; i < pairs; ++i) {
    const std::int64_t low = interleaved ? 2 * i : i, high = interleaved ? 2 * i + 1 : i + pairs;
    const float a = from[low * step], b = from[high * step];
    to[low] = a * cosine[i] - b * sine[i];
    to[high] = b * cosine[i] + a * sine[i];
  }
  for (std::int64_t i = 2 * pairs; i < d_head; ++i) to[i] = from[i * step];
}

}  // namespace

std::vector<double> rope_frequencies(const RopeSpec& spec, std::int64_t d_head, std::int64_t length) {
  const std::int64_t rotary = spec.rotary_dims > 0 ? spec.rotary_dims : d_head;
  CHECK(rotary <= d_head && rotary % 2 == 0);
  CHECK(spec.factors.empty() || static_cast<std::int64_t>(spec.factors.size()) * 2 == rotary);
  const std::int64_t dims = spec.frequency_dims > 0 ? spec.frequency_dims : rotary;
  const double theta = spec.kind == RopeSpec::Kind::dynamic ? dynamic_theta(spec, dims, length) : spec.theta;
  const YarnRamp yarn(spec, dims);
  std::vector<double> frequencies;
  for (std::int64_t i = 0; i < rotary; i += 2) {
    double frequency = std::pow(theta, -static_cast<double>(i) / static_cast<double>(dims));
    if (spec.kind == RopeSpec::Kind::linear) frequency /= spec.factor;
    if (spec.kind == RopeSpec::Kind::llama3) frequency = llama3_frequency(spec, frequency);
    if (spec.kind == RopeSpec::Kind::yarn) frequency = yarn.apply(i / 2, frequency);
    if (!spec.factors.empty()) frequency /= spec.factors[static_cast<std::size_t>(i / 2)];
    frequencies.push_back(frequency);
  }
  return frequencies;
}

double rope_magnitude(const RopeSpec& spec) {
  if (spec.kind != RopeSpec::Kind::yarn) return 1.0;
  if (spec.attention_factor > 0) return spec.attention_factor;
  return spec.factor > 1 ? 0.1 * std::log(spec.factor) + 1.0 : 1.0;
}

Tensor rotate(const Tensor& x, const std::vector<double>& frequencies, const Positions& positions,
              bool interleaved, double magnitude) {
  CHECK(x.rank() == 3);
  const std::int64_t heads = x.size(0), count = x.size(1), d_head = x.size(2);
  const std::int64_t pairs = static_cast<std::int64_t>(frequencies.size());
  CHECK(2 * pairs <= d_head);
  Buffer out({{x.axis(1), count}, {x.axis(0), heads}, {x.axis(2), d_head}});  // [pos, head, d_head]
  parallel_for(count, 8, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> cosine(frequencies.size()), sine(frequencies.size());
    for (std::int64_t pos = begin; pos < end; ++pos) {
      for (std::size_t i = 0; i < frequencies.size(); ++i) {
        const double angle = static_cast<double>(positions.of(pos)) * frequencies[i];
        cosine[i] = static_cast<float>(std::cos(angle) * magnitude);
        sine[i] = static_cast<float>(std::sin(angle) * magnitude);
      }
      for (std::int64_t head = 0; head < heads; ++head)
        turn(x.data() + head * x.stride(0) + pos * x.stride(1), x.stride(2), cosine.data(), sine.data(),
             pairs, d_head, interleaved, out.data() + (pos * heads + head) * d_head);
    }
  });
  return std::move(out).freeze().permute({1, 0, 2});  // [head, pos, d_head]
}

Tensor sinusoidal_positions(std::int64_t first_pos, std::int64_t count, std::int64_t d_model, bool halves) {
  Buffer out({{Axis::pos, count}, {Axis::dim, d_model}});  // [pos, dim]
  float* to = out.data();
  for (std::int64_t pos = first_pos; pos < first_pos + count; ++pos)
    for (std::int64_t dim = 0; dim < d_model; ++dim) {
      const std::int64_t wave = halves ? dim % ((d_model + 1) / 2) : dim / 2;  // of the sine and cosine pair
      const bool sine = halves ? dim < (d_model + 1) / 2 : dim % 2 == 0;
      const double angle = static_cast<double>(pos) *
                           std::pow(10000.0, -2.0 * static_cast<double>(wave) / static_cast<double>(d_model));
      *to++ = static_cast<float>(sine ? std::sin(angle) : std::cos(angle));
    }
  return std::move(out).freeze();
}

}  // namespace attnscope
