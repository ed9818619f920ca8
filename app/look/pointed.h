// Linked highlighting: the tokens, heads and neurons under the mouse pointer. Whatever draws such an item
// calls point_*() while it is hovered, and highlights its own items for which *_pointed() is true; one frame
// of delay. Draws nothing. UI thread only.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/step/site.h"

namespace attnscope {

/// Starts a frame: what was pointed at during the frame before becomes current, older entries are dropped.
void begin_pointing();

void point_token(Stack stack, std::int64_t row);
void point_head(Stack stack, Part part, int layer, std::int64_t head);
void point_neuron(Stack stack, int layer, std::int64_t neuron);
/// The tokens, head and neuron that a cell of a step belongs to; `index` is on the step's own axes.
void point_cell(const Site& site, const std::vector<std::int64_t>& index);

/// True when point_*() was called for it in the frame before.
bool token_pointed(Stack stack, std::int64_t row);
bool head_pointed(Stack stack, Part part, int layer, std::int64_t head);
bool neuron_pointed(Stack stack, int layer, std::int64_t neuron);

/// The head or neuron of a block that point_*() was called for in the frame before; -1: none.
std::int64_t pointed_head(Stack stack, Part part, int layer);
std::int64_t pointed_neuron(Stack stack, int layer);

/// Role of one axis of a step, such as "query" of "head query key"; empty when the axis has no such role.
std::string_view axis_of(const Site& site, int axis);
/// True when entry `at` of that axis stands for a token, head or neuron that is pointed at.
bool entry_pointed(const Site& site, int axis, std::int64_t at);

}  // namespace attnscope
