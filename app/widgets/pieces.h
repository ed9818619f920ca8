// Small building blocks of views: headings, chips, captioned sliders, text that is part of the figure.
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
#include "core/base/power_text.h"

namespace attnscope {

// ---- text ---------------------------------------------------------------------------------------
/// Converts units (at scale 1) to pixels.
inline float scaled(float units) { return units * ui_scale(); }
/// Title of a view, and one dim sentence below it; both wrap at `width` pixels.
void view_heading(std::string_view title, std::string_view sentence, float width);
/// Compact headings, for lessons and small views: the title in a smaller font, its sentence as a tooltip
/// instead of below it.
void set_headings_told(bool told);
/// Moves the ImGui cursor there, and extends the window to it even if no item follows.
void end_at(ImVec2 position);
/// Text in ImGui's current font and colour at the ImGui cursor, as an item and a part of the figure. `wrap`:
/// width in pixels; 0: up to the window's edge; below 0: no wrapping.
void figure_text(std::string_view text, float wrap = -1);
/// A bold line over a part of a view.
void section_heading(std::string_view text);
/// Dim text of the small font that wraps at `width`; 0: at the window's edge.
void caption(std::string_view text, float width = 0);
/// Height of the caption in pixels when it wraps at `width`.
float caption_height(std::string_view text, float width);
/// One line of text in `font` and `colour`; `wrap` as in figure_text.
void text_line(ImFont* font, ImU32 colour, std::string_view text, float wrap = -1);
/// The next popup stands at the window's lower right, over a lesson's panel: the stage that it changes stays
/// in sight.
void popup_over_panel();
/// Dims the rectangle: its content is being recomputed.
void veil(ImVec2 p0, ImVec2 p1);
/// Tints the rectangle: a previewed change would affect it (app/look/shade.h).
void tint(ImVec2 p0, ImVec2 p1);

// ---- controls -----------------------------------------------------------------------------------
/// A toggle among few: outlined when `on`. `label` is "text###id". True when clicked.
bool chip(const Label& label, bool on, const char* help = nullptr);
/// Width in pixels of a chip or button with this text (up to "##").
float chip_width(const Label& label);
/// Chips side by side; one that does not fit into `width` pixels begins another line, or is left out where
/// `cut`. Sizes of the look in units.
class ChipRow {
 public:
  struct Look {
    ImVec2 padding{7, 3};
    float gap = 4;
    bool cut = false;
    ImFont* font = fonts().small;
  };
  ChipRow(ImVec2 at, float width) : ChipRow(at, width, Look()) {}
  ChipRow(ImVec2 at, float width, const Look& look);
  /// At the cursor, in the current font, padding and spacing; other items may follow (ImGui::SameLine).
  explicit ChipRow(float width = 1e9f, float gap = ImGui::GetStyle().ItemSpacing.x / ui_scale());
  bool operator()(const Label& label, bool on, const char* help = nullptr);
  /// Another gap before the next chip.
  void part(float units = 16) { before_ = scaled(units); }
  /// Moves the cursor to the place of the next item of this width; false where there is none.
  bool place(float wide);
  /// End of the last chip, screen pixels.
  float right() const { return right_; }
  float height() const { return y_ + ImGui::GetFrameHeight() - at_.y; }

 private:
  FontScope face_;
  StyleScope slim_;
  ImVec2 at_, gap_;
  float width_, right_, before_ = 0, y_;
  bool cut_ = false;
};

struct SliderEvent {
  bool changed = false;
  bool released = false;  ///< the end of a drag or of typing
  bool typed = false;     ///< the number stands in a field: it is meant as it is written
};
/// A slider for whole numbers with a caption above: "head", "3". `id` is unique in the window.
SliderEvent slider_int(const char* id, std::string_view title, std::int64_t& value, std::int64_t lo,
                       std::int64_t hi, float width, const char* help = nullptr, bool logarithmic = false);
/// The same for a real number; `shape` is a printf pattern; `face`: of the caption, null: the small one.
SliderEvent slider_real(const char* id, std::string_view title, float& value, float lo, float hi,
                        const char* shape, float width, const char* help = nullptr, bool logarithmic = false,
                        ImFont* face = nullptr);
/// Round play / pause button; true when clicked.
bool play_button(const char* id, bool playing, const char* help);

}  // namespace attnscope
