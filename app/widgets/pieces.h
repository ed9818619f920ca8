// Small pieces that views are made of: headings, chips, captioned sliders, tokens. Refuses state of its own.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>

#include "app/look/colour.h"
#include "app/look/fonts.h"
#include "app/look/imgui_compat.h"
#include "app/look/label.h"
#include "app/look/scopes.h"
#include "app/look/theme.h"

namespace attnscope {

// ---- text ---------------------------------------------------------------------------------------
/// Units at scale 1 to pixels.
inline float scaled(float units) { return units * ui_scale(); }
/// Title of a view, and one dim sentence below it; both wrap inside `width`.
void view_heading(std::string_view title, std::string_view sentence, float width);
/// Somebody else tells what is to be seen, or there is little room: headings are small, and their sentence is
/// told where one points there.
void set_headings_told(bool told);
/// What is drawn next begins here, and the window reaches as far even where nothing follows.
void end_at(ImVec2 position);
/// Text of ImGui's current font and colour where ImGui's cursor stands, as an item and a part of the figure.
/// `wrap`: the width in which it wraps; 0: up to the window's edge; below 0: it does not.
void figure_text(std::string_view text, float wrap = -1);
/// A bold line over a part of a view.
void section_heading(std::string_view text);
/// Dim text of the small font that wraps at `width`; 0: at the window's edge.
void caption(std::string_view text, float width = 0);
/// How tall it is where it wraps at `width`.
float caption_height(std::string_view text, float width);
/// A line of `font` and colour.
void text_line(ImFont* font, ImU32 colour, std::string_view text);
/// Dims what was drawn in the rectangle: it is about to be replaced.
void veil(ImVec2 p0, ImVec2 p1);
/// Tints the rectangle: a change that one thinks of would reach it (app/look/shade.h).
void tint(ImVec2 p0, ImVec2 p1);

// ---- controls -----------------------------------------------------------------------------------
/// A choice among few: outlined when `on`. `label` is "text###id". True when clicked.
bool chip(const Label& label, bool on, const char* help = nullptr);
/// Width of a chip or button with this text (up to "##").
float chip_width(const Label& label);
/// Chips one behind the other, wrapped before `right` (screen).
class ChipLine {
 public:
  explicit ChipLine(float right) : right_(right) {}
  bool operator()(const Label& label, bool on, const char* help = nullptr);
  /// More room before the next one.
  void part() { gap_ = scaled(16); }

 private:
  float right_, gap_ = 0;
  bool first_ = true;
};

struct SliderEvent {
  bool changed = false;
  bool released = false;  ///< a drag or a burst of typing ended
  bool typed = false;     ///< the number stands in a field: it is meant as it is written
};
/// A slider of whole numbers with a caption on the left of its value: "head 3". `id` is unique in the window.
SliderEvent slider_int(const char* id, std::string_view title, std::int64_t& value, std::int64_t lo,
                       std::int64_t hi, float width, const char* help = nullptr, bool logarithmic = false);
/// The same for a real number; `shape` is a printf pattern.
SliderEvent slider_real(const char* id, std::string_view title, float& value, float lo, float hi,
                        const char* shape, float width, const char* help = nullptr, bool logarithmic = false);
/// Play and pause as a round sign; true when clicked.
bool play_button(const char* id, bool playing, const char* help);

/// So many digits that count, with a real minus sign.
std::string significant(double value, int digits);

}  // namespace attnscope
