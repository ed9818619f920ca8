#include "app/dialogs/weight_check.h"

#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {

void WeightCheck::follow(FrameState& state) {
  const auto& model = state.session.document().model;
  if (model && opened_ != state.session.opened_version()) {
    opened_ = state.session.opened_version();
    search_.begin(state.session.workers(), [model] { return weight_health(model->weights()); });
  }
  const auto found = search_.take();
  if (!found) return;
  if (!*found) return state.session.report(found->error());
  const WeightHealth& health = **found;
  if (health.nans + health.infs > 0)
    state.notify(
        Notice::Kind::warning,
        Text::of("frame.sick_weights", {format_count(health.nans), format_count(health.infs), health.first}),
        Text::of("frame.sick_weights.hint"), 0);
}

}  // namespace attnscope
