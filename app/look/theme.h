// The colours by meaning, dark and light, and the style of every stock widget.
// A colour means the same everywhere: Q blue, K red, V green, residual stream amber, MLP purple, selection
// light blue, masked hatched grey. Refuses colours that no meaning asked for.
#pragma once

#include <imgui.h>

#include "app/look/colour.h"

namespace attnscope {

enum class ThemeKind { dark, light };

struct Theme {
  ThemeKind kind;
  ImU32 ground;        // window, stage, side panels
  ImU32 panel;         // popups, menus, cards of the network map
  ImU32 panel_raised;  // buttons, chips, text fields, cards
  ImU32 hovered;       // a raised thing under the pointer
  ImU32 border;
  ImU32 text;
  ImU32 text_dim;
  ImU32 accent;       // selection, links, the current thing
  ImU32 accent_soft;  // ground of a selection
  ImU32 on_accent;    // text on accent
  ImU32 q, k, v;
  ImU32 residual, attention, mlp, norm;
  ImU32 positive, negative;  // ends of the diverging map
  ImU32 masked, masked_stripe;
  ImU32 nan, inf;
  ImU32 error, ok, warning;
  ImU32 breakpoint;
  ImU32 shadow;  // behind popups and over dimmed stages
};

const Theme& theme();
/// As the contrast is now.
const Theme& theme(ThemeKind kind);
const Theme& theme(ThemeKind kind, bool contrast);
void set_theme(ThemeKind kind);
/// High contrast: a darker or whiter ground, brighter or blacker text.
void set_contrast(bool on);
bool contrast();
/// Maps of numbers in colours that all eyes tell apart (colormap.h).
void set_safe_colours(bool on);
bool safe_colours();
/// Grows by one with everything of these that changed: textures made of colours watch it.
int theme_version();

/// Sizes in pixels at scale 1 of what views draw themselves; multiply by ui_scale().
namespace metric {
constexpr float kRounding = 6.0f;
constexpr float kPadding = 14.0f;  // panel edge to content
constexpr float kCellGap = 2.0f;
constexpr float kHairline = 1.0f;
constexpr float kOutline = 2.0f;  // of a selected cell
}  // namespace metric

/// Sets spacing, rounding and all colours of ImGui for the current theme. scale: pixels per unit, 1 = 96 dpi.
void apply_imgui_style(float scale);
/// The scale given to apply_imgui_style last.
float ui_scale();

}  // namespace attnscope
