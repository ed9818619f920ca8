// A figure as a list of primitives: rectangles, lines, circles, texts, heatmaps, pictures, each with its clip
// rectangle and group. Read by the SVG writer, the text export and tests; the same calls draw on the screen
// (canvas.h). Draws nothing itself.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/look/colormap.h"
#include "app/look/fonts.h"
#include "core/tensor/tensor.h"

namespace attnscope {

/// One primitive. Positions are screen pixels; a colour with alpha 0 is not drawn.
struct DrawItem {
  enum class Kind : std::uint8_t { rect, line, polyline, polygon, circle, gradient, text, cells, picture };
  Kind kind = Kind::rect;
  bool closed = false;         ///< polyline
  bool vertical = false;       ///< gradient: from top to bottom
  ImVec2 p0, p1;               ///< corners; ends of a line; circle: p0 is the centre; text: its unrotated box
  ImVec2 pivot;                ///< text: centre of rotation
  float angle = 0;             ///< text: radians, clockwise
  ImU32 fill = 0, stroke = 0;  ///< gradient: from fill to stroke
  float thickness = 0;         ///< of the stroke
  float radius = 0;            ///< of a circle, of a rectangle's corners
  ImDrawFlags corners = 0;     ///< which corners are rounded; 0: all
  FontFace face;               ///< text
  float baseline = 0;          ///< text: pixels below p0.y
  std::uint32_t first = 0, count = 0;  ///< points, bytes of text, one of cells or pictures
  std::uint32_t clip = 0;
  std::int32_t group = -1;
};

/// A heatmap: the visible part of `values` [rows, cols], 0..1 per axis, and its colours.
struct DrawCells {
  Tensor values;
  HeatStyle style;
  ImVec2 uv0, uv1;
  std::int64_t together = 0;  ///< cells of all maps drawn in the same call

  std::int64_t rows() const { return values.size(0); }
  std::int64_t cols() const { return values.size(1); }
};
/// RGB pixels, 3 bytes each, top row first; uv: the visible part, 0..1 per axis.
struct DrawPicture {
  std::shared_ptr<const std::vector<std::uint8_t>> rgb;
  int width = 0, height = 0;
  ImVec2 uv0, uv1;
  float alpha = 1;
};
struct DrawClip {
  ImVec2 p0, p1;
  bool scrolls_x = false,
       scrolls_y = false;  ///< the window can scroll: its content is larger than what is visible
};
/// Primitives that belong together: kind ("matrix") and name of the step whose values they show, or empty.
struct DrawGroup {
  std::int32_t parent = -1;
  std::string what, site;
};

class DisplayList {
 public:
  /// Removes all items, keeps the allocated memory.
  void clear();
  bool empty() const { return items_.empty(); }
  /// In drawing order: later items are on top.
  std::span<const DrawItem> items() const { return items_; }
  std::span<const ImVec2> points(const DrawItem& item) const;
  std::string_view text(const DrawItem& item) const;
  const DrawCells& cells(const DrawItem& item) const { return cells_[item.first]; }
  const DrawPicture& picture(const DrawItem& item) const { return pictures_[item.first]; }
  const DrawClip& clip(const DrawItem& item) const { return clips_[item.clip]; }
  std::span<const DrawGroup> groups() const { return groups_; }

  // ---- called by Canvas ----
  /// Whether the window that is drawn into can scroll.
  void set_scrolls(bool x, bool y) { scrolls_x_ = x, scrolls_y_ = y; }
  void add(DrawItem item, ImVec2 clip0, ImVec2 clip1);
  void add_points(DrawItem item, std::span<const ImVec2> points, ImVec2 clip0, ImVec2 clip1);
  void add_text(DrawItem item, std::string_view text, ImVec2 clip0, ImVec2 clip1);
  void add_cells(DrawItem item, DrawCells cells, ImVec2 clip0, ImVec2 clip1);
  void add_picture(DrawItem item, DrawPicture picture, ImVec2 clip0, ImVec2 clip1);
  void begin_group(std::string what, std::string site);
  void end_group();

 private:
  std::vector<DrawItem> items_;
  std::vector<ImVec2> points_;
  std::string texts_;
  std::vector<DrawCells> cells_;
  std::vector<DrawPicture> pictures_;
  std::vector<DrawClip> clips_;
  std::vector<DrawGroup> groups_;
  std::int32_t group_ = -1;
  bool scrolls_x_ = false, scrolls_y_ = false;
};

}  // namespace attnscope
