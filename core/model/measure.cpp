#include "core/model/measure.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace attnscope {
namespace {

Status measure_check(const LogitMeasure& measure, const Trace& trace) {
  const Record* logits = trace.find(trace.main(StepRole::logits));
  if (!logits) return fail(Code::unsupported, "error.model.no_logits");
  const std::int64_t row = row_of(measure, trace), outputs = logits->shape[1];
  if (row < 0 || row >= logits->shape[0])
    return fail(Code::out_of_range, "error.model.no_logits_at", {row, logits->shape[0]});
  if (measure.kind == LogitMeasure::Kind::kl) {
    if (!measure.reference.empty() && measure.reference.size(0) == outputs) return Done{};
    return fail(Code::bad_shape, "error.model.vocabularies");
  }
  for (const int id :
       {measure.target, measure.kind == LogitMeasure::Kind::logit_diff ? measure.distractor : measure.target})
    if (id < 0 || id >= outputs) return fail(Code::out_of_range, "error.model.no_output", {id, outputs - 1});
  return Done{};
}

// An edit may reach any of them: they are made together.
bool edits_logits(const Trace& trace) {
  const Site logits = trace.main(StepRole::logits);
  return std::any_of(trace.edits.begin(), trace.edits.end(), [&](const auto& edit) {
    const NumberEdit* number = edit->number();
    return number && number->where.kind == Target::Kind::step && number->where.site == logits;
  });
}

}  // namespace

std::vector<double> log_probabilities(const Tensor& logits) {
  const std::int64_t count = logits.size(0);
  double top = -INFINITY, sum = 0;
  for (std::int64_t i = 0; i < count; ++i) top = std::max(top, static_cast<double>(logits.at(i)));
  for (std::int64_t i = 0; i < count; ++i) sum += std::exp(static_cast<double>(logits.at(i)) - top);
  std::vector<double> out;
  for (std::int64_t i = 0; i < count; ++i)
    out.push_back(static_cast<double>(logits.at(i)) - top - std::log(sum));
  return out;
}

std::int64_t prediction_row(const Trace& trace) {
  if (trace.config().head.first_row_only) return 0;
  std::int64_t row = std::max<std::int64_t>(0, trace.length - 1);
  while (row > 0 && !trace.is_real(trace.config().stack, row)) --row;
  return row;
}

std::int64_t row_of(const LogitMeasure& measure, const Trace& trace) {
  return measure.row < 0 ? prediction_row(trace) : measure.row;
}

Result<double> measured(const LogitMeasure& measure, const Trace& trace) {
  TRY_OK(measure_check(measure, trace));
  const std::int64_t row = row_of(measure, trace);
  const bool difference = measure.kind == LogitMeasure::Kind::logit_diff;
  if ((!difference && measure.kind != LogitMeasure::Kind::logit) || edits_logits(trace))
    return measure_value(measure, trace.logits_row(row));
  const auto logit = [&](int id) {
    return static_cast<double>(
        trace.slice(trace.main(StepRole::logits), 0, {row, row + 1}, {id, id + 1}).at(0, 0));
  };
  return logit(measure.target) - (difference ? logit(measure.distractor) : 0.0);
}

double measure_value(const LogitMeasure& measure, const Tensor& logits) {
  const auto at = [&](int id) { return static_cast<double>(logits.at(id)); };
  switch (measure.kind) {
    case LogitMeasure::Kind::logit: return at(measure.target);
    case LogitMeasure::Kind::logit_diff: return at(measure.target) - at(measure.distractor);
    case LogitMeasure::Kind::prob:
      return std::exp(log_probabilities(logits)[static_cast<std::size_t>(measure.target)]);
    case LogitMeasure::Kind::kl: break;
  }
  const std::vector<double> p = log_probabilities(measure.reference), q = log_probabilities(logits);
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (p[i] > -700) sum += std::exp(p[i]) * (p[i] - q[i]);
  return sum;
}

Tensor measure_gradient(const LogitMeasure& measure, const Tensor& logits) {
  std::vector<float> out(static_cast<std::size_t>(logits.size(0)), 0.f);
  const auto target = static_cast<std::size_t>(std::max(0, measure.target));
  if (measure.kind == LogitMeasure::Kind::logit || measure.kind == LogitMeasure::Kind::logit_diff) {
    out[target] += 1.f;
    if (measure.kind == LogitMeasure::Kind::logit_diff)
      out[static_cast<std::size_t>(measure.distractor)] -= 1.f;
  } else {
    const std::vector<double> q = log_probabilities(logits);
    const bool kl = measure.kind == LogitMeasure::Kind::kl;
    const std::vector<double> p = kl ? log_probabilities(measure.reference) : q;
    const double chance = std::exp(q[target]);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<float>(kl ? std::exp(q[i]) - std::exp(p[i])
                                     : chance * ((i == target ? 1.0 : 0.0) - std::exp(q[i])));
  }
  const auto count = static_cast<std::int64_t>(out.size());
  return Tensor::from(std::move(out), {{Axis::vocab, count}});
}

}  // namespace attnscope
