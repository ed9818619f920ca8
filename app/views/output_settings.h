// How the next token is chosen: presets, sliders, seed, and the buttons that append what is chosen. Every
// change is an undoable edit of the document. Refuses to draw a token itself: core/sample does.
#pragma once

#include <functional>

#include "app/views/view.h"

namespace attnscope {

inline constexpr int kManyTokens = 10;

/// Asked to append `count` tokens by the settings.
using GenerateTokens = std::function<void(int count, const Text& sentence)>;
/// Draws at ImGui's cursor, `width` pixels wide.
void draw_output_settings(const ViewContext& context, float width, const GenerateTokens& generate);

}  // namespace attnscope
