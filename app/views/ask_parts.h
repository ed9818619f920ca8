// Attribution of the measure as an exact sum: a bar for each head, MLP, embedding and bias, largest first,
// with the sum and the remainder; or of the run's linear twin, by tokens, heads or neurons. One part can be
// split further: a head by source tokens, an MLP by neurons; and one of these by what wrote its input.
// Errors: the measure is not linear in the logits.
#pragma once

#include <string>
#include <vector>

#include "app/views/ask_score.h"
#include "app/views/ask_twin.h"
#include "app/views/view.h"
#include "core/base/computed.h"
#include "core/lens/attribution.h"
#include "core/lens/linear_twin.h"
#include "core/lens/neurons.h"

namespace attnscope {

/// One bar: a part, or all parts of one kind (biases).
struct PartBar {
  std::string id;  ///< "blocks.1.attn.z[head=3]"; "bias" for all biases
  LogitPart part;
  double value = 0;
};
/// The parts of a sum as bars, largest magnitude first; all biases as one bar.
std::vector<PartBar> part_bars(const Attribution& sum);
/// Part `id` split further: bars of the finer sum that belong to it, largest first.
std::vector<PartBar> bars_inside(const std::string& id, const Attribution& tokens, const Attribution& neurons,
                                 const Attribution& heads);

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
