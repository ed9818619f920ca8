// What the stations of "training" are made of: the way back from the loss of one place to one weight.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/model/gradients.h"
#include "core/view/steps_parts.h"

namespace attnscope {

/// A place that counts in the loss: what it should have said, and the probability that it got.
struct LossPlace {
  std::int64_t row = 0;  ///< of the logits
  int id = 0;
  double share = 0;
  double loss() const { return -std::log(share); }
};

/// What a station of the way back is drawn from.
struct WayBack {
  const ViewState& state;
  const LossPlace& target;
  Text place, word;                            ///< names of the row and of what it should have said
  bool known = true;                           ///< the input says what is right; else it is assumed
  std::shared_ptr<const Gradients> gradients;  ///< of the loss of this place alone

  /// Whose attention row is looked at: that of the loss, or in another stack or for other queries the
  /// cursor's.
  std::int64_t query() const;
};

/// The table W_U [d_model, outputs] whose product with what leaves the stack is the logit of the target; null
/// where more than that product (and a bias) stands between the two.
const Tensor* unembedding(const ViewState& state, const LossPlace& target);
/// The stations behind the loss that the run has steps and weights for, in the order of the backward pass.
std::vector<Station> stations_back(const ViewState& state, const LossPlace& target);
/// One of them. Errors: what the run lacks.
Result<StationDrawing> station_back(const std::string& id, const WayBack& way);

}  // namespace attnscope
