// Windows through GLFW; offscreen contexts through EGL, else through a hidden window.
#include "app/gpu/gl_context.h"

#include <glad/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "app/gpu/egl_context.h"
#include "app/gpu/offscreen.h"
#include "app/gpu/waker.h"
#include "core/base/caught.h"

namespace attnscope {
namespace {

std::string& glfw_complaint() {
  static std::string text;
  return text;
}
std::atomic<bool> window_open{false};

std::function<void()>& last_words() {
  static std::function<void()> words;
  return words;
}

// Xlib's handler of a lost connection; when it returns, Xlib ends the program itself.
int on_display_lost(void*) {
  static std::atomic<bool> lost{false};
  window_open = false;
  if (lost.exchange(true)) {  // another thread is already handling it
    for (;;) ::pause();
  }
  std::fputs("attnscope: The display is gone, so the program ends.\n", stderr);
  if (last_words()) last_words()();
  ::_exit(1);
}

// GLFW loads Xlib where it uses it, so its handler is set through dlsym and no header is needed.
void watch_display() {
  using Handler = int (*)(void*);
  void* xlib = ::dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (!xlib) return;
  const auto set_handler = reinterpret_cast<Handler (*)(Handler)>(::dlsym(xlib, "XSetIOErrorHandler"));
  if (set_handler) set_handler(on_display_lost);
}

// The monitor that contains this point; the primary one if none does.
GLFWmonitor* screen_of(int x, int y) {
  int count = 0;
  GLFWmonitor** const screens = glfwGetMonitors(&count);
  for (int i = 0; i < count; ++i) {
    int left = 0, top = 0;
    glfwGetMonitorPos(screens[i], &left, &top);
    const GLFWvidmode* mode = glfwGetVideoMode(screens[i]);
    if (mode && x >= left && y >= top && x < left + mode->width && y < top + mode->height) return screens[i];
  }
  return glfwGetPrimaryMonitor();
}

class WindowContext final : public GlContext {
 public:
  explicit WindowContext(GLFWwindow* window) : window_(window) {
    watch_display();
    glfwSetWindowUserPointer(window, this);
    glfwSetDropCallback(window, [](GLFWwindow* source, int count, const char** paths) {
      auto* self = static_cast<WindowContext*>(glfwGetWindowUserPointer(source));
      if (!self->on_drop) return;
      (void)guarded(Text::of("error.work.dropped"), [&] {
        self->on_drop({paths, paths + count});
      });  // GLFW is C code: no exception may pass
    });
    window_open = true;
  }
  ~WindowContext() override {
    window_open = false;
    waker_.reset();
    target_.reset();
    glfwDestroyWindow(window_);
    glfwTerminate();
  }
  /// Draws into a framebuffer object: the contents of a hidden window's buffers are undefined.
  Status hide_behind(int width, int height) {
    TRY(target_, Offscreen::make(width, height));
    return Done{};
  }
  GLFWwindow* window() const override { return target_ ? nullptr : window_; }
  int width() const override { return target_ ? target_->width() : size().first; }
  int height() const override { return target_ ? target_->height() : size().second; }
  unsigned framebuffer() const override { return target_ ? target_->framebuffer() : 0; }
  float scale() const override {
    float x = 1.0f, y = 1.0f;
    if (!target_) glfwGetWindowContentScale(window_, &x, &y);
    return std::clamp(x, 0.5f, 4.0f);
  }
  void swap() override {
    if (target_) return;
    glfwSwapBuffers(window_);
    if (reset_status_ && !lost_) lost_ = reset_status_() != 0;
  }
  bool lost() const override { return lost_; }
  Image read_pixels() const override { return read_framebuffer(framebuffer(), width(), height()); }
  void poll(double seconds) override {
    if (seconds > 0.0) {
      glfwWaitEventsTimeout(seconds);
    } else {
      glfwPollEvents();
    }
  }
  bool should_close() const override { return glfwWindowShouldClose(window_) != 0; }
  void request_close(bool close) override {
    glfwSetWindowShouldClose(window_, close ? GLFW_TRUE : GLFW_FALSE);
  }
  void set_title(const std::string& title) override { glfwSetWindowTitle(window_, title.c_str()); }
  void set_full_screen(bool on) override {
    if (on == full_ || target_) return;
    full_ = on;
    if (!on)
      return glfwSetWindowMonitor(window_, nullptr, place_.x, place_.y, place_.width, place_.height, 0);
    glfwGetWindowPos(window_, &place_.x, &place_.y);
    glfwGetWindowSize(window_, &place_.width, &place_.height);
    GLFWmonitor* screen = screen_of(place_.x + place_.width / 2, place_.y + place_.height / 2);
    const GLFWvidmode* mode = screen ? glfwGetVideoMode(screen) : nullptr;
    if (!mode) return;
    glfwSetWindowAttrib(window_, GLFW_AUTO_ICONIFY, GLFW_FALSE);  // stay when another screen gets the focus
    glfwSetWindowMonitor(window_, screen, 0, 0, mode->width, mode->height, mode->refreshRate);
  }

