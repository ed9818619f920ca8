// The stages of a neuron, from its input to what it writes: their names, their values on all tokens, and
// gate × up = post at one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/views/view.h"
#include "core/lens/neurons.h"

namespace attnscope {

/// Data of the page; computed by a background job.
struct NeuronSheet {
  std::vector<Neuron> top;
  std::vector<Slot> stages;
  std::vector<Tensor> values;  ///< per step [neuron of `top`, pos]; minus the older run's, if there is one
};

/// The string key of a stage's name.
const char* mlp_stage_key(Slot slot);

/// The `count` neurons that add most at `pos`, on all tokens; `wanted`: shown in any case, < 0: none. With
/// `older`, its values are subtracted.
NeuronSheet make_neuron_sheet(const Trace& trace, const Trace* older, const MlpPlace& place, std::int64_t pos,
                              std::size_t count, std::int64_t wanted);

/// The chosen stage, in files by its name.
void keep_mlp_stage(Choices& choices, Slot& stage);

/// gate → activation × up = post at `cell` ([pos, neuron]), each number with its name below.
void draw_mlp_gate(const ViewContext& context, const MlpPlace& place, const std::vector<std::int64_t>& cell,
                   float width);

}  // namespace attnscope
