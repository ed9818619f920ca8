#include "app/gpu/side_window.h"

#include <glad/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_opengl3.h>

#include <algorithm>

#include "app/look/imgui_compat.h"
#include "app/look/scopes.h"
#include "app/look/theme.h"
#include "core/base/no_copy.h"

namespace attnscope {
namespace {

constexpr int kWidth = 1100, kHeight = 700;

/// A rectangle of the desktop; width 0: none.
struct Screen {
  int x = 0, y = 0, width = 0, height = 0;
};

Screen other_screen(GLFWwindow* window) {
  int count = 0, x = 0, y = 0, width = 0, height = 0;
  glfwGetWindowPos(window, &x, &y);
  glfwGetWindowSize(window, &width, &height);
  GLFWmonitor** const screens = glfwGetMonitors(&count);
  for (int i = 0; i < count && count > 1; ++i) {
    Screen out;
    glfwGetMonitorWorkarea(screens[i], &out.x, &out.y, &out.width, &out.height);
    const int middle_x = x + width / 2, middle_y = y + height / 2;
    const bool here = middle_x >= out.x && middle_x < out.x + out.width && middle_y >= out.y &&
                      middle_y < out.y + out.height;
    if (!here) return out;
  }
  return {};
}

/// RAII: makes another ImGui context and another window's OpenGL context current.
class Elsewhere : NoCopy {
 public:
  Elsewhere(ImGuiContext* context, GLFWwindow* window)
      : context_(ImGui::GetCurrentContext()), window_(glfwGetCurrentContext()) {
    ImGui::SetCurrentContext(context);
    glfwMakeContextCurrent(window);
  }
  ~Elsewhere() {
    ImGui::SetCurrentContext(context_);
    glfwMakeContextCurrent(window_);
  }

 private:
  ImGuiContext* context_;
  GLFWwindow* window_;
};

}  // namespace

Result<std::unique_ptr<SideWindow>> SideWindow::make(GlContext& first, ImguiHost& host,
                                                     const std::string& title) {
  if (!first.window()) return fail(Code::unsupported, "error.gpu.no_window");
  const Screen screen = other_screen(first.window());
  for (const int hint : {GLFW_FOCUSED, GLFW_FOCUS_ON_SHOW}) glfwWindowHint(hint, GLFW_FALSE);
  glfwWindowHint(GLFW_MAXIMIZED, GLFW_FALSE);
  GLFWwindow* window =
      glfwCreateWindow(screen.width > 0 ? screen.width : kWidth, screen.width > 0 ? screen.height : kHeight,
                       title.c_str(), nullptr, first.window());
  if (!window) return fail(Code::unsupported, "error.gpu.no_window");
  if (screen.width > 0) glfwSetWindowPos(window, screen.x, screen.y);
  std::unique_ptr<SideWindow> out(new SideWindow(first, host, window));
  host.take_keys_of(window);
  ImGuiContext* const usual = ImGui::GetCurrentContext();
  const ImGuiIO& io = ImGui::GetIO();
  out->context_ = ImGui::CreateContext(io.Fonts);
  ImGui::SetCurrentContext(out->context_);
  ImGuiIO& own = ImGui::GetIO();
  own.IniFilename = own.LogFilename = nullptr;
  own.BackendFlags = io.BackendFlags;
  own.BackendRendererUserData = io.BackendRendererUserData;  // both windows share programs and buffers
  own.BackendRendererName = io.BackendRendererName;
  reach_to_cursor();
  ImGui::SetCurrentContext(usual);
  {
    const Elsewhere there(usual, window);
    glfwSwapInterval(0);  // no vsync here: the first window already waits for it
  }
  return out;
}

SideWindow::~SideWindow() {
  if (context_) {
    ImGuiContext* const usual = ImGui::GetCurrentContext();
    ImGui::SetCurrentContext(context_);
    ImGui::GetIO().BackendRendererUserData = nullptr;  // belongs to the first window
    ImGui::SetCurrentContext(usual);
    ImGui::DestroyContext(context_);
  }
  copy_.reset();
  host_.release_keys_of(window_);
  glfwDestroyWindow(window_);
}

bool SideWindow::should_close() const { return glfwWindowShouldClose(window_) != 0; }

void SideWindow::mirror() {
  const int width = std::max(1, first_.width()), height = std::max(1, first_.height());
  if (!copy_ || copy_->width() != width || copy_->height() != height) {
    auto made = Offscreen::make(width, height);
    if (!made) return copy_.reset();
    copy_ = *std::move(made);
    glBindTexture(GL_TEXTURE_2D, copy_->texture());  // linear filter: it is drawn smaller
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glBindTexture(GL_TEXTURE_2D, 0);
  }
  glDisable(GL_SCISSOR_TEST);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, first_.framebuffer());
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, copy_->framebuffer());
  glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, first_.framebuffer());
  glFlush();  // before another context reads it
}

unsigned SideWindow::mirrored() const { return copy_ ? copy_->texture() : 0; }

void SideWindow::show(const std::function<void()>& draw) {
  const ImGuiStyle style = ImGui::GetStyle();
  const float passed = ImGui::GetIO().DeltaTime;
  ImFont* const face = ImGui::GetIO().FontDefault;
  const Elsewhere there(context_, window_);
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
  io.DeltaTime = std::max(passed, 1e-4f);
  io.FontDefault = face;
  ImGui::GetStyle() = style;
  ImGui::NewFrame();
  draw();
  ImGui::Render();
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, width, height);
  const ImVec4 ground = to_vec4(theme().ground);
  glClearColor(ground.x, ground.y, ground.z, 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glfwSwapBuffers(window_);
}

int screen_count() {
  int count = 0;
  (void)glfwGetMonitors(&count);
  return count;
}

}  // namespace attnscope
