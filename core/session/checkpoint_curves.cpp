#include "core/session/checkpoint_curves.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/lens/head_ranking.h"
#include "core/model/expected_weights.h"
#include "core/sample/chances.h"
#include "core/session/asked_measure.h"

namespace attnscope {
namespace {

Result<double> loss_of(const Trace& run) {
  if (!run.config().predicts_next()) return fail(Code::unsupported, "error.session.series.no_loss");
  const Perplexity found = perplexity(row_chances(run, {0, run.length}));
  if (found.tokens == 0) return fail(Code::unsupported, "error.session.series.no_loss");
  return found.nats;
}

// The first weight in which two shapes differ, with both.
std::optional<Error> other_size(const ModelConfig& first, const std::string& first_name,
                                const ModelConfig& other) {
  const std::vector<WeightShape> one = expected_weights(first), two = expected_weights(other);
  const auto shape = [](const WeightShape& weight) {
    std::vector<std::string> sizes;
    for (const std::int64_t size : weight.shape) sizes.push_back(std::to_string(size));
    return weight.name + " [" + join(sizes, ", ") + "]";
  };
  for (std::size_t i = 0; i < std::max(one.size(), two.size()); ++i) {
    const std::string a = i < one.size() ? shape(one[i]) : "-", b = i < two.size() ? shape(two[i]) : "-";
    if (a != b) return fail(Code::bad_shape, "error.session.series.sizes", {b, a, in_quotes(first_name)});
  }
  return std::nullopt;
}

}  // namespace

Result<CurveValue> curve_value(const OpenedModel& opened, const std::string& measure, std::int64_t at,
                               const Trace& run) {
  CurveValue out;
  out.measure = measure;
  if (measure == kLossMeasure) {
    TRY(out.value, loss_of(run));
    return out;
  }
  TRY(const LogitMeasure asked, measure_of(opened, measure, at, run));
  TRY(out.value, measured(asked, run));
  return out;
}

std::vector<CurveValue> head_curve_values(const Trace& run) {
  std::vector<CurveValue> out;
  for (const RankedHead& head : head_scores(run))
    for (int role = 0; role < kRoleCount; ++role) {
      const RoleScore& score = head.roles.of(static_cast<Role>(role));
      if (score.rows == 0) continue;
      out.push_back({std::string(role_name(static_cast<Role>(role))),
                     to_text(Cell{head.pattern, {{"head", head.head}}}), head.pattern.layer, head.head,
                     score.score, score.chance});
    }
  return out;
}

void CurveMeans::add(const std::vector<CurveValue>& values) {
  for (const CurveValue& value : values) {
    const auto [found, fresh] = index_.emplace(value.measure + "\n" + value.at, all_.size());
    if (fresh) all_.push_back({value, {}, {}});
    Mean& mean = all_[found->second];
    mean.spread.add(value.value);
    if (!std::isnan(value.chance)) mean.chance.add(value.chance);
  }
}

std::vector<CurveMeans::Mean> CurveMeans::means() const {
  std::vector<Mean> out = all_;
  for (Mean& mean : out) mean.value.value = mean.spread.mean(), mean.value.chance = mean.chance.mean();
  return out;
}

Status same_training(const OpenedModel& first, const std::string& first_name, const OpenedModel& other) {
  if (first.family != other.family)
    return fail(Code::bad_format, "error.session.series.family",
                {other.family, first.family, in_quotes(first_name)});
  if (const auto differs = other_size(first.model->config(), first_name, other.model->config()))
    return *differs;
  return Done{};
}

}  // namespace attnscope
