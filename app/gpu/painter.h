// Draws float matrices as heatmaps inside ImGui's draw lists: values go to the GPU once, colours are made in
// the shader, so that zooming, rescaling and changing the theme cost no upload. A texture keeps the tensor
// that it shows, so that it is never taken for another's. Without OpenGL (null mode) it draws plain
// rectangles coloured by the processor, so that views run in tests. Refuses to compute on numbers; the only
// reduction is the largest magnitude where a matrix is too large. Pictures of RGB pixels lie beside the
// matrices.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/look/colormap.h"
#include "core/tensor/tensor.h"

namespace attnscope {

class Program;

/// One map of an atlas and where it goes.
struct AtlasPlace {
  int map = 0;
  ImVec2 p0, p1;
};

class Painter {
 public:
  /// `has_gl`: a context is current now and will be at every call. False: null mode.
  explicit Painter(bool has_gl);
  ~Painter();
  Painter(const Painter&) = delete;
  Painter& operator=(const Painter&) = delete;

  /// Before the first drawing of a frame, after the frame before was rendered. Textures unused for
  /// kFramesKept frames are freed.
  void begin_frame();

  /// Put in front of every key from now on: two views of one kind keep their pictures apart.
  void set_scope(std::string scope) { scope_ = std::move(scope); }

  /// Shows `values` [rows, cols] under `key` from now on; costs nothing where the texture is of this tensor.
  /// Masked cells hold kMasked or -inf. NaN and infinities keep their own colours.
  void upload(std::string_view key, const Tensor& values);
  /// The same for many maps of one size in one texture, `columns` per row.
  void upload_atlas(std::string_view key, std::span<const Tensor> maps, int columns);

  /// The values that lie under `key`, a map of an atlas; empty when there is none.
  Tensor shown(std::string_view key, int map = 0) const;

  /// True when the picture under `key` is that of `version`: nothing has to be made or uploaded.
  bool has_picture(std::string_view key, std::uint64_t version) const;
  /// Keeps a picture of width x height RGB pixels (rows first, 3 bytes each) under `key`; does nothing when
  /// has_picture(key, version).
  void upload_picture(std::string_view key, std::uint64_t version, const std::uint8_t* rgb, int width,
                      int height);
  /// The RGB pixels that lie under `key`; null when there are none.
  struct Pixels {
    std::shared_ptr<const std::vector<std::uint8_t>> rgb;
    int width = 0, height = 0;
  };
  Pixels shown_picture(std::string_view key) const;
  /// Draws the picture under `key`: pixels stay squares when it grows, and are averaged when it shrinks. uv:
  /// the part of it that is seen, 0..1 per axis. Draws nothing when there is no such key.
  void picture(ImDrawList* list, std::string_view key, ImVec2 p0, ImVec2 p1, ImVec2 uv0 = ImVec2(0, 0),
               ImVec2 uv1 = ImVec2(1, 1), float alpha = 1.f);

  /// Draws what lies under `key` into the rectangle; uv: the part of the matrix that is seen, 0..1 per axis.
  /// Draws nothing when there is no such key.
  void heatmap(ImDrawList* list, std::string_view key, ImVec2 p0, ImVec2 p1, const HeatStyle& style,
               ImVec2 uv0 = ImVec2(0, 0), ImVec2 uv1 = ImVec2(1, 1));
  /// Draws maps of an atlas, all with one texture and one draw call.
  void atlas(ImDrawList* list, std::string_view key, std::span<const AtlasPlace> places,
             const HeatStyle& style);

  /// Forgets what lies under `key`.
  void drop(std::string_view key);
  /// Why heatmaps are not drawn (a shader that does not compile); empty when all is well.
  std::string error() const;
  /// Memory of all textures, bytes.
  std::size_t texture_bytes() const;

  static constexpr int kFramesKept = 120;

 private:
  struct Entry;
  struct DrawState;
  static void set_state(const ImDrawList* list, const ImDrawCmd* command);
  void apply(const DrawState& state);
  void set_uniforms(const DrawState& state);
  void refresh_lut();
  Entry& entry_for(std::string_view key);
  Entry* find(std::string_view key);
  /// `cells`: cells per pixel and axis where they are densest.
  void begin_draw(ImDrawList* list, const Entry& entry, const HeatStyle& style, ImVec2 cells);
  static void end_draw(ImDrawList* list);
  static void draw_plain_picture(ImDrawList* list, const Entry& entry, ImVec2 p0, ImVec2 p1, ImVec2 uv0,
                                 ImVec2 uv1, float alpha);
  static void draw_plain(ImDrawList* list, const Entry& entry, int map, ImVec2 p0, ImVec2 p1,
                         const HeatStyle& style, ImVec2 uv0, ImVec2 uv1);

  bool has_gl_;
  int max_texture_ = 4096;
  std::uint64_t frame_ = 0;
  std::string scope_;
  std::unordered_map<std::string, std::unique_ptr<Entry>> entries_;
  std::deque<DrawState> states_;  // what the callbacks of this frame point to: addresses must hold
  std::unique_ptr<Program> program_;
  unsigned lut_ = 0;
  int lut_theme_ = -1;
};

}  // namespace attnscope
