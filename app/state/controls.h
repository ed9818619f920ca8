// Small controls that the parts of the frame share. Refuses state of its own.
#pragma once

#include <imgui.h>

#include <string>

#include "app/look/colour.h"
#include "app/look/fonts.h"
#include "app/look/imgui_compat.h"
#include "app/look/label.h"
#include "app/look/scopes.h"
#include "app/look/theme.h"

namespace attnscope {

using WithFont = FontScope;
using WithColour = ColourScope;
using WithVar = StyleScope;
using WithId = IdScope;

// ---- controls -----------------------------------------------------------------------------------
/// Units to pixels.
inline float px(float units) { return units * ui_scale(); }
/// A raised button; `on` gives it the outline and colour of what is switched on. Label and "###id".
bool raised_button(const Label& label, bool on = false);
/// A button of the most likely choice.
bool primary_button(const Label& label);
/// A small "x" that closes; `id` is unique in its window.
bool close_button(const char* id);
/// Dim text.
void dim_text(std::string_view text);
void wrapped_text(std::string_view text, ImU32 colour);
/// Width of a button with this text (up to "##").
float button_width(const Label& label);
/// The text shortened in its middle until it is no wider than `width` in the current font.
std::string shortened(std::string_view text, float width);
/// Centres the next window on the screen.
void centre_next_window();
/// How many popups are open, one over the other, and whether the topmost is a dialog that nothing else is
/// reached behind.
int open_popups();
bool dialog_open();
/// Closes the topmost popup, or all of them.
void close_popup();
void close_popups();
/// The next popup hangs below the last item, on its right side where `right`, else on its left.
void popup_below_item(bool right);
/// Escape was pressed while no text is being typed.
bool escape_pressed();

}  // namespace attnscope
