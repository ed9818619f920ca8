// The controls of a frame in the order in which they were drawn, and a pointer that the keys move from one to
// the next: so everything that can be clicked can be reached without a mouse. Refuses to know what a control
// does: it is clicked, with Ctrl, which lets numbers be typed.
#pragma once

#include <imgui.h>

#include <vector>

struct ImGuiWindow;

namespace attnscope {

struct KeyControl {
  ImGuiID id = 0;
  ImVec2 p0, p1;                  ///< where it stands, pixels
  ImVec2 seen0, seen1;            ///< what is seen of it
  ImGuiWindow* window = nullptr;  ///< that it is drawn in: it may have to scroll

  bool in_sight() const { return seen1.x > seen0.x + 1 && seen1.y > seen0.y + 1; }
};

/// Of this frame from now on; those of the frame before are `controls()` until the next frame begins.
void begin_controls();
/// The last ImGui item, where it is one that can be clicked and is in sight or can be scrolled there.
void note_control();
/// Of the last whole frame.
const std::vector<KeyControl>& controls();

/// Where the keys point; off: the mouse points.
struct KeyPointer {
  bool on = false;
  ImGuiID id = 0;
  ImVec2 at;
  int press = 0;  ///< frames that are left of a click
};
KeyPointer& key_pointer();
/// What the next frame takes for the mouse while the keys point. Before ImGui::NewFrame().
void feed_key_pointer(ImGuiIO& io);

/// Goes on to the next control (`by` 1) or back (-1), and scrolls it into sight; the first one begins inside
/// of `p0` to `p1`, the stage.
void step_key_pointer(int by, ImVec2 p0, ImVec2 p1);
/// Clicks what is pointed at.
void press_key_pointer();
/// The pointer follows its control where that was drawn elsewhere.
void follow_key_pointer();
/// ImGui's own Tab, which knows fields for text alone, passes over what is drawn between these.
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

}  // namespace attnscope
