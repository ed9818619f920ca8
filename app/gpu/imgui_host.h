// Dear ImGui on a GlContext: a frame is new_frame(), widgets, render(). Works for the window and offscreen.
// Owns the ImGui context and the Painter. UI thread only.
#pragma once

#include <imgui.h>

#include <memory>
#include <string>

#include "app/gpu/damage.h"
#include "app/gpu/gl_context.h"
#include "app/gpu/lens.h"
#include "app/gpu/offscreen.h"
#include "app/gpu/painter.h"
#include "core/base/no_copy.h"

namespace attnscope {

class ImguiHost : NoCopy {
 public:
  /// Makes the ImGui context, its style and fonts at `scale` (0: the content scale of the screen).
  static Result<std::unique_ptr<ImguiHost>> make(GlContext& context, float scale);
  ~ImguiHost();

  /// Feeds the queued input to ImGui and starts a frame; new glyphs are rasterised here.
  void new_frame();
  /// Ends the frame and draws it over the theme's background into the context's framebuffer; only pixels that
  /// changed since the frame before are redrawn.
  void render();
  /// Number of pixels that the last render() redrew.
  std::int64_t pixels_drawn() const;
  /// Keys pressed in another window count as pressed in that of the context.
  void take_keys_of(GLFWwindow* other);
  /// Releases the keys held down in `other`, before it is destroyed: GLFW sends no release events for them.
  void release_keys_of(GLFWwindow* other);
  /// True while key events are queued for the next frames.
  bool keys_waiting() const;
  /// Draws the same frame again into an image of the same size. After ImGui::Render().
  Result<Image> picture();
  /// Lays out the following frames for an image of width x height pixels instead of the screen, without a
  /// mouse pointer; picture() then has this size. Until end_picture().
  void begin_picture(int width, int height) { picture_width_ = width, picture_height_ = height; }
  void end_picture() { picture_width_ = picture_height_ = 0; }
  /// Sets the magnifier, from the next render() on.
  void set_lens(const Lens& lens) { lens_ = lens; }
  /// The mouse pointer is drawn in the frame, twice as large as a desktop's and larger with the letters: on a
  /// projector the last row sees it. From the next render() on.
  void set_large_pointer(bool large);
  /// Rebuilds style, fonts and theme for this scale in the next frame.
  void set_scale(float scale) { wanted_scale_ = scale; }
  /// Drops all glyphs: since 1.92 a glyph is placed in the texture when it is first drawn, and its
  /// place decides how a slanted glyph is rounded. Keeps pictures independent of what was drawn
  /// before.
  void forget_letters();

  Painter& painter() { return *painter_; }

 private:
  explicit ImguiHost(GlContext& context) : context_(context) {}
  void rebuild_atlas();
  void draw_into(unsigned framebuffer, int width, int height);
  void draw_changes();
  void draw_rect(const PixelRect& rect, unsigned target);
  unsigned kept_framebuffer();
  void draw_lens();
  GlContext& context_;
  Lens lens_;
  std::unique_ptr<Offscreen> lens_picture_;
  Damage damage_;
  std::unique_ptr<Offscreen> kept_;  // copy of the window's frame: swapping leaves its buffers undefined
  std::vector<ImVec4> clips_;        // original clip rectangles of the commands
  std::unique_ptr<Painter> painter_;
  bool window_backend_ = false, renderer_backend_ = false;
  float wanted_scale_ = 1.0f;
  bool letters_anew_ = false;
  std::uint64_t atlas_version_ = 0;             // of the glyph texture
  int picture_width_ = 0, picture_height_ = 0;  // 0: size of the screen
};

}  // namespace attnscope
