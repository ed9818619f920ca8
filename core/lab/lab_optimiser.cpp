// Three optimisers on one surface: plain gradient descent, momentum and Adam on a quadratic that can be
// stretched and tilted, with the numbers of one weight in one step. Adam's steps are those of the trainer.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/lab/pieces.h"
#include "core/train/trainer.h"

namespace attnscope {
namespace {

using Point = std::array<double, 2>;
constexpr Point kStart{-3.2, 1.6};
constexpr double kFarthest = 1e4, kBeta2 = 0.98;

/// L(w) = (a u^2 + b v^2) / 2, u and v the axes of the valley.
struct Valley {
  double a = 1, b = 1, cosine = 1, sine = 0;

  Point rotated(const Point& w) const { return {cosine * w[0] + sine * w[1], cosine * w[1] - sine * w[0]}; }
  double loss(const Point& w) const {
    const Point uv = rotated(w);
    return 0.5 * (a * uv[0] * uv[0] + b * uv[1] * uv[1]);
  }
  Point gradient(const Point& w) const {
    const Point uv = rotated(w);
    return {cosine * a * uv[0] - sine * b * uv[1], sine * a * uv[0] + cosine * b * uv[1]};
  }
};

/// What one step did to the first weight.
struct OneStep {
  double before = 0, gradient = 0, m = NAN, v = NAN, m_hat = NAN, v_hat = NAN, step = 0, after = 0;
};
struct Path {
  std::vector<Point> points{kStart};
  OneStep last;
  bool lost = false;  ///< it left the picture for good
};

bool far_away(const Point& w) { return !(std::hypot(w[0], w[1]) < kFarthest); }

// Momentum: m = beta m + g, w -= rate m. With beta = 0 it is plain gradient descent.
Path descend(const Valley& valley, double rate, double beta, int steps) {
  Path out;
  Point w = kStart, m{0, 0};
  for (int step = 0; step < steps && !out.lost; ++step) {
    const Point g = valley.gradient(w), before = w;
    for (std::size_t i = 0; i < 2; ++i) {
      m[i] = beta * m[i] + g[i];
      w[i] -= rate * m[i];
    }
    out.last = {before[0], g[0], beta > 0 ? m[0] : NAN, NAN, NAN, NAN, w[0] - before[0], w[0]};
    out.points.push_back(w);
    out.lost = far_away(w);
  }
  return out;
}

// The trainer's AdamW without decay, on a weight of two numbers.
Path adam(const Valley& valley, double rate, double beta1, int steps) {
  Recipe recipe;
  recipe.beta1 = beta1;
  recipe.beta2 = kBeta2;
  recipe.decay = 0;
  const Shape shape{{Axis::dim, 2}};
  Path out;
  AdamState state;
  Tensor w = Tensor::from({static_cast<float>(kStart[0]), static_cast<float>(kStart[1])}, shape);
  for (int step = 1; step <= steps; ++step) {
    const Point before{static_cast<double>(w.at(0)), static_cast<double>(w.at(1))};
    const Point g = valley.gradient(before);
    w = adamw(w, Tensor::from({static_cast<float>(g[0]), static_cast<float>(g[1])}, shape), state, recipe,
              rate, step);
    const double m = static_cast<double>(state.m.at(0)), v = static_cast<double>(state.v.at(0));
    const Point now{static_cast<double>(w.at(0)), static_cast<double>(w.at(1))};
    out.last = {
        before[0],          g[0],  m, v, m / (1 - std::pow(beta1, step)), v / (1 - std::pow(kBeta2, step)),
        now[0] - before[0], now[0]};
    out.points.push_back(now);
  }
  return out;
}

LabSeries contour(const Valley& valley, double level) {
  LabSeries out{Text(), {}, LabInk::dim};
  for (int i = 0; i <= 72; ++i) {
    const double angle = 2 * std::numbers::pi * i / 72;
    const double u = std::sqrt(2 * level / valley.a) * std::cos(angle),
                 v = std::sqrt(2 * level / valley.b) * std::sin(angle);
    out.points.emplace_back(valley.cosine * u - valley.sine * v, valley.sine * u + valley.cosine * v);
  }
  return out;
}

LabSeries path_series(const char* key, const Path& path, LabInk ink) {
  LabSeries out{Text::of(key), {}, ink, false, true};
  for (const Point& point : path.points) out.points.emplace_back(point[0], point[1]);
  if (path.lost) out.points.pop_back();
  return out;
}

LabSeries loss_series(const char* key, const Valley& valley, const Path& path, LabInk ink) {
  LabSeries out{Text::of(key), {}, ink};
  for (std::size_t step = 0; step < path.points.size(); ++step)
    out.points.emplace_back(step, std::max(1e-12, valley.loss(path.points[step])));
  return out;
}

LabTable step_table(const OneStep& sgd, const OneStep& momentum, const OneStep& adam_step) {
  LabTable out;
  out.title = Text::of("lab.optimiser.one");
  out.header = {Text(), Text::of("lab.optimiser.sgd"), Text::of("lab.optimiser.momentum"),
                Text::of("lab.optimiser.adam")};
  const auto row = [&](Text name, double OneStep::*part) {
    const auto words = [](double value) { return std::isnan(value) ? std::string("–") : shown(value, 3); };
    out.rows.push_back(
        fact(std::move(name), {words(sgd.*part), words(momentum.*part), words(adam_step.*part)}));
  };
  row(Text::of("lab.optimiser.before"), &OneStep::before);
  row(Text::of("lab.optimiser.gradient"), &OneStep::gradient);
  row("m", &OneStep::m);
  row("v", &OneStep::v);
  row("m / (1 − β₁ᵗ)", &OneStep::m_hat);
  row("v / (1 − β₂ᵗ)", &OneStep::v_hat);
  row(Text::of("lab.optimiser.step"), &OneStep::step);
  row(Text::of("lab.optimiser.after"), &OneStep::after);
  out.lit = 6;
  return out;
}

Result<LabPicture> compute_optimiser(const LabValues& values, const std::atomic<bool>&) {
  const double rate = values.number("rate"), beta = values.number("beta"), stretch = values.number("stretch"),
               tilt = values.number("tilt") * std::numbers::pi / 180;
  const int steps = static_cast<int>(values.whole("steps"));
  const Valley valley{1, stretch, std::cos(tilt), std::sin(tilt)};
  const Path sgd = descend(valley, rate, 0, steps), momentum = descend(valley, rate, beta, steps),
             adaptive = adam(valley, rate, beta, steps);
  LabPlot surface;
  surface.title = Text::of("lab.optimiser.surface");
  surface.x_title = Text::of("lab.optimiser.axes");
  surface.square = true;
  surface.x = {-4, 4};
  surface.y = {-2.6, 2.6};
  for (const double level : {0.1, 0.5, 1.5, 4.0, 9.0, 20.0, 45.0, 100.0})
    surface.series.push_back(contour(valley, level));
  surface.series.push_back(path_series("lab.optimiser.sgd", sgd, LabInk::blue));
  surface.series.push_back(path_series("lab.optimiser.momentum", momentum, LabInk::amber));
  surface.series.push_back(path_series("lab.optimiser.adam", adaptive, LabInk::red));
  LabPlot loss;
  loss.title = Text::of("lab.optimiser.loss");
  loss.x_title = Text::of("lab.optimiser.steps");
  loss.log_y = true;
  loss.series = {loss_series("lab.optimiser.sgd", valley, sgd, LabInk::blue),
                 loss_series("lab.optimiser.momentum", valley, momentum, LabInk::amber),
                 loss_series("lab.optimiser.adam", valley, adaptive, LabInk::red)};
  LabPicture out;
  out.pieces = {{surface, 1.15f, true, 1},
                in_full({step_table(sgd.last, momentum.last, adaptive.last), 1.2f}),
                {loss, 0.9f}};
  out.formula = Text::of("lab.optimiser.formula", {shown(sgd.last.before), shown(rate, 3),
                                                   shown(sgd.last.gradient, 3), shown(sgd.last.after)});
  const double most = 2 / std::max(1.0, stretch);
  const double ends[] = {valley.loss(sgd.points.back()), valley.loss(momentum.points.back()),
                         valley.loss(adaptive.points.back())};
  const bool adam_best = ends[2] < ends[0] && ends[2] < ends[1];
  const bool same = std::fabs(ends[0] - ends[1]) <= 1e-12 * std::fabs(ends[0]);
  out.notice = Text::of(rate > most         ? "lab.optimiser.notice.diverges"
                        : adam_best         ? "lab.optimiser.notice.adam"
                        : same              ? "lab.optimiser.notice.same"
                        : ends[1] > ends[0] ? "lab.optimiser.notice.sgd"
                        : stretch <= 1      ? "lab.optimiser.notice.round"
                                            : "lab.optimiser.notice.momentum",
                        {shown(most, 3), shown(ends[0], 2), shown(ends[1], 2), shown(ends[2], 2)});
  return out;
}

}  // namespace

Lab lab_optimiser();
Lab lab_optimiser() {
  return {"lab.optimiser",
          5,
          {real_control("lab.optimiser.rate", 0.001, 1, 0.02, true),
           real_control("lab.optimiser.beta", 0, 0.99, 0.9),
           real_control("lab.optimiser.stretch", 1, 100, 20, true),
           real_control("lab.optimiser.tilt", 0, 90, 25), whole_control("lab.optimiser.steps", 1, 200, 60)},
          compute_optimiser,
          {"tilt", 90},
          {"rate", 0.15, "beta"}};
}

}  // namespace attnscope
