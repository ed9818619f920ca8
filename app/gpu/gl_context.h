// A current OpenGL 3.3 core context: a window, or none at all (EGL without a display, else a hidden window).
// One per program, used from the thread that made it. Refuses older OpenGL with a sentence.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/gpu/image_file.h"
#include "core/base/result.h"

struct GLFWwindow;

namespace attnscope {

class GlContext {
 public:
  virtual ~GlContext() = default;
  GlContext() = default;
  GlContext(const GlContext&) = delete;
  GlContext& operator=(const GlContext&) = delete;

  /// Null without a window that is seen.
  virtual GLFWwindow* window() const { return nullptr; }
  /// Pixels of what is drawn into.
  virtual int width() const = 0;
  virtual int height() const = 0;
  /// The framebuffer to draw into; 0 is the window.
  virtual unsigned framebuffer() const = 0;
  /// Pixels per unit that the screen asks for: 1 at 96 dpi.
  virtual float scale() const { return 1.0f; }
  /// Shows what was drawn.
  virtual void swap() {}
  /// What was drawn last, before swap().
  virtual Image read_pixels() const = 0;
  /// Handles what the person did; waits up to `seconds` for something to happen (0: does not wait).
  virtual void poll(double /*seconds*/) {}
  virtual bool should_close() const { return false; }
  virtual void request_close(bool /*close*/) {}
  virtual void set_title(const std::string& /*title*/) {}
  /// The whole of the screen that the window stands on, or as it stood before.
  virtual void set_full_screen(bool /*on*/) {}
  /// Called with the paths of files dropped on the window.
  std::function<void(const std::vector<std::string>& paths)> on_drop;
  /// How the context came about, and the driver: for a log line.
  std::string description;
};

/// A visible window of width x height units, or as large as the screen is. Fails without a display or
/// OpenGL 3.3.
Result<std::unique_ptr<GlContext>> make_window(const std::string& title, int width, int height);
/// A context that draws into a picture of width x height pixels, with or without a display.
Result<std::unique_ptr<GlContext>> make_offscreen(int width, int height);
/// Waits until everything that was drawn is drawn. Needs a current context.
void finish_drawing();
/// Ends a poll() that waits. From any thread and from a signal's handler; does nothing without a window.
void wake_window();
/// What is done when the display goes away (its server ended, the connection broke): nothing can be drawn any
/// more and the program ends when `words` returns. Called from whichever thread notices.
void set_last_words(std::function<void()> words);

}  // namespace attnscope
