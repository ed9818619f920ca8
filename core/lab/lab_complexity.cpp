// What a layer costs over the length of its input: attention, recurrence and convolution by their counts, and
// the running core's attention by the clock.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/lab/pieces.h"
#include "core/ops/ops.h"

namespace attnscope {
namespace {

constexpr double kLongest = 131072;
constexpr int kLabComplexityRounds = 7;
constexpr std::int64_t kLabComplexityMeasured[] = {16, 32, 64, 128, 256, 512, 1024};

struct LayerKind {
  double products = 0, sequential = 0, path = 0;
};
// Vaswani et al. 2017, table 1.
LayerKind attention_layer(double n, double d) { return {n * n * d, 1, 1}; }
LayerKind recurrent_layer(double n, double d) { return {n * d * d, n, n}; }
LayerKind convolution_layer(double n, double d, double k) {
  return {k * n * d * d, 1, std::max(1.0, std::ceil(std::log(n) / std::log(k)))};
}

// One head of width d over n rows, both directions.
Timing lab_complexity_measured(std::int64_t n, std::int64_t d) {
  AttentionInputs in;
  const Tensor rows = normal_rows(5, n, d);
  in.q = in.k = in.v = Tensor::from(rows.values(), {{Axis::head, 1}, {Axis::pos, n}, {Axis::d_head, d}});
  in.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(d)));
  in.mask.causal = false;
  return timed(kLabComplexityRounds, [&] { (void)attend(in); });
}

LabTable table_of(double n, double d, double k) {
  LabTable out;
  out.title = Text::of("lab.complexity.table", {shown(n), shown(d)});
  out.header = {Text(), Text::of("lab.complexity.rule"), Text::of("lab.complexity.products"),
                Text::of("lab.complexity.sequential"), Text::of("lab.complexity.path")};
  const auto row = [&](const char* key, const char* rule, const LayerKind& layer) {
    out.rows.push_back(
        fact(Text::of(key), {rule, shown(layer.products), shown(layer.sequential), shown(layer.path)}));
  };
  row("lab.complexity.attention", "n² · d", attention_layer(n, d));
  row("lab.complexity.recurrent", "n · d²", recurrent_layer(n, d));
  row("lab.complexity.convolution", "k · n · d²", convolution_layer(n, d, k));
  return out;
}

LabPlot count_plot(double n, double d, double k) {
  LabPlot out;
  out.title = Text::of("lab.complexity.products");
  out.x_title = Text::of("lab.complexity.n");
  out.log_x = out.log_y = true;
  LabSeries attention{Text::of("lab.complexity.attention"), {}, LabInk::amber},
      recurrent{Text::of("lab.complexity.recurrent"), {}, LabInk::blue},
      convolution{Text::of("lab.complexity.convolution"), {}, LabInk::green};
  for (const double at : powers_between(16, kLongest, 27)) {
    attention.points.emplace_back(at, attention_layer(at, d).products);
    recurrent.points.emplace_back(at, recurrent_layer(at, d).products);
    convolution.points.emplace_back(at, convolution_layer(at, d, k).products);
  }
  out.series = {attention, recurrent, convolution};
  out.x_marks = {n};
  return out;
}

Result<LabPicture> compute_complexity(const LabValues& values, const std::atomic<bool>& cancel) {
  const double n = values.number("n"), d = values.number("d"), k = values.number("k");
  LabPlot time;
  time.title = Text::of("lab.complexity.time");
  time.x_title = Text::of("lab.complexity.n");
  time.log_x = time.log_y = true;
  LabSeries clock{Text::of("lab.complexity.attend", {kLabComplexityRounds}), {}, LabInk::amber, false, true},
      least{Text::of("lab.complexity.least"), {}, LabInk::blue},
      most{Text::of("lab.complexity.most"), {}, LabInk::red};
  for (const std::int64_t length : kLabComplexityMeasured) {
    TRY_OK(go_on(cancel));
    const Timing one = lab_complexity_measured(length, values.whole("d"));
    clock.points.emplace_back(length, one.median * 1e6);
    least.points.emplace_back(length, one.least * 1e6);
    most.points.emplace_back(length, one.most * 1e6);
  }
  const auto [last_n, last_time] = clock.points.back();
  LabSeries square{Text::of("lab.complexity.square"), {}, LabInk::dim, true};
  for (const auto& [length, ignored] : clock.points)
    square.points.emplace_back(length, last_time * length * length / last_n / last_n);
  time.series = {clock, square, least, most};
  const double growth = last_time / clock.points[clock.points.size() - 3].second;
  LabPicture out;
  out.pieces = {{count_plot(n, d, k), 1, true, 1.2f}, in_full({time, 1}), {table_of(n, d, k), 1, true, 1}};
  out.formula = Text::of("lab.complexity.formula",
                         {shown(n), shown(d), shown(n * n * d), shown(n * d * d), shown(n * n)});
  out.notice = Text::of(n < d   ? "lab.complexity.notice.short"
                        : n > d ? "lab.complexity.notice.long"
                                : "lab.complexity.notice.even",
                        {shown(n), shown(d), shown(n > d ? n / d : d / n, 3), shown(growth, 3)});
  return out;
}

}  // namespace

Lab lab_complexity();
Lab lab_complexity() {
  return {
      "lab.complexity",
      9,
      {whole_control("lab.complexity.n", 16, kLongest, 4096, true),
       whole_control("lab.complexity.d", 16, 1024, 512, true), whole_control("lab.complexity.k", 2, 9, 3)},
      compute_complexity,
      {"k", 9},
      {"n", 128, "d"}};
}

}  // namespace attnscope
