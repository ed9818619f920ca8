// The two stock backends, and what 1.86 lacks: a queue for keys that go down and up within a frame, and
// glyphs on demand for typed and pasted text.
#include "app/gpu/imgui_host.h"

#include <glad/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui_internal.h>  // the queue of events of 1.87 and later

#include <algorithm>
#include <cfloat>
#include <deque>
#include <set>

#include "app/look/fonts.h"
#include "app/look/imgui_compat.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

#if IMGUI_VERSION_NUM < 18700
struct KeyEvent {
  int key, scancode, action, modifiers;  // key -1: text
  unsigned code_point;
};

std::deque<KeyEvent>& key_queue() {
  static std::deque<KeyEvent> queue;
  return queue;
}

void queue_keys(GLFWwindow* window) {
  key_queue().clear();
  glfwSetKeyCallback(window, [](GLFWwindow*, int key, int scancode, int action, int modifiers) {
    key_queue().push_back({key, scancode, action, modifiers, 0});
  });
  glfwSetCharCallback(window, [](GLFWwindow*, unsigned code_point) {
    key_queue().push_back({-1, 0, 0, 0, code_point});
  });
}

/// Hands over at most one change per key and frame, keys before the text they made.
void feed_keys(GLFWwindow* window) {
  std::set<int> changed;
  bool text = false, pressed = false;
  std::deque<KeyEvent>& queue = key_queue();
  while (!queue.empty()) {
    const KeyEvent event = queue.front();
    const bool is_key = event.key != -1;
    if (is_key && (changed.count(event.key) > 0 || text || (pressed && event.action == GLFW_RELEASE))) break;
    if (is_key) {
      changed.insert(event.key);
      pressed |= event.action == GLFW_PRESS;
      ImGui_ImplGlfw_KeyCallback(window, event.key, event.scancode, event.action, event.modifiers);
    } else {
      text = true;
      std::string typed;
      append_utf8(typed, event.code_point);
      note_text(typed);
      ImGui_ImplGlfw_CharCallback(window, event.code_point);
    }
    queue.pop_front();
  }
}
#else
void queue_keys(GLFWwindow*) {}
void feed_keys(GLFWwindow*) {}
#endif

/// Text in the clipboard may be pasted in the frame that follows.
void note_clipboard() {
#if IMGUI_VERSION_NUM < 19200
  const ImGuiIO& io = ImGui::GetIO();
  if (!io.KeyCtrl && !io.KeySuper && !io.MouseDown[2]) return;
  if (const char* text = ImGui::GetClipboardText()) note_text(std::string_view(text).substr(0, 1 << 16));
#endif
}

}  // namespace

Result<std::unique_ptr<ImguiHost>> ImguiHost::make(GlContext& context, float scale) {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  std::unique_ptr<ImguiHost> host(new ImguiHost(context));
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  if (context.window() != nullptr) {
    host->window_backend_ = ImGui_ImplGlfw_InitForOpenGL(context.window(), true);
    queue_keys(context.window());
  } else {
    compat::init_headless_keys(io);
    io.ConfigInputTextCursorBlink = false;
  }
  host->renderer_backend_ = ImGui_ImplOpenGL3_Init("#version 330 core");
  if (!host->renderer_backend_) {
    return fail(Code::unsupported, "error.gpu.no_functions");
  }
  host->wanted_scale_ = scale > 0.0f ? scale : context.scale();
  apply_imgui_style(host->wanted_scale_);
  load_fonts(host->wanted_scale_);
  host->painter_ = std::make_unique<Painter>(true);
  return host;
}

ImguiHost::~ImguiHost() {
  painter_.reset();
  lens_picture_.reset();
  if (renderer_backend_) ImGui_ImplOpenGL3_Shutdown();
  if (window_backend_) ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
}

void ImguiHost::rebuild_atlas() {
  const bool rescaled = wanted_scale_ != ui_scale();
  if (!rescaled && !fonts_pending()) return;
#if IMGUI_VERSION_NUM < 19200
  ImGui_ImplOpenGL3_DestroyFontsTexture();
#endif
  if (rescaled) {
    apply_imgui_style(wanted_scale_);
    load_fonts(wanted_scale_);
  } else {
    rebuild_fonts();
  }
#if IMGUI_VERSION_NUM < 19200
  ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
}

