// The typefaces: Inter for text, JetBrains Mono for numbers and names, Nanum Gothic for Hangul, DejaVu for
// symbols that these lack. Packages: fonts-inter, fonts-jetbrains-mono, fonts-nanum, fonts-dejavu-core.
// Before Dear ImGui 1.92 a code point has to be in the atlas before it can be drawn: note_text() registers
// new ones, and the host rebuilds the atlas between frames. No installed face has pause and skip signs
// (U+23F8, U+23ED): draw them as shapes. Code points above U+FFFF are not drawn (ImWchar has 16 bits).
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

#include "core/figure/typefaces.h"

namespace attnscope {

struct Fonts {
  ImFont* body = nullptr;          // text, buttons
  ImFont* body_bold = nullptr;     // headings of panels
  ImFont* reading = nullptr;       // text of a lesson
  ImFont* reading_bold = nullptr;  // the question of a lesson
  ImFont* small = nullptr;         // captions, labels of the timeline
  ImFont* title = nullptr;         // title of a view
  ImFont* lead = nullptr;          // a line to be read from afar
  ImFont* mono = nullptr;          // numbers, names, tokens
  ImFont* mono_small = nullptr;    // numbers in small cells
  ImFont* mono_tiny = nullptr;     // numbers in cells with room for two digits only
  ImFont* mono_name = nullptr;     // names beside numbers that are read from afar
  ImFont* mono_label = nullptr;    // names beside small cells
  ImFont* formula = nullptr;       // the formula of a step
  ImFont* mono_big = nullptr;      // the number of the inspector
};

/// Builds the atlas of the current ImGui context; `scale` as in apply_imgui_style. May be called again
/// between frames for another scale: fonts() then returns the new ones.
void load_fonts(float scale);
/// Null pointers before load_fonts().
const Fonts& fonts();
/// Typefaces that are missing on this machine, for a line in the log; empty when every one was found.
const std::string& font_warning();

/// The font of that typeface to draw an em square of `em` pixels with, and the size that Dear ImGui calls it
/// then: one that is drawn unscaled where it is as large within a few hundredths (`digits`: and no smaller),
/// else the next larger one where there is one.
struct SizedFont {
  ImFont* font = nullptr;
  float size = 13.f;
};
SizedFont font_for(Typeface face, float em, bool digits = false);

/// A font of the atlas as CSS describes it: family, weight, and the size of its em square in
/// pixels.
struct FontFace {
  const char* family = "sans-serif";
  int weight = 400;
  float em = 13.f;
};
/// sans-serif for a font that is none of fonts().
FontFace face_of(const ImFont* font);

/// Registers text that will be drawn: its new code points are in the atlas from the next frame on.
void note_text(std::string_view utf8);
/// Grows by one whenever text widths may have changed: fonts loaded, glyphs added, atlas rebuilt.
int fonts_version();
/// True when note_text() registered code points that the atlas lacks. Always false since 1.92.
bool fonts_pending();
/// Rebuilds the atlas in place (ImFont pointers stay valid). Between frames, after the old texture was
/// deleted.
void rebuild_fonts();

}  // namespace attnscope
