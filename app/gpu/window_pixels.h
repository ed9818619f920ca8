// The program counts in pixels on every desktop. Dear ImGui's GLFW backend counts mouse and window in the
// window's own units: pixels on X11, on Wayland as many as the scale of the screen that it lies on.
#pragma once

struct GLFWwindow;

namespace attnscope {

/// Has the mouse reported in pixels from now on. After ImGui_ImplGlfw_InitForOpenGL.
void report_mouse_in_pixels(GLFWwindow* window);
/// Sets the size of this frame in pixels. Between ImGui_ImplGlfw_NewFrame and ImGui::NewFrame.
void count_in_pixels(GLFWwindow* window);

}  // namespace attnscope
