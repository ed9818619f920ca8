#include "core/view/measure_name.h"

#include "core/base/words.h"

namespace attnscope {

std::string measure_name(const OpenedModel& opened, const LogitMeasure& measure) {
  const auto name = [&](int id) { return output_name(opened, id); };
  switch (measure.kind) {
    case LogitMeasure::Kind::logit_diff:
      return tr("ask.measure.diff", {name(measure.target), name(measure.distractor)});
    case LogitMeasure::Kind::logit: return tr("ask.measure.logit", {name(measure.target)});
    case LogitMeasure::Kind::prob: return tr("ask.measure.prob", {name(measure.target)});
    case LogitMeasure::Kind::kl: break;
  }
  return tr("ask.measure.kl");
}

}  // namespace attnscope
