#include "core/lens/head_side.h"

#include <cmath>

#include "core/trace/rotary.h"
#include "core/trace/row_parts.h"

namespace attnscope {
namespace {

void norm_head(const Trace& trace, const Site& pattern, Hue hue, std::int64_t head, std::int64_t row,
               std::vector<double>& values) {
  const NormSpec& spec = trace.config().attention_at(pattern).qk_norm;
  const Site normed = pattern.near(StepRole::head_norm, hue);
  if (spec.kind == NormSpec::Kind::none || !trace.find(normed)) return;
  const Site before = pattern.near(StepRole::split, hue);
  const Tensor x = trace.slice(before, head, {row, row + 1}, {0, static_cast<std::int64_t>(values.size())});
  const double scale = static_cast<double>(norm_scales(x.packed(), spec).at(0));
  const Tensor gain = trace.weights().get(to_text(normed) + ".weight");
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] *= (gain.empty() ? 1.0
                               : static_cast<double>(gain.at(static_cast<std::int64_t>(i))) +
                                     static_cast<double>(spec.weight_offset)) /
                 scale;
}

// `turn`: 1 forwards, -1 the transposed rotation.
void rotate_row(const Trace& trace, const Site& pattern, std::int64_t row, double turn,
                std::vector<double>& values) {
  if (!trace.config().attention_at(pattern).position.rotates()) return;
  const Rotary rotary = rotary_of(trace, pattern);
  const double at = static_cast<double>(trace.positions(pattern.stack).of(row)) * turn;
  for (std::int64_t pair = 0; pair < rotary.pairs(); ++pair) {
    double& a = values[static_cast<std::size_t>(rotary.first_of(pair))];
    double& b = values[static_cast<std::size_t>(rotary.second_of(pair))];
    const double angle = at * rotary.frequencies[static_cast<std::size_t>(pair)];
    const double cosine = std::cos(angle) * rotary.magnitude, sine = std::sin(angle) * rotary.magnitude;
    const double x = a, y = b;
    a = x * cosine - y * sine;
    b = y * cosine + x * sine;
  }
}

}  // namespace

void through_head_side(const Trace& trace, const Site& pattern, Hue hue, std::int64_t head, std::int64_t row,
                       std::vector<double>& values) {
  norm_head(trace, pattern, hue, head, row, values);
  rotate_row(trace, pattern, row, 1, values);
}

void back_through_head_side(const Trace& trace, const Site& pattern, Hue hue, std::int64_t head,
                            std::int64_t row, std::vector<double>& values) {
  rotate_row(trace, pattern, row, -1, values);
  norm_head(trace, pattern, hue, head, row, values);  // a factor for each dimension: its own transpose
}

}  // namespace attnscope
