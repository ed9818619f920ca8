// Keyboard pointer: the clickable items of a frame in drawing order, and a virtual mouse pointer that keys
// move from one to the next, so that every control can be reached without a mouse. A control is clicked with
// Ctrl held, which turns sliders into text fields. UI thread only.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

struct ImGuiWindow;

namespace attnscope {

struct KeyControl {
  ImGuiID id = 0;
  ImVec2 p0, p1;                  ///< its rectangle, screen pixels
  ImVec2 seen0, seen1;            ///< the visible part of it
  ImGuiWindow* window = nullptr;  ///< the window it is drawn in, which may have to scroll

  bool in_sight() const { return seen1.x > seen0.x + 1 && seen1.y > seen0.y + 1; }
};

/// Starts the list of this frame; the one of the frame before stays in controls() until the next frame.
void begin_controls();
/// Adds the last ImGui item if it is clickable and visible, or can be scrolled into view.
void note_control();
/// The controls of the last complete frame.
const std::vector<KeyControl>& controls();

/// Position of the keyboard pointer; off: the real mouse is used.
struct KeyPointer {
  bool on = false;
  ImGuiID id = 0;
  ImVec2 at;
  int press = 0;  ///< frames left of the simulated click
};
KeyPointer& key_pointer();
/// Writes the keyboard pointer into io as mouse input of the next frame. Before ImGui::NewFrame().
void feed_key_pointer(ImGuiIO& io);

/// Moves to the next (`by` 1) or previous (-1) control and scrolls it into view; the first control chosen is
/// one inside p0..p1, the stage (screen pixels).
void step_key_pointer(int by, ImVec2 p0, ImVec2 p1);
/// Starts a click on the current control.
void press_key_pointer();
/// Moves the pointer with its control when that was drawn at another position.
void follow_key_pointer();
/// Items drawn between these are skipped by ImGui's own Tab, which stops at text fields only.
void begin_no_tab();
void end_no_tab();
/// A ring around the control, over everything.
void draw_key_pointer();

/// What was clicked takes numbers (a slider, a cell whose number a double click opens): a digit is typed for
/// it, and switches no view, until something else is clicked or Escape is pressed.
void take_digits();
bool digits_taken();
/// Before the keys of a frame are looked at.
void follow_digits();
/// The printable signs of ASCII that were typed in this frame; a minus sign (U+2212) is the keyboard's.
std::string typed_signs();

}  // namespace attnscope