 private:
  struct Place {
    int x = 0, y = 0, width = 0, height = 0;
  };
  std::pair<int, int> size() const {
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_, &width, &height);
    return {width, height};
  }
  // Of GL_ARB_robustness, which the context is asked for: what took it away; 0 where it is there.
  static unsigned (*reset_status())() {
    const bool there = glfwExtensionSupported("GL_ARB_robustness") == GLFW_TRUE;
    return there ? reinterpret_cast<unsigned (*)()>(glfwGetProcAddress("glGetGraphicsResetStatusARB"))
                 : nullptr;
  }

  GLFWwindow* window_;
  unsigned (*reset_status_)() = reset_status();
  bool full_ = false, lost_ = false;
  Place place_;  ///< position and size before full screen
  std::unique_ptr<Offscreen> target_;
  std::unique_ptr<Waker> waker_ = std::make_unique<Waker>([] {
    if (window_open) glfwPostEmptyEvent();
  });
};

Error no_window(std::string_view hint) {
  const std::string& why = glfw_complaint();
  const Text what =
      why.empty() ? Text::of("error.gpu.no_window") : Text::of("error.gpu.no_window_because", {why});
  return Error{Code::unsupported, what, Text::of(hint)};
}

constexpr int kTitleBar = 48;  // units reserved for the window's title bar

// Limits a size to the screen where the window will open; false when the window fills that screen.
bool fit_screen(int& width, int& height) {
  GLFWmonitor* screen = glfwGetPrimaryMonitor();
  if (screen == nullptr) return true;
  int x = 0, y = 0, most_width = 0, most_height = 0;
  float scale_x = 1.f, scale_y = 1.f;
  glfwGetMonitorWorkarea(screen, &x, &y, &most_width, &most_height);
  glfwGetMonitorContentScale(screen, &scale_x, &scale_y);
  if (most_width <= 0 || most_height <= 0) return true;
  most_width = static_cast<int>(static_cast<float>(most_width) / std::max(0.5f, scale_x));
  most_height = static_cast<int>(static_cast<float>(most_height) / std::max(0.5f, scale_y));
  const bool fits = width <= most_width && height + kTitleBar <= most_height;
  width = std::min(width, most_width);
  height = std::min(height, most_height);
  return fits;
}

// Xwayland where there is one: what speaks Wayland itself cannot place the notes on the lecturer's other
// screen.
bool init_glfw() {
#ifdef GLFW_PLATFORM  // since 3.4
  if (std::getenv("DISPLAY") && glfwPlatformSupported(GLFW_PLATFORM_X11)) {
    glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
    if (glfwInit() == GLFW_TRUE) return true;
    glfwInitHint(GLFW_PLATFORM, GLFW_ANY_PLATFORM);
  }
#endif
  return glfwInit() == GLFW_TRUE;
}

Result<std::unique_ptr<WindowContext>> open_glfw(const std::string& title, int width, int height,
                                                 bool visible) {
  glfw_complaint().clear();
  glfwSetErrorCallback([](int, const char* text) { glfw_complaint() = text; });
  if (!init_glfw()) {
    const bool wayland_only = !std::getenv("DISPLAY") && std::getenv("WAYLAND_DISPLAY");
    return no_window(wayland_only ? "error.gpu.hint.wayland" : "error.gpu.hint.desktop");
  }
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, GLFW_LOSE_CONTEXT_ON_RESET);  // where the driver has it
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  glfwWindowHint(GLFW_VISIBLE, visible ? GLFW_TRUE : GLFW_FALSE);
#ifdef GLFW_WAYLAND_APP_ID
  glfwWindowHintString(GLFW_WAYLAND_APP_ID, "attnscope");  // attnscope.desktop and its icon
#endif
  if (visible && !fit_screen(width, height)) glfwWindowHint(GLFW_MAXIMIZED, GLFW_TRUE);
  GLFWwindow* window = glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr);
  if (window != nullptr) glfwMakeContextCurrent(window);
  if (window == nullptr || gladLoadGL(reinterpret_cast<GLADloadfunc>(glfwGetProcAddress)) == 0) {
    if (window != nullptr) glfwDestroyWindow(window);
    glfwTerminate();
    return no_window("error.gpu.hint.driver");
  }
  glfwSwapInterval(1);
  auto context = std::make_unique<WindowContext>(window);
  context->description = std::string(visible ? "window" : "hidden window") + ", " +
                         reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  return context;
}

}  // namespace

std::string renderer_name() {
  const GLubyte* name = glad_glGetString ? glGetString(GL_RENDERER) : nullptr;
  return name ? reinterpret_cast<const char*>(name) : "";
}

Result<std::unique_ptr<GlContext>> make_window(const std::string& title, int width, int height) {
  TRY(auto context, open_glfw(title, width, height, true));
  return std::unique_ptr<GlContext>(std::move(context));
}

Result<std::unique_ptr<GlContext>> make_offscreen(int width, int height) {
  auto egl = make_egl(width, height);
  if (egl || egl.error().code() == Code::out_of_range) return egl;
  auto hidden = open_glfw("attnscope", 64, 64, false);
  if (!hidden) {
    return Error{Code::unsupported,
                 Text::of("error.gpu.nothing", {egl.error().what(), hidden.error().what()}),
                 egl.error().advice()};
  }
  TRY_OK((*hidden)->hide_behind(width, height));
  return std::unique_ptr<GlContext>(*std::move(hidden));
}

void wake_window() { Waker::ask(); }

void set_last_words(std::function<void()> words) { last_words() = std::move(words); }

void finish_drawing() { glFinish(); }

}  // namespace attnscope
