// ImGui's stock GLFW and OpenGL backends, plus late glyphs for typed and pasted text, which 1.86 lacks.
#include "app/gpu/imgui_host.h"

#include <dlfcn.h>
#include <glad/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui_internal.h>  // the queue of events of 1.87 and later

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <utility>

#include "app/gpu/host_keys.h"
#include "app/gpu/window_pixels.h"
#include "app/look/fonts.h"
#include "app/look/imgui_compat.h"
#include "app/look/key_controls.h"

namespace attnscope {
namespace {

/// Newer backends unload their OpenGL library at shutdown and keep the function pointers: the next host would
/// call unmapped code, so the library is kept loaded.
void keep_functions_loaded() {
#if IMGUI_VERSION_NUM >= 19200
  for (const char* library : {"libOpenGL.so.0", "libGL.so.1"})
    dlopen(library, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
#endif
}

/// True when the real mouse moved or its left button is down: the keyboard pointer is switched off.
bool mouse_moved(GLFWwindow* window) {
  static double last_x = 0, last_y = 0;
  double x = 0, y = 0;
  glfwGetCursorPos(window, &x, &y);
  const bool moved = std::fabs(x - last_x) + std::fabs(y - last_y) > 1;
  last_x = x, last_y = y;
  return moved || glfwGetMouseButton(window, GLFW_MOUSE_BUTTON_LEFT) == GLFW_PRESS;
}

/// Registers the clipboard's text for the atlas: it may be pasted in the next frame.
void note_clipboard() {
#if IMGUI_VERSION_NUM < 19200
  const ImGuiIO& io = ImGui::GetIO();
  if (!io.KeyCtrl && !io.KeySuper && !io.MouseDown[2]) return;
  if (const char* text = ImGui::GetClipboardText()) note_text(std::string_view(text).substr(0, 1 << 16));
#endif
}

void clear_ground() {
  const ImVec4 ground = to_vec4(theme().ground);
  glClearColor(ground.x, ground.y, ground.z, 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
}

// True when the glyph texture is that of the frame before; since 1.92 glyphs may be added during a
// frame.
bool glyphs_still([[maybe_unused]] const ImDrawData& drawn) {
#if IMGUI_VERSION_NUM >= 19200
  if (drawn.Textures)
    for (const ImTextureData* texture : *drawn.Textures)
      if (texture->Status != ImTextureStatus_OK) return false;
#endif
  return true;
}

// Border texels of the glyph texture: a slanted glyph at the edge must not blend with anything outside, so
// that the pixels do not depend on where in the atlas a glyph was placed.
void upload_glyphs([[maybe_unused]] const ImDrawData& drawn) {
#if IMGUI_VERSION_NUM >= 19200
  if (!drawn.Textures) return;
  for (ImTextureData* texture : *drawn.Textures) {
    if (texture->Status == ImTextureStatus_OK) continue;
    const bool made = texture->Status == ImTextureStatus_WantCreate;
    ImGui_ImplOpenGL3_UpdateTexture(texture);
    if (!made) continue;
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(texture->TexID));
    for (const GLenum side : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
      glTexParameteri(GL_TEXTURE_2D, side, GL_CLAMP_TO_BORDER);
  }
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
    queue_host_keys(context.window());
    report_mouse_in_pixels(context.window());
  } else {
    compat::init_headless_keys(io);
    io.ConfigInputTextCursorBlink = false;
  }
  host->renderer_backend_ = ImGui_ImplOpenGL3_Init("#version 330 core");
  if (!host->renderer_backend_) {
    return fail(Code::unsupported, "error.gpu.no_functions");
  }
  keep_functions_loaded();
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

void ImguiHost::forget_letters() {
#if IMGUI_VERSION_NUM >= 19200
  letters_anew_ = true;
#endif
}

void ImguiHost::rebuild_atlas() {
  const bool rescaled = std::exchange(letters_anew_, false) || wanted_scale_ != ui_scale();
  if (!rescaled && !fonts_pending()) return;
  ++atlas_version_;
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
    feed_host_keys(context_.window());
    note_clipboard();
    ImGui_ImplGlfw_NewFrame();
    count_in_pixels(context_.window());
    hold_host_buttons();
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
  if (window_backend_ && mouse_moved(context_.window())) key_pointer().on = false;
  feed_key_pointer(ImGui::GetIO());
  begin_frame_of_host_keys();
}

void ImguiHost::draw_into(unsigned framebuffer, int width, int height) {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glViewport(0, 0, width, height);
  glDisable(GL_SCISSOR_TEST);
  clear_ground();
  upload_glyphs(*ImGui::GetDrawData());
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void ImguiHost::set_large_pointer(bool large) {
  ImGui::GetIO().MouseDrawCursor = large;
  ImGui::GetStyle().MouseCursorScale = large ? 2 * ui_scale() : 1;
}

void ImguiHost::render() {
  ImGui::Render();
  draw_changes();
  if (lens_.factor <= 1.f) return;
  draw_lens();
  if (!kept_) damage_.forget();  // the magnifier covers part of the framebuffer
}

std::int64_t ImguiHost::pixels_drawn() const {
  std::int64_t pixels = 0;
  for (const PixelRect& rect : damage_.rects()) pixels += rect.area();
  return pixels;
}

// The framebuffer that still holds the frame before.
unsigned ImguiHost::kept_framebuffer() {
  if (!context_.window()) return context_.framebuffer();
  const int width = context_.width(), height = context_.height();
  if (kept_ && kept_->width() == width && kept_->height() == height) return kept_->framebuffer();
  damage_.forget();
  kept_.reset();
  if (auto made = Offscreen::make(std::max(1, width), std::max(1, height))) kept_ = *std::move(made);
  return kept_ ? kept_->framebuffer() : context_.framebuffer();
}

void ImguiHost::draw_changes() {
  const ImDrawData& drawn = *ImGui::GetDrawData();
  const unsigned target = kept_framebuffer();
  const int width = context_.width(), height = context_.height();
  const bool plain = drawn.FramebufferScale.x == 1.f && drawn.FramebufferScale.y == 1.f &&
                     drawn.DisplayPos.x == 0.f && drawn.DisplayPos.y == 0.f;
  const bool comparable = plain && glyphs_still(drawn) && (kept_ || !context_.window());
  std::uint64_t rest = summed(static_cast<std::uint64_t>(theme_version()), atlas_version_);
  for (const float number : {drawn.DisplaySize.x, drawn.DisplaySize.y, ui_scale()})
    rest = summed(rest, std::bit_cast<std::uint32_t>(number));
  if (comparable)
    damage_.follow(drawn, width, height, rest);
  else
    damage_.take_all(width, height);
  if (damage_.whole())
    draw_into(target, width, height);
  else
    for (const PixelRect& rect : damage_.rects()) draw_rect(rect, target);
  glBindFramebuffer(GL_FRAMEBUFFER, context_.framebuffer());
  if (!kept_ || target == context_.framebuffer()) return;
  glDisable(GL_SCISSOR_TEST);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, target);
  glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, context_.framebuffer());
}

// Clip rectangles of the commands are narrowed to `rect` and restored afterwards.
void ImguiHost::draw_rect(const PixelRect& rect, unsigned target) {
  ImDrawData& drawn = *ImGui::GetDrawData();
  const int height = context_.height();
  clips_.clear();
  for (int n = 0; n < drawn.CmdListsCount; ++n) {
    int number = 0;
    for (ImDrawCmd& command : drawn.CmdLists[n]->CmdBuffer) {
      clips_.push_back(command.ClipRect);
      const bool seen = !common(damage_.touched(n, number++), rect).empty();
      const PixelRect clip = seen ? common(Damage::clip_of(command, height), rect) : PixelRect{};
      command.ClipRect = ImVec4(static_cast<float>(clip.x0), static_cast<float>(clip.y0),
                                static_cast<float>(clip.x1), static_cast<float>(clip.y1));
    }
  }
  glBindFramebuffer(GL_FRAMEBUFFER, target);
  glViewport(0, 0, context_.width(), height);
  glEnable(GL_SCISSOR_TEST);
  glScissor(rect.x0, height - rect.y1, rect.x1 - rect.x0, rect.y1 - rect.y0);
  clear_ground();
  ImGui_ImplOpenGL3_RenderDrawData(&drawn);
  auto clip = clips_.begin();
  for (int n = 0; n < drawn.CmdListsCount; ++n)
    for (ImDrawCmd& command : drawn.CmdLists[n]->CmdBuffer) command.ClipRect = *clip++;
}

// Magnifier: copies the pixels around the point into a texture and draws it enlarged.
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
            y = context_.height() - inside(lens_.at.y, from_height, context_.height());  // lower edge is zero
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

}  // namespace attnscope
