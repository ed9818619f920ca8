// Softmax as written and as computed: where exp overflows in float32 and float16, what a constant added to a
// row changes, and the result for a fully masked row.
#include <algorithm>
#include <cmath>

#include "core/lab/half.h"
#include "core/lab/pieces.h"
#include "core/ops/ops.h"

namespace attnscope {
namespace {

constexpr std::int64_t kLabSoftmaxKeys = 5;
constexpr double kMostScore = 200;

/// Every step rounded to the precision.
struct Rounding {
  bool half = false;
  double operator()(double value) const {
    return half ? rounded_to_half(static_cast<float>(value)) : static_cast<double>(static_cast<float>(value));
  }
  double most() const { return half ? kMostHalf : 3.4028234663852886e38; }
};

/// One row of softmax, step by step.
struct SoftmaxRow {
  std::vector<double> scores, exponentials, weights;
  double sum = 0;
};

// `shift`: what is subtracted first.
SoftmaxRow softmax_of(const std::vector<double>& scores, double shift, const Rounding& rounded) {
  SoftmaxRow out;
  out.scores = scores;
  for (const double score : scores) {
    out.exponentials.push_back(rounded(std::exp(rounded(score - shift))));
    out.sum = rounded(out.sum + out.exponentials.back());
  }
  for (const double value : out.exponentials) out.weights.push_back(rounded(value / out.sum));
  return out;
}

std::vector<double> scores_of(double largest, double constant, int mask) {
  std::vector<double> scores{largest, largest - 1, largest - 2, largest / 2, 0};
  for (double& score : scores) score += constant;
  const std::size_t seen = mask == 2 ? 0 : mask == 1 ? 3 : kLabSoftmaxKeys;
  for (std::size_t key = seen; key < kLabSoftmaxKeys; ++key) scores[key] = -INFINITY;
  return scores;
}

Tensor core_softmax(const std::vector<double>& scores) {
  std::vector<float> row;
  for (const double score : scores) row.push_back(static_cast<float>(score));
  return softmax_rows(Tensor::from(std::move(row), {{Axis::query, 1}, {Axis::key, kLabSoftmaxKeys}}));
}

bool has_nan(const SoftmaxRow& row) {
  return std::any_of(row.weights.begin(), row.weights.end(), [](double w) { return std::isnan(w); });
}

// The program's kernels have no subnormal numbers: what is smaller than the smallest normal float becomes 0.
Text by_the_program(double weight, double exact) {
  const bool flushed = weight == 0 && exact > 0;
  return flushed ? Text::of("lab.softmax.flushed", {shown(0x1p-126, 2)}) : Text(shown(weight));
}

LabTable steps_table(const SoftmaxRow& naive, const SoftmaxRow& safe, const Tensor& core) {
  LabTable out;
  out.title = Text::of("lab.softmax.steps");
  out.header = {Text(),
                Text::of("lab.softmax.score"),
                "exp(x)",
                Text::of("lab.softmax.naive"),
                "exp(x − max)",
                Text::of("lab.softmax.safe"),
                Text::of("lab.softmax.core")};
  for (std::size_t key = 0; key < kLabSoftmaxKeys; ++key)
    out.rows.push_back(
        fact(Text::of("lab.softmax.key", {key}),
             {shown(naive.scores[key]), shown(naive.exponentials[key]), shown(naive.weights[key]),
              shown(safe.exponentials[key]), shown(safe.weights[key]),
              by_the_program(static_cast<double>(core.at(0, static_cast<std::int64_t>(key))),
                             safe.weights[key])}));
  out.rows.push_back(fact(Text::of("lab.softmax.sum"), {"", shown(naive.sum), "", shown(safe.sum), "", ""}));
  return out;
}

LabPlot exp_plot(const std::vector<double>& scores, const Rounding& rounded) {
  LabPlot out;
  out.title = Text::of("lab.softmax.curve");
  out.x_title = Text::of("lab.softmax.score");
  out.log_y = true;
  const double limit = std::log(rounded.most());
  LabSeries curve{"exp(x)", {}, LabInk::blue}, points{Text::of("lab.softmax.these"), {}, LabInk::red};
  for (int i = 0; i <= 200; ++i) curve.points.emplace_back(limit * i / 200, std::exp(limit * i / 200));
  for (const double score : scores)
    if (score >= 0 && score <= limit) points.points.emplace_back(score, std::exp(score));
  points.points_only = true;
  out.series = {curve};
  if (!points.points.empty()) out.series.push_back(points);
  out.x = {0, std::max(limit * 1.15, 16.0)};
  out.y = {1, rounded.most() * (rounded.half ? 4 : 0.99)};
  out.x_marks = {limit};
  return out;
}

LabBars weight_bars(const SoftmaxRow& safe) {
  LabBars out;
  out.title = Text::of("lab.softmax.weights");
  out.most = 1;
  for (std::size_t key = 0; key < kLabSoftmaxKeys; ++key) {
    const double weight = safe.weights[key];
    out.bars.push_back({Text::of("lab.softmax.key", {key}), std::isnan(weight) ? 0 : weight, shown(weight, 3),
                        LabInk::amber});
  }
  return out;
}

Result<LabPicture> compute_softmax(const LabValues& values, const std::atomic<bool>&) {
  const Rounding rounded{values.choice("precision") == 1};
  const double constant = values.number("constant");
  const int mask = values.choice("mask");
  const std::vector<double> scores = scores_of(values.number("largest"), constant, mask);
  const double most = *std::max_element(scores.begin(), scores.end());
  const SoftmaxRow naive = softmax_of(scores, 0, rounded), safe = softmax_of(scores, most, rounded);
  LabPicture out;
  out.pieces = {{steps_table(naive, safe, core_softmax(scores)), 1, true, 1},
                in_full({exp_plot(scores, rounded), 1.2f, true, 1}),
                {weight_bars(safe), 1}};
  out.formula = Text::of("lab.softmax.formula", {shown(most)});
  const Text limit = shown(std::log(rounded.most()));
  const char* key = mask == 2                                 ? "lab.softmax.notice.masked"
                    : has_nan(naive) && std::isinf(naive.sum) ? "lab.softmax.notice.overflow"
                    : has_nan(naive)                          ? "lab.softmax.notice.underflow"
                    : constant != 0                           ? "lab.softmax.notice.constant"
                                                              : "lab.softmax.notice.same";
  out.notice = Text::of(key, {limit, shown(most), shown(constant)});
  return out;
}

}  // namespace

Lab lab_softmax();
Lab lab_softmax() {
  return {"lab.softmax",
          2,
          {real_control("lab.softmax.largest", 0, kMostScore, 100),
           whole_control("lab.softmax.constant", -kMostScore, kMostScore, 0),
           choice_control("lab.softmax.precision",
                          {"lab.softmax.precision.float32", "lab.softmax.precision.float16"}),
           choice_control("lab.softmax.mask",
                          {"lab.softmax.mask.none", "lab.softmax.mask.two", "lab.softmax.mask.all"})},
          compute_softmax,
          {"largest", 0},
          {"largest", 20, "precision"}};
}

}  // namespace attnscope
