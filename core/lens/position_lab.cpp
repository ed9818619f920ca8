#include "core/lens/position_lab.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace attnscope {
namespace {

double position_lab_dot(const Tensor& a, std::int64_t row, const Tensor& b, std::int64_t other) {
  double sum = 0;
  for (std::int64_t dim = 0; dim < a.size(1); ++dim)
    sum += static_cast<double>(a.at(row, dim)) * static_cast<double>(b.at(other, dim));
  return sum;
}

}  // namespace

Tensor shift_matrix(std::int64_t width, double distance, bool halves, double base) {
  Buffer out({{Axis::dim, width}, {Axis::none, width}});
  std::fill_n(out.data(), width * width, 0.f);
  for (std::int64_t dim = 0; dim < width; ++dim) {
    const double angle = distance * 2.0 * std::numbers::pi / sinusoid_wavelength(dim, width, halves, base);
    const SinusoidPair pair = sinusoid_pair(dim, width, halves);
    float* row = out.data() + dim * width;
    row[dim] = static_cast<float>(std::cos(angle));
    if (pair.sine == pair.cosine) continue;
    if (dim == pair.sine)
      row[pair.cosine] = static_cast<float>(std::sin(angle));
    else
      row[pair.sine] = static_cast<float>(-std::sin(angle));
  }
  return std::move(out).freeze();
}

std::vector<double> dot_products(const Tensor& table, std::int64_t pos) {
  std::vector<double> out;
  for (std::int64_t other = 0; other < table.size(0); ++other)
    out.push_back(position_lab_dot(table, pos, table, other));
  return out;
}

Tensor similarity(const Tensor& table, std::int64_t most) {
  const std::int64_t count = std::min(table.size(0), most);
  std::vector<double> lengths;
  for (std::int64_t pos = 0; pos < count; ++pos)
    lengths.push_back(std::sqrt(position_lab_dot(table, pos, table, pos)));
  Buffer out({{Axis::pos, count}, {Axis::none, count}});
  for (std::int64_t a = 0; a < count; ++a)
    for (std::int64_t b = a; b < count; ++b) {
      const double product = lengths[static_cast<std::size_t>(a)] * lengths[static_cast<std::size_t>(b)];
      const auto cosine =
          static_cast<float>(product > 0 ? position_lab_dot(table, a, table, b) / product : 0.0);
      out.data()[a * count + b] = out.data()[b * count + a] = cosine;
    }
  return std::move(out).freeze();
}

Tensor binary_counter(std::int64_t count, std::int64_t bits) {
  Buffer out({{Axis::none, bits}, {Axis::pos, count}});
  for (std::int64_t bit = 0; bit < bits; ++bit)
    for (std::int64_t pos = 0; pos < count; ++pos)
      out.data()[bit * count + pos] = static_cast<float>((pos >> bit) & 1);
  return std::move(out).freeze();
}

Rotary rotary_variant(const ModelConfig& stack, int layer, RopeSpec::Kind kind, double factor) {
  const AttentionSpec& attention = stack.blocks[static_cast<std::size_t>(layer)].attention;
  RopeSpec rope = attention.position.rope;
  const double trained =
      stack.position.max_positions > 0 ? static_cast<double>(stack.position.max_positions) : 2048;
  rope.kind = kind;
  rope.factor = factor;
  rope.original_max_positions = trained;
  rope.low_freq_factor = 1, rope.high_freq_factor = 4;
  rope.factors.clear();
  return rotary_of(rope, attention.d_head, std::llround(trained * factor));
}

PairReach pair_reach(double frequency) {
  const double turn = 2.0 * std::numbers::pi / frequency;
  return {turn / 12, turn};
}

Tensor look_back(const Tensor& table, std::int64_t distance, double sharpness, bool halves, double base) {
  const std::int64_t count = table.size(0), width = table.size(1);
  const Tensor turn = shift_matrix(width, -static_cast<double>(distance), halves, base);
  Buffer scores({{Axis::query, count}, {Axis::key, count}});
  std::vector<double> query(static_cast<std::size_t>(width));
  for (std::int64_t pos = 0; pos < count; ++pos) {
    for (std::int64_t dim = 0; dim < width; ++dim) {
      double sum = 0;
      for (std::int64_t i = 0; i < width; ++i)
        sum += static_cast<double>(turn.at(dim, i)) * static_cast<double>(table.at(pos, i));
      query[static_cast<std::size_t>(dim)] = sum;
    }
    for (std::int64_t key = 0; key < count; ++key) {
      double sum = 0;
      for (std::int64_t dim = 0; dim < width; ++dim)
        sum += query[static_cast<std::size_t>(dim)] * static_cast<double>(table.at(key, dim));
      scores.data()[pos * count + key] =
          key > pos ? -std::numeric_limits<float>::infinity() : static_cast<float>(sharpness * sum);
    }
  }
  return softmax_rows(std::move(scores).freeze());
}

}  // namespace attnscope
