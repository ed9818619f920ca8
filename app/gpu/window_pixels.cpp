#include "app/gpu/window_pixels.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <imgui.h>

#include <cfloat>

namespace attnscope {
namespace {

float pixels_per_unit(GLFWwindow* window) {
  int units = 0, pixels = 0, height = 0;
  glfwGetWindowSize(window, &units, &height);
  glfwGetFramebufferSize(window, &pixels, &height);
  return units > 0 && pixels > 0 ? static_cast<float>(pixels) / static_cast<float>(units) : 1.f;
}

}  // namespace

#if IMGUI_VERSION_NUM >= 18700
void report_mouse_in_pixels(GLFWwindow* window) {
  glfwSetCursorPosCallback(window, [](GLFWwindow* of, double x, double y) {
    const double scale = pixels_per_unit(of);
    ImGui_ImplGlfw_CursorPosCallback(of, x * scale, y * scale);
  });
}
#else
void report_mouse_in_pixels(GLFWwindow*) {}  // that version asks for it in each frame
#endif

void count_in_pixels(GLFWwindow* window) {
  ImGuiIO& io = ImGui::GetIO();
  const float scale = pixels_per_unit(window);
#if IMGUI_VERSION_NUM < 18700
  if (ImGui::IsMousePosValid(&io.MousePos))
    io.MousePos = ImVec2(io.MousePos.x * scale, io.MousePos.y * scale);
#else
  // The backend asks for the last place of a mouse that has left, in units.
  if (scale != 1.f && !glfwGetWindowAttrib(window, GLFW_HOVERED)) io.AddMousePosEvent(-FLT_MAX, -FLT_MAX);
#endif
  int width = 0, height = 0;
  glfwGetFramebufferSize(window, &width, &height);
  io.DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
  io.DisplayFramebufferScale = ImVec2(1, 1);
}

}  // namespace attnscope
