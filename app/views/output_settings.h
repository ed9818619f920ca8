// Sampling settings: presets, sliders, seed, and buttons that append sampled tokens. Every change is an
// undoable edit of the document. Sampling itself is in core/sample.
#pragma once

#include <functional>

#include "app/views/view.h"

namespace attnscope {

inline constexpr int kManyTokens = 10;

/// Called to append `count` tokens sampled with the settings.
using GenerateTokens = std::function<void(int count, const Text& sentence)>;
/// Draws at the ImGui cursor, `width` pixels wide.
void draw_output_settings(const ViewContext& context, float width, const GenerateTokens& generate);

}  // namespace attnscope
