#include "core/session/training_curves.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace attnscope {
namespace {

double mean_of(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += values[i];
  return sum / static_cast<double>(std::max<std::size_t>(1, end - begin));
}

double norm_of(const std::map<std::string, double>& norms, const std::string& layer) {
  const auto at = norms.find(layer);
  return at == norms.end() ? 0.0 : at->second;
}

// "embed", the blocks by number, then the rest: the order of a forward pass. Names of several stacks
// ("enc.blocks.0") keep their stack together.
std::vector<std::string> layer_order(const StepReport& report) {
  std::set<std::string> names;
  for (const auto& [name, norm] : report.layer_gradients) names.insert(name);
  for (const auto& [name, norm] : report.layer_updates) names.insert(name);
  const auto key = [](const std::string& name) {
    const std::size_t dot = name.rfind('.'), digit = name.find_last_not_of("0123456789");
    const bool numbered = dot != std::string::npos && digit == dot && dot + 1 < name.size();
    const std::string stem = numbered ? name.substr(0, dot) : name;
    const auto begins = [&](const char* word) { return stem.rfind(word, 0) == 0; };
    const int stack = begins("vision.") ? 0 : begins("enc.") ? 1 : begins("dec.") ? 3 : 2;
    const bool embed = stem.find("embed") != std::string::npos;
    const int place = embed ? 0 : numbered ? 1 : 2;
    return std::tuple(embed && stack == 2 ? -1 : stack, place, numbered ? std::stoi(name.substr(dot + 1)) : 0,
                      stem);
  };
  std::vector<std::string> order(names.begin(), names.end());
  std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return order;
}

}  // namespace

void TrainingCurves::add(const StepReport& report) {
  if (loss.empty()) {
    first_step = report.step;
    layers = layer_order(report);
    gradients.assign(layers.size(), {});
    updates.assign(layers.size(), {});
  }
  const auto keep = static_cast<std::size_t>(std::clamp(report.step - first_step, 0, steps()));
  for (auto* curve : {&loss, &plain_loss, &accuracy, &learning_rate, &gradient_norm}) curve->resize(keep);
  loss.push_back(report.loss);
  plain_loss.push_back(report.plain_loss);
  accuracy.push_back(report.accuracy);
  learning_rate.push_back(report.learning_rate);
  gradient_norm.push_back(report.gradient_norm);
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    gradients[layer].resize(keep);
    updates[layer].resize(keep);
    gradients[layer].push_back(norm_of(report.layer_gradients, layers[layer]));
    updates[layer].push_back(norm_of(report.layer_updates, layers[layer]));
  }
}

std::vector<CurvePoint> shortened_curve(const std::vector<double>& values, int first_step, int most) {
  if (values.empty()) return {};
  std::vector<CurvePoint> out{{static_cast<double>(first_step), values.front()}};
  const std::size_t later = values.size() - 1, points = std::min<std::size_t>(later, std::max(1, most - 1));
  for (std::size_t point = 0; point < points; ++point) {
    const std::size_t begin = 1 + point * later / points, end = 1 + (point + 1) * later / points;
    out.push_back({first_step + (static_cast<double>(begin) + static_cast<double>(end) - 1) / 2,
                   mean_of(values, begin, end)});
  }
  return out;
}

Tensor layer_strip(const std::vector<std::vector<double>>& layers, int most) {
  if (layers.empty() || layers.front().empty()) return {};
  const std::size_t count = layers.front().size(), cols = std::min<std::size_t>(count, std::max(1, most));
  std::vector<float> cells;
  for (std::size_t row = layers.size(); row-- > 0;)
    for (std::size_t col = 0; col < cols; ++col)
      cells.push_back(static_cast<float>(mean_of(layers[row], col * count / cols, (col + 1) * count / cols)));
  return Tensor::from(std::move(cells), {{Axis::in, static_cast<std::int64_t>(layers.size())},
                                         {Axis::out, static_cast<std::int64_t>(cols)}});  // [layer, stretch]
}

std::pair<float, float> positive_range(const Tensor& values) {
  float lo = INFINITY, hi = 0;
  for (const float value : values.values())
    if (std::isfinite(value) && value > 0) lo = std::min(lo, value), hi = std::max(hi, value);
  return lo <= hi ? std::pair(lo, hi) : std::pair(1e-6f, 1.f);
}

std::vector<CurvePoint> planned_learning_rates(const Recipe& recipe, int most) {
  std::vector<CurvePoint> out;
  const int points = std::clamp(recipe.steps, 1, std::max(2, most));
  for (int point = 0; point < points; ++point) {
    const int step =
        points < 2 ? 0
                   : static_cast<int>(static_cast<std::int64_t>(point) * (recipe.steps - 1) / (points - 1));
    out.push_back({step + 1.0, learning_rate(recipe, step)});
  }
  return out;
}

RowTargets row_targets(const Trace& trace, const std::vector<int>& targets, std::int64_t row,
                       double smoothing, std::size_t most) {
  RowTargets out;
  const Tensor logits = trace.logits_row(row);  // [vocab]
  if (logits.empty()) return out;
  const std::vector<float> values = logits.values();
  const auto vocab = values.size();
  const double top = static_cast<double>(*std::max_element(values.begin(), values.end()));
  double sum = 0;
  for (const float value : values) sum += std::exp(static_cast<double>(value) - top);
  if (row >= 0 && row < static_cast<std::int64_t>(targets.size()))
    out.target = std::max(kNotCounted, targets[static_cast<std::size_t>(row)]);
  const double even = out.target >= 0 ? smoothing / static_cast<double>(vocab) : 0;
  std::vector<RowTarget> all;
  for (std::size_t token = 0; token < vocab; ++token) {
    const bool right = static_cast<int>(token) == out.target;
    const double log_p = static_cast<double>(values[token]) - top - std::log(sum);
    const double wanted = even + (right ? 1 - smoothing : 0);
    all.push_back({static_cast<int>(token), wanted, right ? 1.0 : 0.0, std::exp(log_p)});
    if (out.target >= 0) out.loss -= wanted > 0 ? wanted * log_p : 0;
    if (right) out.plain_loss = -log_p;
  }
  std::stable_sort(all.begin(), all.end(), [&](const RowTarget& a, const RowTarget& b) {
    if (a.unsmoothed != b.unsmoothed) return a.unsmoothed > b.unsmoothed;
    return a.predicted > b.predicted;
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < most) {
      out.rows.push_back(all[i]);
      continue;
    }
    ++out.rest.token;
    out.rest.target += all[i].target;
    out.rest.predicted += all[i].predicted;
  }
  return out;
}

std::vector<std::int64_t> counted_rows(const Example& example) {
  std::vector<std::int64_t> rows;
  for (std::size_t row = 0; row < example.targets.size(); ++row)
    if (example.targets[row] >= 0) rows.push_back(static_cast<std::int64_t>(row));
  return rows;
}

}  // namespace attnscope
