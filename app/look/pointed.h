// What the pointer is on, in words of the model: a token, a head, a neuron. Whoever draws such a thing says
// so while the pointer is there, and lights it where another one is pointed at, one frame later. Refuses to
// know who drew it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/step/site.h"

namespace attnscope {

/// Forgets what was pointed at two frames ago.
void begin_pointing();

void point_token(Stack stack, std::int64_t row);
void point_head(Stack stack, Part part, int layer, std::int64_t head);
void point_neuron(Stack stack, int layer, std::int64_t neuron);
/// The tokens, head and neuron that a cell of a step belongs to; `index` is on the step's own axes.
void point_cell(const Site& site, const std::vector<std::int64_t>& index);

/// Somebody said so in the frame before.
bool token_pointed(Stack stack, std::int64_t row);
bool head_pointed(Stack stack, Part part, int layer, std::int64_t head);
bool neuron_pointed(Stack stack, int layer, std::int64_t neuron);

/// The head or the neuron of a block that somebody pointed at in the frame before; -1: none.
std::int64_t pointed_head(Stack stack, Part part, int layer);
std::int64_t pointed_neuron(Stack stack, int layer);

/// What the entries of one axis of a step are: "query" of "head query key"; empty where there is none such.
std::string_view axis_of(const Site& site, int axis);
/// Entry `at` of that axis is pointed at.
bool entry_pointed(const Site& site, int axis, std::int64_t at);

}  // namespace attnscope
