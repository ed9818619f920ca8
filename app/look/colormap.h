// From a number to a colour: maps as tables of 256 entries, the same for the processor and the shader.
// Signed values: a diverging map centred at 0; probabilities: a sequential map; each has a colour-blind-safe
// sister. Masked cells, NaN and infinity have colours of their own and never that of a number.
#pragma once

#include <imgui.h>

#include <array>

#include "app/look/theme.h"

namespace attnscope {

/// The order is that of the rows of the texture in app/gpu.
enum class Colormap { diverging, sequential, mask, phase, diverging_safe, sequential_safe };
constexpr int kColormaps = 6;
constexpr int kLutSize = 256;
using Lut = std::array<ImU32, kLutSize>;

/// The table of a map in a theme.
const Lut& colormap_lut(Colormap map, ThemeKind kind);
/// The table in the current theme: the colour-blind-safe sister while safe_colours() is on.
const Lut& colormap_lut(Colormap map);
/// The colour at t in 0..1 (clamped), nearest entry.
ImU32 colormap_at(Colormap map, float t);
bool is_diverging(Colormap map);

/// Values below this are masked cells (as are -inf); kMasked is the one to write.
constexpr float kMaskedBelow = -1e30f;
constexpr float kMasked = -3e38f;
/// Where the linear part of the two-sided log scale ends, as a share of its end.
constexpr float kLinearShare = 1e-3f;
/// A masked cell: -inf or a number no computation makes, such as the lowest float.
inline bool is_masked(float value) { return value < kMaskedBelow; }

/// How numbers become colours. Diverging maps: symmetric, -hi .. +hi, lo is not read.
struct HeatStyle {
  Colormap map = Colormap::sequential;
  float lo = 0.0f;                  // value at the first entry
  float hi = 1.0f;                  // value at the last entry
  bool clipped = false;             // some values lie outside: they have the colours of the ends
  float least = 0.0f, most = 0.0f;  // of the values, where some are clipped
  bool log_scale = false;  // sequential: log from max(lo, hi*1e-6); diverging: linear below hi/1000, then log
  float gap = 0.0f;        // pixels of ground between cells that are large enough to have it
  float rounding = 0.0f;   // radius of a cell's corners, pixels
  float alpha = 1.0f;      // 1 = opaque; less dims a picture that is being recomputed
};

/// Where a finite value lies on the map, 0..1. The shader computes the same.
float heat_position(float value, const HeatStyle& style);
/// The inverse: the value at a place of the legend.
float heat_value(float position, const HeatStyle& style);
/// The colour of a cell: of the number, or of masked, NaN, infinity.
ImU32 heat_colour(float value, const HeatStyle& style);

}  // namespace attnscope
