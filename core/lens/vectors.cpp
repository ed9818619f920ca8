#include "core/lens/vectors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/keep_first.h"
#include "core/base/result.h"

namespace attnscope {
namespace {

constexpr double kNoVector = std::numeric_limits<double>::quiet_NaN();

double vectors_dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

Tensor vectors_row_of(const Trace& trace, const Site& site, std::int64_t row) {
  const Record* record = trace.find(site);
  if (!record || record->shape.size() != 2 || row < 0 || row >= record->shape[0]) return {};
  return trace.slice(site, 0, {row, row + 1}, {0, record->shape[1]}).select(0, 0);
}

}  // namespace

Relation relation(const Tensor& a, const Tensor& b) {
  CHECK(a.count() == b.count());
  const std::vector<float> x = a.values(), y = b.values();
  Relation out;
  out.length_a = std::sqrt(vectors_dot(x, x));
  out.length_b = std::sqrt(vectors_dot(y, y));
  out.dot = vectors_dot(x, y);
  const double lengths = out.length_a * out.length_b;
  out.cosine = lengths > 0 ? std::clamp(out.dot / lengths, -1.0, 1.0) : kNoVector;
  out.degrees = lengths > 0 ? std::acos(out.cosine) * 180 / std::numbers::pi : kNoVector;
  return out;
}

Tensor cosines(const Tensor& a, const Tensor& b, bool dots) {
  CHECK(a.size(1) == b.size(1));
  const auto rows_of = [](const Tensor& x) {
    std::vector<std::vector<float>> out;
    for (std::int64_t row = 0; row < x.size(0); ++row) out.push_back(x.slice(0, row, row + 1).values());
    return out;
  };
  const auto rows = rows_of(a), cols = rows_of(b);
  std::vector<double> lengths;
  for (const auto& col : cols) lengths.push_back(std::sqrt(vectors_dot(col, col)));
  std::vector<float> out;
  for (const auto& row : rows) {
    const double length = std::sqrt(vectors_dot(row, row));
    for (std::size_t j = 0; j < cols.size(); ++j) {
      const double product = vectors_dot(row, cols[j]), by = length * lengths[j];
      out.push_back(static_cast<float>(dots     ? product
                                       : by > 0 ? std::clamp(product / by, -1.0, 1.0)
                                                : kNoVector));
    }
  }
  return Tensor::from(std::move(out), {{Axis::query, a.size(0)}, {Axis::key, b.size(0)}});
}

std::vector<NearRow> nearest_rows(const Tensor& table, const Tensor& vector, std::size_t count,
                                  std::int64_t self) {
  CHECK(table.size(1) == vector.count());
  const std::vector<float> to = vector.values();
  const double length = std::sqrt(vectors_dot(to, to));
  std::vector<NearRow> all;
  for (std::int64_t row = 0; row < table.size(0); ++row) {
    if (row == self) continue;
    const std::vector<float> x = table.slice(0, row, row + 1).values();
    const double lengths = std::sqrt(vectors_dot(x, x)) * length;
    if (lengths > 0 && std::isfinite(lengths)) all.push_back({row, vectors_dot(x, to) / lengths});
  }
  keep_first(all, count, [](const NearRow& a, const NearRow& b) {
    return a.cosine != b.cosine ? a.cosine > b.cosine : a.row < b.row;
  });
  return all;
}

Tensor token_table(const Trace& trace, Stack stack) {
  const Tensor* found = trace.weights().find(std::string(stack_prefix(stack)) + "tok_embed.weight");
  return found && found->rank() == 2 ? *found : Tensor();
}

EmbeddingSum embedding_sum(const Trace& trace, Stack stack, std::int64_t row) {
  EmbeddingSum out;
  const ModelConfig& config = trace.config().of(stack);
  const auto at = [&](StepRole role) { return vectors_row_of(trace, site_of(role, -1, stack), row); };
  out.scale = config.embed_scale;
  if (config.patch.size == 0)
    out.token = at(StepRole::words);
  else if (!config.patch.class_token)
    out.token = at(StepRole::patches);
  else if (row > 0)
    out.token = vectors_row_of(trace, site_of(StepRole::patches, -1, stack), row - 1);
  else if (const Tensor* first =
               trace.weights().find(std::string(stack_prefix(stack)) + "class_embed.weight"))
    out.token = first->rank() == 2 ? first->select(0, 0) : *first;
  out.scaled = vectors_row_of(trace, site_of(slot_of(StepRole::words, Rule::scale), -1, stack), row);
  if (out.scaled.empty()) out.scaled = out.token;
  if (Tensor merged = at(StepRole::merged); !merged.empty()) out.scaled = std::move(merged);
  out.position = at(StepRole::position);
  out.type = at(StepRole::segment);
  std::vector<float> sum;
  for (const Tensor* part : {&out.scaled, &out.position, &out.type}) {
    if (part->empty()) continue;
    const std::vector<float> values = part->values();
    sum.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) sum[i] += values[i];
  }
  if (sum.empty()) return out;
  const auto width = static_cast<std::int64_t>(sum.size());
  out.added = Tensor::from(std::move(sum), {{Axis::d_model, width}});
  out.sum = at(StepRole::embedding);
  if (out.sum.empty()) out.sum = out.added;
  return out;
}

double position_share(const EmbeddingSum& sum, double factor) {
  if (sum.token.empty() || sum.position.empty() || sum.token.count() != sum.position.count())
    return kNoVector;
  const std::vector<float> e = sum.token.values(), p = sum.position.values();
  double along = 0, square = 0;
  for (std::size_t i = 0; i < e.size(); ++i) {
    const double x = factor * static_cast<double>(e[i]) + static_cast<double>(p[i]);
    along += static_cast<double>(p[i]) * x;
    square += x * x;
  }
  return square > 0 ? along / square : kNoVector;
}

}  // namespace attnscope
