// A current OpenGL 3.3 core context: of a window, or offscreen (EGL without a display, else a hidden window).
// One per program, used from the thread that made it. Errors: no display, OpenGL older than 3.3.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/gpu/image_file.h"
#include "core/base/no_copy.h"
#include "core/base/result.h"

struct GLFWwindow;

namespace attnscope {

class GlContext : NoCopy {
 public:
  virtual ~GlContext() = default;
  GlContext() = default;

  /// Null when there is no visible window.
  virtual GLFWwindow* window() const { return nullptr; }
  /// Size of the framebuffer, pixels.
  virtual int width() const = 0;
  virtual int height() const = 0;
  /// The framebuffer to draw into; 0 is the window.
  virtual unsigned framebuffer() const = 0;
  /// Content scale of the screen, pixels per unit: 1 at 96 dpi.
  virtual float scale() const { return 1.0f; }
  /// Presents the frame.
  virtual void swap() {}
  /// The driver was reset, or took the context away: nothing that is drawn from now on is seen.
  virtual bool lost() const { return false; }
  /// The frame drawn last, before swap().
  virtual Image read_pixels() const = 0;
  /// Processes window events; waits up to `seconds` for one (0: does not wait).
  virtual void poll(double /*seconds*/) {}
  virtual bool should_close() const { return false; }
  virtual void request_close(bool /*close*/) {}
  virtual void set_title(const std::string& /*title*/) {}
  /// Full screen on the screen that the window is on, or back to its former position and size.
  virtual void set_full_screen(bool /*on*/) {}
  /// Called with the paths of files dropped on the window.
  std::function<void(const std::vector<std::string>& paths)> on_drop;
  /// How the context was made, and the driver: for a line in the log.
  std::string description;
};

/// A visible window of width x height units, limited to the size of the screen. Errors: no display, no OpenGL
/// 3.3.
Result<std::unique_ptr<GlContext>> make_window(const std::string& title, int width, int height);
/// A context that draws into a framebuffer object of width x height pixels, with or without a display.
Result<std::unique_ptr<GlContext>> make_offscreen(int width, int height);
/// The driver's name of what draws; empty without a current context.
std::string renderer_name();
/// glFinish(): blocks until the GPU has drawn everything. Needs a current context.
void finish_drawing();
/// Ends a waiting poll(). Async-signal-safe, from any thread; does nothing without a window.
void wake_window();
/// Sets the handler for a lost display (server ended, connection broken): nothing can be drawn any more and
/// the program exits when `words` returns. Called from any thread.
void set_last_words(std::function<void()> words);

}  // namespace attnscope
