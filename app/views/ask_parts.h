// Attribution of the measure as an exact sum: a bar for each head, MLP, embedding and bias, largest first,
// with the sum and the remainder; or of the run's linear twin, by tokens, heads or neurons. One part can be
// split further: a head by source tokens, an MLP by neurons; and one of these by what wrote its input.
// Errors: the measure is not linear in the logits.
#pragma once

#include <string>

#include "app/views/ask_bars.h"
#include "app/views/ask_score.h"
#include "app/views/ask_twin.h"
#include "app/views/view.h"
#include "core/base/computed.h"
#include "core/lens/attribution.h"
#include "core/lens/linear_twin.h"
#include "core/lens/neurons.h"

namespace attnscope {

class AskParts {
 public:
  void draw(const ViewContext& context, const LogitMeasure& measure, ImVec2 at, ImVec2 room);

 private:
  struct Sums {
    Result<Attribution> heads = Error{}, tokens = Error{}, neurons = Error{};
  };
  static float draw_sums(const ViewContext& context, ImVec2 at, float width);
  void draw_direct(const ViewContext& context, const LogitMeasure& measure, ImVec2 at, ImVec2 room);
  void draw_twin(const ViewContext& context, const LogitMeasure& measure, ImVec2 at, ImVec2 room);
  void draw_list(const ViewContext& context, const Sums& sums, ImVec2 at, ImVec2 room);
  void draw_inside(const ViewContext& context, const Sums& sums, ImVec2 at, ImVec2 room);

  void draw_why(const ViewContext& context, const PartBar& head, ImVec2 room);
  void draw_deeper(const ViewContext& context, const PartBar& part);

  /// Attribution of what a head read at one position, or of a neuron's input; the neuron's words.
  struct Deeper {
    Result<Attribution> sum = Error{};
    NeuronWords words;
  };
  Computed<Sums> sums_;
  Computed<Result<LinearTwin>> twin_;
  Computed<Deeper> deeper_;
  AskScore score_;
  AskTwinMatrix matrix_;  ///< beside the twin's tokens
  bool why_ = false;      ///< split the head by its largest score instead of by tokens
  std::string chosen_;    ///< PartBar::id; empty: the largest one that can be split
  std::string inside_;    ///< PartBar::id of the part split inside it; empty: none
};

}  // namespace attnscope
