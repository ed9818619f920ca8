// sRGB arithmetic of WCAG 2.1: https://www.w3.org/TR/WCAG21/#dfn-relative-luminance
#include "app/look/colour.h"

#include <algorithm>
#include <cmath>

namespace attnscope {
namespace {

int channel(ImU32 colour, int shift) { return static_cast<int>((colour >> shift) & 255u); }

float decode(int value) {
  const float s = static_cast<float>(value) / 255.0f;
  return s <= 0.04045f ? s / 12.92f : std::pow((s + 0.055f) / 1.055f, 2.4f);
}

}  // namespace

ImU32 with_alpha(ImU32 colour, float alpha) {
  const float scaled = static_cast<float>(channel(colour, IM_COL32_A_SHIFT)) * std::clamp(alpha, 0.0f, 1.0f);
  const ImU32 byte = static_cast<ImU32>(scaled + 0.5f);
  return (colour & ~static_cast<ImU32>(IM_COL32_A_MASK)) | (byte << IM_COL32_A_SHIFT);
}

ImU32 mix(ImU32 from, ImU32 to, float t) {
  ImU32 out = 0;
  for (const int shift : {0, 8, 16, 24}) {
    const float a = static_cast<float>(channel(from, shift)), b = static_cast<float>(channel(to, shift));
    out |= static_cast<ImU32>(a + (b - a) * std::clamp(t, 0.0f, 1.0f) + 0.5f) << shift;
  }
  return out;
}

ImVec4 to_vec4(ImU32 colour) { return ImGui::ColorConvertU32ToFloat4(colour); }

float luminance(ImU32 colour) {
  return 0.2126f * decode(channel(colour, IM_COL32_R_SHIFT)) +
         0.7152f * decode(channel(colour, IM_COL32_G_SHIFT)) +
         0.0722f * decode(channel(colour, IM_COL32_B_SHIFT));
}

float contrast(ImU32 one, ImU32 other) {
  const float a = luminance(one), b = luminance(other);
  return (std::max(a, b) + 0.05f) / (std::min(a, b) + 0.05f);
}

ImU32 ink_on(ImU32 cell) {
  // This black and white are the softest pair of which one always has contrast 4.5 (worst case: a cell with
  // luminance 0.183). Where a softer pair has far more than that, it is used instead.
  constexpr ImU32 black = rgb(0x060606), white = rgb(0xffffff), soft_black = rgb(0x10151d);
  constexpr ImU32 soft_white = rgb(0xeef2f8);
  const ImU32 opaque = cell | IM_COL32_A_MASK;
  if (contrast(opaque, soft_white) >= 5.5f) return soft_white;
  if (contrast(opaque, soft_black) >= 5.5f) return soft_black;
  return contrast(opaque, white) >= 4.5f ? white : black;
}

}  // namespace attnscope
