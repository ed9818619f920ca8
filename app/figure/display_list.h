// A figure as a list of what it is made of: rectangles, lines, circles, texts, matrices of cells, pictures,
// each with its clip and with the group that it belongs to. What the SVG writer and tests read; the screen is
// drawn by the same calls (canvas.h). Refuses to draw.
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

/// One primitive. Places are pixels of the screen; colours without alpha are not there.
struct DrawItem {
  enum class Kind : std::uint8_t { rect, line, polyline, polygon, circle, gradient, text, cells, picture };
  Kind kind = Kind::rect;
  bool closed = false;         ///< polyline
  bool vertical = false;       ///< gradient: from top to bottom
  ImVec2 p0, p1;               ///< corners; ends of a line; p0 of a circle: its centre; text: its box, flat
  ImVec2 pivot;                ///< text: what it is rotated around
  float angle = 0;             ///< text: radians, clockwise
  ImU32 fill = 0, stroke = 0;  ///< gradient: from fill to stroke
  float thickness = 0;         ///< of the stroke
  float radius = 0;            ///< of a circle, of a rectangle's corners
  ImDrawFlags corners = 0;     ///< those that are round; 0: all
  FontFace face;               ///< text
  float baseline = 0;          ///< text: below p0.y
  std::uint32_t first = 0, count = 0;  ///< points, bytes of text, one of cells or pictures
  std::uint32_t clip = 0;
  std::int32_t group = -1;
};

/// A rectangle of a matrix: what of `values` [rows, cols] is seen, 0..1 per axis, and how it is coloured.
struct DrawCells {
  Tensor values;
  HeatStyle style;
  ImVec2 uv0, uv1;
  std::int64_t together = 0;  ///< cells of all maps that were drawn with this one

  std::int64_t rows() const { return values.size(0); }
  std::int64_t cols() const { return values.size(1); }
};
/// Pixels, 3 bytes each, top row first, and the part of them that is seen, 0..1 per axis.
struct DrawPicture {
  std::shared_ptr<const std::vector<std::uint8_t>> rgb;
  int width = 0, height = 0;
  ImVec2 uv0, uv1;
  float alpha = 1;
};
struct DrawClip {
  ImVec2 p0, p1;
  bool scrolls_x = false,
       scrolls_y = false;  ///< its window holds more than it shows: the rest can be scrolled to
};
/// Primitives that belong together: what they are ("matrix") and the step whose numbers they show, or empty.
struct DrawGroup {
  std::int32_t parent = -1;
  std::string what, site;
};

class DisplayList {
 public:
  /// Forgets what was recorded and keeps its memory.
  void clear();
  bool empty() const { return items_.empty(); }
  /// In the order they were drawn: later ones lie above.
  std::span<const DrawItem> items() const { return items_; }
  std::span<const ImVec2> points(const DrawItem& item) const;
  std::string_view text(const DrawItem& item) const;
  const DrawCells& cells(const DrawItem& item) const { return cells_[item.first]; }
  const DrawPicture& picture(const DrawItem& item) const { return pictures_[item.first]; }
  const DrawClip& clip(const DrawItem& item) const { return clips_[item.clip]; }
  std::span<const DrawGroup> groups() const { return groups_; }

  // ---- what Canvas adds ----
  /// Of the window that what follows is drawn into.
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
