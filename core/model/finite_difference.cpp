// Gradients measured by changing one number and running forward again: what the backward pass is checked
// against.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/model/gradients.h"
#include "core/model/model.h"
#include "core/model/tape.h"
#include "core/trace/head.h"
#include "core/trace/inside.h"

namespace attnscope {
namespace {

// The objective with one more change: what the gradients are of, run anew.
Result<double> objective_of(const Gradients& gradients, const Model& model, const RunOptions& options) {
  const Objective& objective = gradients.objective();
  TRY(const auto trace, model.run(gradients.trace().input, options));
  if (objective.measure) return measured(*objective.measure, *trace);
  const Site site = trace->main(StepRole::logits);
  const auto rows = static_cast<std::int64_t>(objective.targets.size());
  const Tensor logits = trace->slice(site, 0, {0, rows}, {0, trace->config().outputs()});
  const CrossEntropy loss = cross_entropy(logits, objective.targets, objective.smoothing);
  return loss.smoothed * (objective.factor != 0 ? objective.factor : 1.0 / static_cast<double>(loss.counted));
}

// float32 forwards repeat a loss to about this much of it.
constexpr double kNoise = 3e-7;

// One step size: (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h, exact up to the fourth power of h.
template <class LossAt>
Result<FiniteDifference> measured_with(double step, double here, LossAt& loss_at) {
  TRY(const double up, loss_at(step));
  TRY(const double down, loss_at(-step));
  TRY(const double far_up, loss_at(2 * step));
  TRY(const double far_down, loss_at(-2 * step));
  const double narrow = (up - down) / (2 * step), wide = (far_up - far_down) / (4 * step);
  const double corner = std::abs((up - here) - (here - down)) / (4 * step);  // left and right of it differ
  FiniteDifference out;
  out.step = step;
  out.measured = (4 * narrow - wide) / 3;
  out.uncertainty = std::abs(narrow - wide) / 3 + corner + kNoise * std::max(1.0, std::abs(up)) / step;
  return out;
}

// Large steps bend (and cross the corners of a ReLU, which both sides of a step may hide), small ones drown
// in rounding: the most certain of five. What a smaller step finds differently, beyond its own doubt, is
// doubt.
template <class LossAt>
Result<FiniteDifference> measured_gradient(double analytic, double value, double spread, LossAt loss_at) {
  const double largest = std::max(1e-2, 3e-2 * std::max(std::abs(value), spread));
  TRY(const double here, loss_at(0.0));
  std::vector<FiniteDifference> tried;
  for (const double part : {1.0, 0.3, 0.1, 0.03, 0.01}) {
    TRY(const FiniteDifference found, measured_with(part * largest, here, loss_at));
    tried.push_back(found);
  }
  const auto chosen = std::min_element(
      tried.begin(), tried.end(), [](const auto& a, const auto& b) { return a.uncertainty < b.uncertainty; });
  FiniteDifference best = *chosen;
  for (auto smaller = chosen + 1; smaller != tried.end(); ++smaller)
    best.uncertainty =
        std::max(best.uncertainty, std::abs(chosen->measured - smaller->measured) - smaller->uncertainty);
  best.analytic = analytic;
  return best;
}

Status fits(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& index,
            const std::string& name) {
  if (is_cell(index, shape)) return Done{};
  return fail(Code::out_of_range, "error.model.no_cell", {name, shape_text(shape)});
}

double root_mean_square(const Tensor& x) {
  const Stats seen = stats(x);
  return seen.count > 0 ? seen.l2 / std::sqrt(static_cast<double>(seen.count)) : 0.0;
}

}  // namespace

Result<FiniteDifference> check_cell(const Gradients& gradients, const Site& site,
                                    const std::vector<std::int64_t>& index) {
  const Record* gradient = gradients.find(site);
  if (!gradient || site.is(StepRole::logits) || site.is(StepRole::pixels)) {
    return fail(Code::not_found, "error.model.not_alone", {to_text(site)});
  }
  TRY_OK(fits(gradient->shape, index, to_text(site)));
  const Trace& trace = gradients.trace();
  const Model model(trace.shared_config(), trace.shared_weights());
  const float now = trace.cell(site, index);
  const double size = gradient->derived ? 0.0 : root_mean_square(trace.find(site)->value());
  Cell where{site, {}};
  for (std::size_t d = 0; d < index.size(); ++d)
    where.at.push_back({std::string(axis_name(gradient->axes[d])), index[d]});
  return measured_gradient(static_cast<double>(gradients.cell(site, index)), static_cast<double>(now), size,
                           [&](double step) -> Result<double> {
                             RunOptions options;
                             options.edits = edits_of_steps(trace);
                             options.edits.push_back(set_to(
                                 target_of(where), static_cast<float>(static_cast<double>(now) + step)));
                             return objective_of(gradients, model, options);
                           });
}

Result<FiniteDifference> check_weight(const Gradients& gradients, const std::string& name,
                                      const std::vector<std::int64_t>& index) {
  const Trace& trace = gradients.trace();
  const auto grads = gradients.weights();
  const auto gradient = grads.find(name);
  const Tensor weight = trace.weights().get(name);
  if (gradient == grads.end() || weight.empty()) {
    return fail(Code::not_found, "error.model.no_weight_gradient", {name});
  }
  TRY_OK(fits(weight.sizes(), index, name));
  const auto cell = [&](const Tensor& t) { return static_cast<double>(t.at(index)); };
  return measured_gradient(
      cell(gradient->second), cell(weight), root_mean_square(weight), [&](double step) -> Result<double> {
        const Tensor moved = weight.with_value(index, static_cast<float>(cell(weight) + step));
        const Model model(trace.shared_config(), std::make_shared<const Weights>(with_parameters(
                                                     trace.config(), trace.weights(), {{name, moved}})));
        RunOptions options;
        options.edits = edits_of_steps(trace);
        return objective_of(gradients, model, options);
      });
}

}  // namespace attnscope
