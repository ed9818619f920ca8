// Colour maps as tables of 256 entries, the same on CPU and in the shader. Signed values: a diverging map
// centred at 0; probabilities: a sequential map; each also as a colour-blind-safe version. Masked cells, NaN
// and infinity have their own colours, which no number has.
#pragma once

#include <imgui.h>

#include <array>

#include "app/look/theme.h"

namespace attnscope {

/// In the order of the rows of the texture in app/gpu.
enum class Colormap { diverging, sequential, mask, phase, diverging_safe, sequential_safe };
constexpr int kColormaps = 6;
constexpr int kLutSize = 256;
using Lut = std::array<ImU32, kLutSize>;

/// The table of a map for a theme.
const Lut& colormap_lut(Colormap map, ThemeKind kind);
/// The table for the current theme; the colour-blind-safe version while safe_colours() is on.
const Lut& colormap_lut(Colormap map);
/// The colour at t in 0..1 (clamped), nearest entry.
ImU32 colormap_at(Colormap map, float t);
bool is_diverging(Colormap map);

/// Values below this are masked cells (as is -inf); write kMasked.
constexpr float kMaskedBelow = -1e30f;
constexpr float kMasked = -3e38f;
/// End of the linear part of the symmetric log scale, as a share of its range.
constexpr float kLinearShare = 1e-3f;
/// A masked cell: -inf, or a value that no computation produces, such as the lowest float.
inline bool is_masked(float value) { return value < kMaskedBelow; }

/// How values are mapped to colours. Diverging maps: symmetric, -hi .. +hi, lo is not used.
struct HeatStyle {
  Colormap map = Colormap::sequential;
  float lo = 0.0f;                  // value at the first entry
  float hi = 1.0f;                  // value at the last entry
  bool clipped = false;             // some values are outside: they get the colours of the ends
  float least = 0.0f, most = 0.0f;  // range of the values, if some are clipped
  bool log_scale = false;  // sequential: log from max(lo, hi*1e-6); diverging: linear below hi/1000, then log
  float gap = 0.0f;        // pixels between cells, if cells are large enough
  float rounding = 0.0f;   // radius of a cell's corners, pixels
  float alpha = 1.0f;      // 1 = opaque; lower while being recomputed
};

/// Position of a finite value on the map, 0..1. The shader computes the same.
float heat_position(float value, const HeatStyle& style);
/// The inverse: the value at a position of the legend.
float heat_value(float position, const HeatStyle& style);
/// The colour of a cell: by its value, or that of masked, NaN, infinity.
ImU32 heat_colour(float value, const HeatStyle& style);

}  // namespace attnscope
