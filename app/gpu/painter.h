// Draws float matrices as heatmaps inside ImGui's draw lists: values are uploaded once and coloured by the
// shader, so that zooming, rescaling and a change of theme need no upload. A texture keeps a reference to the
// tensor it shows, so that a new tensor at the same address is not mistaken for it. Without OpenGL (null
// mode, for tests) it draws plain rectangles coloured on the CPU. The only arithmetic on values is the
// reduction to the largest magnitude per block of a matrix that is too large. Also draws RGB pictures. UI
// thread only.
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
#include "core/base/no_copy.h"
#include "core/tensor/tensor.h"

namespace attnscope {

class Program;

/// One map of an atlas and the rectangle it is drawn into.
struct AtlasPlace {
  int map = 0;
  ImVec2 p0, p1;
};

/// True where both are the same numbers of the same memory, in the same order.
bool same_view(const Tensor& a, const Tensor& b);

class Painter : NoCopy {
 public:
  /// `has_gl`: a GL context is current now and at every later call. False: null mode.
  explicit Painter(bool has_gl);
  ~Painter();

  /// Before the first drawing of a frame, after the frame before was rendered. Frees textures that were
  /// unused for kFramesKept frames.
  void begin_frame();

  /// Prefix of every key from now on: two views of one kind have separate textures.
  void set_scope(std::string scope) { scope_ = std::move(scope); }

  /// Binds `values` [rows, cols] to `key`; uploads nothing when the texture already shows this tensor. Masked
  /// cells hold kMasked or -inf. NaN and infinities have their own colours.
  void upload(std::string_view key, const Tensor& values);
  /// The same for many maps of equal size in one texture, `columns` maps per row.
  void upload_atlas(std::string_view key, std::span<const Tensor> maps, int columns);

  /// The values uploaded under `key` (one map of an atlas); empty when there are none.
  Tensor shown(std::string_view key, int map = 0) const;

  /// True when the picture under `key` has this `version`: nothing has to be uploaded.
  bool has_picture(std::string_view key, std::uint64_t version) const;
  /// Uploads a picture of width x height RGB pixels (row-major, 3 bytes each) under `key`; does nothing when
  /// has_picture(key, version).
  void upload_picture(std::string_view key, std::uint64_t version, const std::uint8_t* rgb, int width,
                      int height);
  /// The RGB pixels uploaded under `key`; null when there are none.
  struct Pixels {
    std::shared_ptr<const std::vector<std::uint8_t>> rgb;
    int width = 0, height = 0;
  };
  Pixels shown_picture(std::string_view key) const;
  /// Draws the picture under `key`: nearest-neighbour when enlarged, averaged when reduced. uv: the visible
  /// part of it, 0..1 per axis. Draws nothing when there is no such key.
  void picture(ImDrawList* list, std::string_view key, ImVec2 p0, ImVec2 p1, ImVec2 uv0 = ImVec2(0, 0),
               ImVec2 uv1 = ImVec2(1, 1), float alpha = 1.f);

  /// Draws the matrix under `key` into the rectangle; uv: the visible part of the matrix, 0..1 per axis.
  /// Draws nothing when there is no such key.
  void heatmap(ImDrawList* list, std::string_view key, ImVec2 p0, ImVec2 p1, const HeatStyle& style,
               ImVec2 uv0 = ImVec2(0, 0), ImVec2 uv1 = ImVec2(1, 1));
  /// Draws maps of an atlas, with one texture and one draw call.
  void atlas(ImDrawList* list, std::string_view key, std::span<const AtlasPlace> places,
             const HeatStyle& style);

  /// Frees the texture under `key`.
  void drop(std::string_view key);
  /// Why heatmaps are not drawn (the shader does not compile); empty when there is no error.
  std::string error() const;
  /// The graphics memory had no room for a map: it is drawn in rectangles, coarser. Stays so once it was.
  bool memory_full() const { return memory_full_; }
  /// Size of all textures, bytes.
  std::size_t texture_bytes() const;

  static constexpr int kFramesKept = 120;

 private:
  struct Entry;
  struct DrawState;
  static void set_state(const ImDrawList* list, const ImDrawCmd* command);
  void apply(const DrawState& state);
  void set_uniforms(const DrawState& state);
  void refresh_lut();
  bool no_room_for(Entry& entry);
  Entry& entry_for(std::string_view key);
  Entry* find(std::string_view key);
  /// `cells`: cells per pixel and axis, where they are densest.
  void begin_draw(ImDrawList* list, const Entry& entry, const HeatStyle& style, ImVec2 cells);
  static void end_draw(ImDrawList* list);
  static void draw_plain_picture(ImDrawList* list, const Entry& entry, ImVec2 p0, ImVec2 p1, ImVec2 uv0,
                                 ImVec2 uv1, float alpha);
  static void draw_plain(ImDrawList* list, const Entry& entry, int map, ImVec2 p0, ImVec2 p1,
                         const HeatStyle& style, ImVec2 uv0, ImVec2 uv1);

  bool has_gl_, memory_full_ = false;
  int max_texture_ = 4096;
  std::uint64_t frame_ = 0;
  std::string scope_;
  std::unordered_map<std::string, std::unique_ptr<Entry>> entries_;
  std::deque<DrawState> states_;  // data of this frame's callbacks: a deque keeps the addresses
  std::unique_ptr<Program> program_;
  unsigned lut_ = 0;
  int lut_theme_ = -1;
};

}  // namespace attnscope