void ImguiHost::new_frame() {
  ImGui_ImplOpenGL3_NewFrame();
  if (window_backend_) {
    feed_keys(context_.window());
    note_clipboard();
    ImGui_ImplGlfw_NewFrame();
  } else {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(static_cast<float>(context_.width()), static_cast<float>(context_.height()));
    io.DeltaTime = 1.0f / 60.0f;
  }
  if (picture_width_ > 0) {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(static_cast<float>(picture_width_), static_cast<float>(picture_height_));
    io.DisplayFramebufferScale = ImVec2(1, 1);
    compat::feed_mouse_pos(io, -FLT_MAX, -FLT_MAX);
  }
  rebuild_atlas();
  painter_->begin_frame();
  ImGui::NewFrame();
}

void ImguiHost::draw_into(unsigned framebuffer, int width, int height) {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glViewport(0, 0, width, height);
  const ImVec4 ground = to_vec4(theme().ground);
  glClearColor(ground.x, ground.y, ground.z, 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void ImguiHost::render() {
  ImGui::Render();
  draw_into(context_.framebuffer(), context_.width(), context_.height());
  if (lens_.factor > 1.f) draw_lens();
}

// What was drawn around the point, copied out and back larger.
void ImguiHost::draw_lens() {
  const int width = static_cast<int>(2 * lens_.half.x), height = static_cast<int>(2 * lens_.half.y);
  const bool fits = lens_picture_ && lens_picture_->width() == width && lens_picture_->height() == height;
  if (!fits) {
    auto made = Offscreen::make(std::max(1, width), std::max(1, height));
    if (!made) return;
    lens_picture_ = *std::move(made);
  }
  const float from_width = 2 * lens_.half.x / lens_.factor, from_height = 2 * lens_.half.y / lens_.factor;
  const auto inside = [](float at, float size, int whole) {
    return static_cast<int>(std::clamp(at - size / 2, 0.f, std::max(0.f, static_cast<float>(whole) - size)));
  };
  const int x = inside(lens_.at.x, from_width, context_.width()),
            y = context_.height() - inside(lens_.at.y, from_height, context_.height());  // from below
  const auto left = static_cast<int>(lens_.centre.x - lens_.half.x);
  const int bottom = context_.height() - static_cast<int>(lens_.centre.y + lens_.half.y);
  glDisable(GL_SCISSOR_TEST);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, context_.framebuffer());
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, lens_picture_->framebuffer());
  glBlitFramebuffer(x, y - static_cast<int>(from_height), x + static_cast<int>(from_width), y, 0, 0, width,
                    height, GL_COLOR_BUFFER_BIT, GL_LINEAR);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, lens_picture_->framebuffer());
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, context_.framebuffer());
  glBlitFramebuffer(0, 0, width, height, left, bottom, left + width, bottom + height, GL_COLOR_BUFFER_BIT,
                    GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, context_.framebuffer());
}

Result<Image> ImguiHost::picture() {
  const bool sized = picture_width_ > 0;
  TRY(const auto target, Offscreen::make(sized ? picture_width_ : context_.width(),
                                         sized ? picture_height_ : context_.height()));
  draw_into(target->framebuffer(), target->width(), target->height());
  return target->read();
}

void ImguiHost::take_keys_of(GLFWwindow* other) {
#if IMGUI_VERSION_NUM < 18700
  glfwSetKeyCallback(other, [](GLFWwindow*, int key, int scancode, int action, int modifiers) {
    key_queue().push_back({key, scancode, action, modifiers, 0});
  });
#else
  glfwSetWindowUserPointer(other, context_.window());
  glfwSetKeyCallback(other, [](GLFWwindow* self, int key, int scancode, int action, int modifiers) {
    auto* first = static_cast<GLFWwindow*>(glfwGetWindowUserPointer(self));
    ImGui_ImplGlfw_KeyCallback(first, key, scancode, action, modifiers);
  });
#endif
}

bool ImguiHost::keys_waiting() const {
#if IMGUI_VERSION_NUM < 18700
  return !key_queue().empty();
#else
  return ImGui::GetCurrentContext()->InputEventsQueue.Size > 0;
#endif
}

void ImguiHost::restyle() { apply_imgui_style(ui_scale()); }

}  // namespace attnscope
