// Small pieces that views are made of: guards for what ImGui wants to be popped, headings, chips, captioned
// sliders, tokens. Refuses state of its own.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>

#include "app/look/colour.h"
#include "app/look/fonts.h"
#include "app/look/imgui_compat.h"
#include "app/look/theme.h"

namespace attnscope {

// ---- guards -------------------------------------------------------------------------------------
struct FontScope {
  explicit FontScope(ImFont* font) { compat::push_font(font ? font : ImGui::GetFont()); }
  ~FontScope() { ImGui::PopFont(); }
  FontScope(const FontScope&) = delete;
  FontScope& operator=(const FontScope&) = delete;
};
struct ColourScope {
  ColourScope(ImGuiCol slot, ImU32 colour) { ImGui::PushStyleColor(slot, colour); }
  ~ColourScope() { ImGui::PopStyleColor(); }
  ColourScope(const ColourScope&) = delete;
  ColourScope& operator=(const ColourScope&) = delete;
};
struct StyleScope {
  StyleScope(ImGuiStyleVar slot, ImVec2 value) { ImGui::PushStyleVar(slot, value); }
  StyleScope(ImGuiStyleVar slot, float value) { ImGui::PushStyleVar(slot, value); }
  ~StyleScope() { ImGui::PopStyleVar(); }
  StyleScope(const StyleScope&) = delete;
  StyleScope& operator=(const StyleScope&) = delete;
};
/// A child window; ends with the scope.
struct ChildScope {
  ChildScope(const char* id, ImVec2 size, ImGuiWindowFlags flags = 0) {
    compat::begin_child(id, ImVec2(size.x < 1 ? 1 : size.x, size.y < 1 ? 1 : size.y), false, flags);
  }
  ~ChildScope() { ImGui::EndChild(); }
  ChildScope(const ChildScope&) = delete;
  ChildScope& operator=(const ChildScope&) = delete;
};
/// Greys out and disables what follows.
struct DisabledScope {
  explicit DisabledScope(bool disabled) { ImGui::BeginDisabled(disabled); }
  ~DisabledScope() { ImGui::EndDisabled(); }
  DisabledScope(const DisabledScope&) = delete;
  DisabledScope& operator=(const DisabledScope&) = delete;
};

// ---- text ---------------------------------------------------------------------------------------
/// Units at scale 1 to pixels.
inline float scaled(float units) { return units * ui_scale(); }
/// Title of a view, and one dim sentence below it that wraps inside `width`.
void view_heading(const std::string& title, const std::string& sentence, float width);
/// A bold line over a part of a view.
void section_heading(const std::string& text);
/// Dim text of the small font that wraps at the window's edge.
void caption(const std::string& text);
/// A line of `font` and colour.
void text_line(ImFont* font, ImU32 colour, const std::string& text);
/// Dims what was drawn in the rectangle: it is about to be replaced.
void veil(ImVec2 p0, ImVec2 p1);

// ---- controls -----------------------------------------------------------------------------------
/// A choice among few: outlined when `on`. `label` is "text###id". True when clicked.
bool chip(const std::string& label, bool on, const char* help = nullptr);
/// Width of a chip or button with this text (up to "##").
float chip_width(const std::string& label);

struct SliderEvent {
  bool changed = false;
  bool released = false;  ///< a drag or a burst of typing ended
};
/// A slider of whole numbers with a caption on the left of its value: "head 3". `id` is unique in the window.
SliderEvent slider_int(const char* id, const std::string& title, std::int64_t& value, std::int64_t lo,
                       std::int64_t hi, float width, const char* help = nullptr, bool logarithmic = false);
/// The same for a real number; `shape` is a printf pattern.
SliderEvent slider_real(const char* id, const std::string& title, float& value, float lo, float hi,
                        const char* shape, float width, const char* help = nullptr);
/// Play and pause as a round sign; true when clicked.
bool play_button(const char* id, bool playing, const char* help);

/// So many digits that count, with a real minus sign.
std::string significant(double value, int digits);

}  // namespace attnscope
