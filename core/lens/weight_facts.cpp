#include "core/lens/weight_facts.h"

#include <algorithm>
#include <cmath>

#include "core/base/spread.h"
#include "core/base/text.h"
#include "core/lens/circuits.h"
#include "core/ops/matrices.h"
#include "core/trace/config.h"
#include "core/trace/editable.h"
#include "core/trace/ties.h"

namespace attnscope {
namespace {

// A circuit's name, taken apart.
struct CircuitName {
  int block = 0, head = 0;
  bool ov = false;
};

std::string circuit_base(const Model& model, int block) {
  return std::string(stack_prefix(model.config().stack)) + "blocks." + std::to_string(block) + ".attn.";
}

std::optional<CircuitName> circuit_named(const Model& model, const std::string& name) {
  const ModelConfig& config = model.config();
  for (int block = 0; block < config.n_layers(); ++block) {
    const std::string base = circuit_base(model, block);
    for (const bool ov : {false, true}) {
      const std::string begin = base + (ov ? "ov[head=" : "qk[head=");
      if (!starts_with(name, begin) || !ends_with(name, "]")) continue;
      const auto head = parse_index(name.substr(begin.size(), name.size() - begin.size() - 1));
      const int heads = config.blocks[static_cast<std::size_t>(block)].attention.n_heads;
      if (head && *head >= 0 && *head < heads) return CircuitName{block, static_cast<int>(*head), ov};
    }
  }
  return std::nullopt;
}

bool has_circuits(const Model& model) {
  return model.config().n_layers() > 0 && model.weights().find(circuit_base(model, 0) + "q.weight");
}

// Of a wide or a tall matrix, by its smaller side.
std::vector<double> spectrum_of(const Matrix64& a) {
  if (a.rows > a.cols) return singular_values(triangle_of(a));
  if (a.cols > a.rows) return singular_values(triangle_of(transposed(a)));
  return singular_values(a);
}

void take_values(WeightFacts& out, const std::vector<float>& all, int bins) {
  out.count = std::ssize(all);
  std::vector<double> sorted;
  sorted.reserve(all.size());
  double sum = 0, squares = 0;
  for (const float value : all) {
    if (!std::isfinite(value)) continue;
    const auto wide = static_cast<double>(value);
    sorted.push_back(wide);
    sum += wide, squares += wide * wide;
  }
  out.broken = out.count - std::ssize(sorted);
  out.norm = std::sqrt(squares);
  out.histogram = histogram_of(all, bins);
  if (sorted.empty()) return;
  const auto n = static_cast<double>(sorted.size());
  out.mean = sum / n;
  double off = 0;
  for (const double value : sorted) off += (value - out.mean) * (value - out.mean);
  out.deviation = std::sqrt(off / n);
  std::sort(sorted.begin(), sorted.end());
  out.least = sorted.front(), out.largest = sorted.back();
  for (std::size_t i = 0; i < kWeightQuantiles.size(); ++i)
    out.quantiles[i] = quantile(sorted, kWeightQuantiles[i]);
}

}  // namespace

Histogram histogram_of(const std::vector<float>& values, int bins) {
  Histogram out;
  out.counts.assign(static_cast<std::size_t>(bins), 0);
  bool any = false;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    const auto wide = static_cast<double>(value);
    out.from = any ? std::min(out.from, wide) : wide;
    out.to = any ? std::max(out.to, wide) : wide;
    any = true;
  }
  const double width = (out.to - out.from) / bins;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    const double place = width > 0 ? (static_cast<double>(value) - out.from) / width : 0;
    ++out.counts[static_cast<std::size_t>(std::clamp(static_cast<int>(place), 0, bins - 1))];
  }
  return out;
}

double WeightFacts::stable_rank() const {
  return singular.empty() || singular.front() == 0 ? 0 : norm * norm / (singular.front() * singular.front());
}

std::vector<std::string> weight_names(const Model& model) {
  std::vector<std::string> out;
  for (const auto& [name, tensor] : model.weights().all())
    if (!is_tied(model.config(), name)) out.push_back(name);
  if (!has_circuits(model)) return out;
  for (int block = 0; block < model.config().n_layers(); ++block)
    for (int head = 0; head < model.config().blocks[static_cast<std::size_t>(block)].attention.n_heads;
         ++head)
      for (const char* kind : {"qk", "ov"})
        out.push_back(circuit_base(model, block) + kind + "[head=" + std::to_string(head) + "]");
  return out;
}

double spectrum_cost(const Model& model, const std::string& name) {
  constexpr double kSweeps = 20;  // of an SVD, in products of the smaller side
  if (const auto circuit = circuit_named(model, name)) {
    const AttentionSpec& spec = model.config().blocks[static_cast<std::size_t>(circuit->block)].attention;
    const auto d = static_cast<double>(model.config().d_model), h = static_cast<double>(spec.d_head);
    return d * d * h + kSweeps * h * h * h;
  }
  const Tensor* tensor = model.weights().find(name);
  if (!tensor || tensor->rank() != 2) return 0;
  const auto rows = static_cast<double>(tensor->size(0)), cols = static_cast<double>(tensor->size(1));
  const double less = std::min(rows, cols);
  return less * less * std::max(rows, cols) + kSweeps * less * less * less;
}

Result<WeightFacts> weight_facts(const Model& model, const std::string& name, bool spectrum, int bins) {
  WeightFacts out;
  out.name = name;
  if (const auto circuit = circuit_named(model, name)) {
    TRY(const CircuitMatrix found,
        circuit_matrix(model, circuit->block, circuit->head, circuit->ov, spectrum));
    out.shape = {found.matrix.rows, found.matrix.cols};
    out.singular = found.values;
    std::vector<float> values;
    values.reserve(found.matrix.cells.size());
    for (const double cell : found.matrix.cells) values.push_back(static_cast<float>(cell));
    take_values(out, values, bins);
    out.norm = norm_of(found.matrix);
    return out;
  }
  TRY_OK(check_weight_name(model.weights(), name));
  const Tensor tensor = *model.weights().find(name);
  out.shape = tensor.sizes();
  take_values(out, tensor.values(), bins);
  if (spectrum && tensor.rank() == 2 && out.broken == 0) out.singular = spectrum_of(matrix64(tensor));
  return out;
}

}  // namespace attnscope
