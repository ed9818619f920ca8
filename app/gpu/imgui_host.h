// Dear ImGui on a GlContext: one frame is new_frame(), widgets, render(). Works for the window and offscreen.
// Refuses to know what is drawn.
#pragma once

#include <imgui.h>

#include <memory>
#include <string>

#include "app/gpu/damage.h"
#include "app/gpu/gl_context.h"
#include "app/gpu/lens.h"
#include "app/gpu/offscreen.h"
#include "app/gpu/painter.h"

namespace attnscope {

class ImguiHost {
 public:
  /// Makes the ImGui context, its style and fonts at `scale` (0: what the screen asks for).
  static Result<std::unique_ptr<ImguiHost>> make(GlContext& context, float scale);
  ~ImguiHost();
  ImguiHost(const ImguiHost&) = delete;
  ImguiHost& operator=(const ImguiHost&) = delete;

  /// Takes the input that came since the last frame; new glyphs are built here.
  void new_frame();
  /// Ends the frame and draws it over the theme's ground into the context's framebuffer; only those parts of
  /// it that are not drawn there already.
  void render();
  /// Pixels that the last render() drew.
  std::int64_t pixels_drawn() const;
  /// Keys that are pressed in another window are as if they were pressed in that of the context.
  void take_keys_of(GLFWwindow* other);
  /// What is held down there is let go: before that window is destroyed, which says nothing of them.
  void release_keys_of(GLFWwindow* other);
  /// Keys have arrived that the next frames will hand over one by one.
  bool keys_waiting() const;
  /// The same frame again into a picture of the same size. After ImGui::Render().
  Result<Image> picture();
  /// From now on frames are laid out for a picture of width x height pixels instead of the screen, without
  /// the pointer; picture() then has this size. Ends with end_picture().
  void begin_picture(int width, int height) { picture_width_ = width, picture_height_ = height; }
  void end_picture() { picture_width_ = picture_height_ = 0; }
  /// From the next render() on a part of the picture is shown larger.
  void set_lens(const Lens& lens) { lens_ = lens; }
  /// Style, fonts and theme anew, from the next frame on.
  void set_scale(float scale) { wanted_scale_ = scale; }
  /// Forgets which letters were drawn until now: from 1.92 on a letter gets its place in their texture when
  /// it is first drawn, and that place decides how a slanted one is rounded. Pictures shall not follow from
  /// it.
  void forget_letters();
  /// After set_theme: the same for the colours alone.
  void restyle();

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
  std::unique_ptr<Offscreen> kept_;  // the picture of a window: its own buffers forget theirs
  std::vector<ImVec4> clips_;        // of the commands, while they are narrowed
  std::unique_ptr<Painter> painter_;
  bool window_backend_ = false, renderer_backend_ = false;
  float wanted_scale_ = 1.0f;
  bool letters_anew_ = false;
  std::uint64_t atlas_version_ = 0;             // of the letters' pictures
  int picture_width_ = 0, picture_height_ = 0;  // 0: the screen
};

}  // namespace attnscope
