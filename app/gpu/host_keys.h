// The keys that a window reports to ImGui, each in the frame where it belongs: part of ImguiHost.
#pragma once

struct GLFWwindow;

namespace attnscope {

/// From now on the window's keys are queued (before ImGui 1.87; later versions queue them themselves).
void queue_host_keys(GLFWwindow* window);
/// Gives ImGui the keys of this frame.
void feed_host_keys(GLFWwindow* window);
/// A mouse button pressed after keys that are still queued is reported after them.
void hold_host_buttons();
/// ImGui's frame begins; what has to wait for the next one is kept.
void begin_frame_of_host_keys();

}  // namespace attnscope
