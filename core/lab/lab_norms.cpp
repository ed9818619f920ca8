// LayerNorm and RMSNorm on vectors of three numbers: their images, what a shift and a stretch of the input
// change, and what both norms cost in the running core.
#include <algorithm>
#include <cmath>

#include "core/lab/pieces.h"
#include "core/ops/ops.h"

namespace attnscope {
namespace {

constexpr std::int64_t kVectors = 64, kTableSpace = 3, kTimedRows = 512;
constexpr int kTimedRounds = 9;

// Random vectors of three numbers, stretched and shifted alike -> [vector, 3].
Tensor cloud(double stretch, double shift) {
  const Tensor drawn = normal_rows(21, kVectors, kTableSpace);
  Buffer out({{Axis::pos, kVectors}, {Axis::d_model, kTableSpace}});
  for (std::int64_t i = 0; i < out.count(); ++i)
    out.data()[i] = static_cast<float>(stretch * static_cast<double>(drawn.data()[i]) + shift);
  return std::move(out).freeze();
}

Tensor normed(const Tensor& x, bool rms) {
  const Tensor ones = Tensor::filled({{Axis::d_model, x.size(1)}}, 1.f);
  return rms ? rms_norm(x, ones, 1e-5f).out : layer_norm(x, ones, {}, 1e-5f).out;
}

/// Means over the rows.
struct RowFacts {
  double mean = 0, deviation = 0, length = 0, least_length = INFINITY, most_length = 0;
};
RowFacts lab_norms_facts_of(const Tensor& x) {
  RowFacts out;
  const auto rows = static_cast<double>(x.size(0));
  for (std::int64_t row = 0; row < x.size(0); ++row) {
    const MeanVariance spread = spread_of(x.slice(0, row, row + 1));
    const double length = stats(x.slice(0, row, row + 1)).l2;
    out.mean += std::fabs(spread.mean) / rows;
    out.deviation += std::sqrt(spread.variance) / rows;
    out.length += length / rows;
    out.least_length = std::min(out.least_length, length);
    out.most_length = std::max(out.most_length, length);
  }
  return out;
}

// Seen along (1, 1, 1): the direction in which LayerNorm leaves nothing.
LabSeries seen(const char* key, const Tensor& x, LabInk ink) {
  LabSeries out{Text::of(key), {}, ink};
  out.points_only = true;
  for (std::int64_t row = 0; row < x.size(0); ++row) {
    const double a = static_cast<double>(x.at(row, 0)), b = static_cast<double>(x.at(row, 1)),
                 c = static_cast<double>(x.at(row, 2));
    out.points.emplace_back((a - b) / std::sqrt(2.0), (a + b - 2 * c) / std::sqrt(6.0));
  }
  return out;
}

// The same seen from the side: along the plane, (1, 1, 1) upwards.
LabSeries from_side(const char* key, const Tensor& x, LabInk ink) {
  LabSeries out = seen(key, x, ink);
  for (std::int64_t row = 0; row < x.size(0); ++row)
    out.points[static_cast<std::size_t>(row)].second =
        static_cast<double>(x.at(row, 0) + x.at(row, 1) + x.at(row, 2)) / std::sqrt(3.0);
  return out;
}

LabPlot cloud_plot(const char* title, const Tensor& before, const Tensor& after, bool side) {
  LabPlot out;
  out.title = Text::of(title);
  out.square = true;
  out.x = {-3, 3};
  out.y = {-3, 3};
  const auto series = side ? from_side : seen;
  out.series = {series("lab.norms.before", before, LabInk::dim),
                series("lab.norms.after", after, LabInk::amber)};
  return out;
}

LabTable lab_norms_fact_table(const RowFacts& before, const RowFacts& after) {
  LabTable out;
  out.title = Text::of("lab.norms.facts");
  out.header = {Text(), Text::of("lab.norms.before"), Text::of("lab.norms.after")};
  const auto row = [&](const char* key, double a, double b) {
    out.rows.push_back(fact(Text::of(key), {shown(a, 3), shown(b < 1e-6 ? 0 : b, 4)}));
  };
  row("lab.norms.mean", before.mean, after.mean);
  row("lab.norms.deviation", before.deviation, after.deviation);
  row("lab.norms.shortest", before.least_length, after.least_length);
  row("lab.norms.longest", before.most_length, after.most_length);
  return out;
}

Result<LabPicture> compute_norms(const LabValues& values, const std::atomic<bool>& cancel) {
  const bool rms = values.choice("kind") == 1;
  const double stretch = values.number("stretch"), shift = values.number("shift");
  const std::int64_t width = values.whole("width");
  const Tensor before = cloud(stretch, shift), after = normed(before, rms);
  TRY_OK(go_on(cancel));
  const Tensor rows = normal_rows(22, kTimedRows, width);
  const Timing layer = timed(kTimedRounds, [&] { (void)normed(rows, false); });
  const Timing root = timed(kTimedRounds, [&] { (void)normed(rows, true); });
  LabBars times;
  times.title = Text::of("lab.norms.times", {kTimedRows, width, kTimedRounds});
  times.bars = {{"LayerNorm", layer.median, shown_timing(layer), rms ? LabInk::blue : LabInk::amber},
                {"RMSNorm", root.median, shown_timing(root), rms ? LabInk::amber : LabInk::blue}};
  LabPicture out;
  out.pieces = {{cloud_plot("lab.norms.along", before, after, false), 1, true, 1},
                {cloud_plot("lab.norms.side", before, after, true), 1},
                in_full({lab_norms_fact_table(lab_norms_facts_of(before), lab_norms_facts_of(after)), 1}),
                in_full({times, 1, true, 1})};
  const RowFacts facts = lab_norms_facts_of(after);
  out.formula =
      Text::of(rms ? "lab.norms.formula.rms" : "lab.norms.formula.layer", {shown(std::sqrt(3.0), 4)});
  out.notice = Text::of(rms                          ? "lab.norms.notice.rms"
                        : std::fabs(shift) > stretch ? "lab.norms.notice.shifted"
                                                     : "lab.norms.notice.layer",
                        {shown(facts.length, 4), shown(shift, 3), shown(facts.mean, 2)});
  return out;
}

}  // namespace

Lab lab_norms();
Lab lab_norms() {
  return {"lab.norms",
          7,
          {choice_control("lab.norms.kind", {"lab.norms.kind.layer", "lab.norms.kind.rms"}),
           real_control("lab.norms.stretch", 0.1, 3, 0.8), real_control("lab.norms.shift", -2, 2, 0.6),
           whole_control("lab.norms.width", 64, 4096, 1024, true)},
          compute_norms,
          {"stretch", 3},
          {"kind", 1, "shift"}};
}

}  // namespace attnscope
