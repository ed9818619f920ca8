// The colours by meaning, dark and light, and the style of every stock widget. A colour means the same
// everywhere: Q blue, K red, V green, residual stream amber, MLP purple, selection light blue, masked cells
// grey and hatched. Views take all colours from here.
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
  ImU32 hovered;       // a button, chip or card under the mouse pointer
  ImU32 border;
  ImU32 text;
  ImU32 text_dim;
  ImU32 accent;       // selection, links, the current item
  ImU32 accent_soft;  // background of a selection
  ImU32 on_accent;    // text on accent
  ImU32 q, k, v;
  ImU32 residual, attention, mlp, norm;
  ImU32 positive, negative;  // ends of the diverging map
  ImU32 masked, masked_stripe;
  ImU32 nan, inf;
  ImU32 error, ok, warning;
  ImU32 breakpoint;
  ImU32 shadow;  // behind popups and over a dimmed stage
};

const Theme& theme();
/// In the current contrast.
const Theme& theme(ThemeKind kind);
const Theme& theme(ThemeKind kind, bool contrast);
void set_theme(ThemeKind kind);
/// High contrast: darker or whiter background, brighter or blacker text.
void set_contrast(bool on);
bool contrast();
/// Colour maps that are safe for colour-blind readers (colormap.h).
void set_safe_colours(bool on);
bool safe_colours();
/// Grows by one with every change of theme, contrast or safe colours; textures made of colours compare it.
int theme_version();

/// Sizes, in pixels at scale 1, of what views draw themselves; multiply by ui_scale().
namespace metric {
constexpr float kRounding = 6.0f;
constexpr float kPadding = 14.0f;  // panel edge to content
constexpr float kCellGap = 2.0f;
constexpr float kHairline = 1.0f;
constexpr float kOutline = 2.0f;  // of a selected cell
}  // namespace metric

/// Sets spacing, rounding and all colours of ImGui for the current theme. scale: pixels per unit, 1 = 96 dpi.
void apply_imgui_style(float scale);
/// The scale of the last apply_imgui_style().
float ui_scale();

}  // namespace attnscope
