// Small controls shared by the parts of the frame. Stateless.
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
/// Units (at scale 1) to pixels.
inline float px(float units) { return units * ui_scale(); }
/// A raised button, highlighted while `on`. Label and "###id".
bool raised_button(const Label& label, bool on = false);
/// The default button of a dialog.
bool primary_button(const Label& label);
/// A small "x" button; `id` is unique in its window.
bool close_button(const char* id);
/// Dim text.
void dim_text(std::string_view text);
void wrapped_text(std::string_view text, ImU32 colour);
/// Width in pixels of a button with this text (up to "##").
float button_width(const Label& label);
/// The text with its middle replaced by …, at most `width` pixels wide in the current font.
std::string shortened(std::string_view text, float width);
/// Centres the next window on the screen.
void centre_next_window();
/// Number of popups open on top of each other; whether the topmost one is a modal dialog, which blocks all
/// input behind it.
int open_popups();
bool dialog_open();
/// Closes the topmost popup, or all of them.
void close_popup();
void close_popups();
/// Places the next popup below the last item, aligned to its right edge if `right`, else to its left.
void popup_below_item(bool right);
/// Escape was pressed and no text field has the focus.
bool escape_pressed();

}  // namespace attnscope
