// The measure as a sum that closes: a bar for each head, MLP, embedding and bias, largest first, with the sum
// and what is left over; one part opened further, a head by the tokens it read from, an MLP by its neurons;
// and one of these by who wrote what was read there. Refuses measures that are no sums, in words.
#pragma once

#include <string>
#include <vector>

#include "app/views/ask_score.h"
#include "app/views/view.h"
#include "core/base/computed.h"
#include "core/lens/attribution.h"
#include "core/lens/neurons.h"

namespace attnscope {

/// One bar: a part, or several of one kind (all biases).
struct PartBar {
  std::string id;  ///< "blocks.1.attn.z[head=3]"; "bias" for all biases
  LogitPart part;
  double value = 0;
};
/// The parts of a sum as bars, largest magnitude first; biases together.
std::vector<PartBar> part_bars(const Attribution& sum);
/// What part `id` of the first sum is made of: bars of the finer ones that belong to it, largest first.
std::vector<PartBar> bars_inside(const std::string& id, const Attribution& tokens, const Attribution& neurons,
                                 const Attribution& heads);

class AskParts {
 public:
  void draw(const ViewContext& context, const LogitMeasure& measure, ImVec2 at, ImVec2 room);

 private:
  struct Sums {
    Result<Attribution> heads = Error{}, tokens = Error{}, neurons = Error{};
  };
  void draw_list(const ViewContext& context, const Sums& sums, ImVec2 at, ImVec2 room);
  void draw_inside(const ViewContext& context, const Sums& sums, ImVec2 at, ImVec2 room);

  void draw_why(const ViewContext& context, const PartBar& head, ImVec2 room);
  void draw_deeper(const ViewContext& context, const PartBar& part);

  /// What one position gave a head, or one neuron read; the words of the neuron.
  struct Deeper {
    Result<Attribution> sum = Error{};
    NeuronWords words;
  };
  Computed<Sums> sums_;
  Computed<Deeper> deeper_;
  AskScore score_;
  bool why_ = false;    ///< a head is opened by its strongest score, not by its tokens
  std::string chosen_;  ///< PartBar::id; empty: the largest that can be opened
  std::string inside_;  ///< PartBar::id of what is opened inside of that one; empty: nothing
};

}  // namespace attnscope
