#include "app/dialogs/weight_check.h"

#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {

void WeightCheck::follow(FrameState& state) {
  const auto& model = state.session.document().model;
  if (model && opened_ != state.session.opened_version()) {
    opened_ = state.session.opened_version();
    found_ = std::make_shared<Found>();
    state.session.jobs().submit("weight_health", [found = found_, model](const std::atomic<bool>& cancel) {
      found->health = weight_health(model->weights());
      if (!cancel) found->done = true;
    });
  }
  if (!found_ || !found_->done) return;
  const WeightHealth& health = found_->health;
  if (health.nans + health.infs > 0)
    state.notify(
        Notice::Kind::warning,
        tr("frame.sick_weights", {format_count(health.nans), format_count(health.infs), health.first}),
        tr("frame.sick_weights.hint"), 0);
  found_.reset();
}

}  // namespace attnscope
