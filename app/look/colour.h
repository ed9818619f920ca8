// Colours as packed 8-bit RGBA: packing, mixing, contrast (WCAG 2). Colours by meaning are in theme.h.
#pragma once

#include <imgui.h>

#include <cstdint>

namespace attnscope {

/// 0xRRGGBB, opaque.
constexpr ImU32 rgb(std::uint32_t hex) {
  return IM_COL32((hex >> 16) & 255u, (hex >> 8) & 255u, hex & 255u, 255u);
}
/// The colour with its alpha multiplied by `alpha` (0..1).
ImU32 with_alpha(ImU32 colour, float alpha);
/// `from` at t = 0, `to` at t = 1, per channel.
ImU32 mix(ImU32 from, ImU32 to, float t);
ImVec4 to_vec4(ImU32 colour);
/// Relative luminance of an opaque colour, 0 (black) .. 1 (white), sRGB decoded (WCAG 2.1).
float luminance(ImU32 colour);
/// Contrast ratio of two opaque colours, 1..21 (WCAG 2.1).
float contrast(ImU32 one, ImU32 other);
/// The colour for text on a cell of this colour: near-white or near-black, contrast never below 4.5.
ImU32 ink_on(ImU32 cell);

}  // namespace attnscope
