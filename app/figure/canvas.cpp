#include "app/figure/canvas.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <utility>

#include "app/look/imgui_compat.h"
#include "app/look/theme.h"

namespace attnscope {
namespace {

DisplayList*& recording() {
  static DisplayList* list = nullptr;  // UI thread only
  return list;
}

DrawItem shape(DrawItem::Kind kind, ImVec2 p0, ImVec2 p1, ImU32 fill, ImU32 stroke, float thickness = 0) {
  DrawItem item;
  item.kind = kind;
  item.p0 = p0, item.p1 = p1;
  item.fill = fill, item.stroke = stroke, item.thickness = thickness;
  return item;
}

}  // namespace

DrawRecording::DrawRecording(DisplayList* list) : before_(std::exchange(recording(), list)) {}
DrawRecording::~DrawRecording() { recording() = before_; }

DrawGroupScope::DrawGroupScope(const char* what) : record_(recording()) {
  if (record_) record_->begin_group(what, {});
}
DrawGroupScope::DrawGroupScope(const char* what, const Site& site, std::int64_t head) : record_(recording()) {
  if (!record_) return;
  std::vector<AxisRange> at;
  if (head >= 0) at.push_back({"head", head});
  record_->begin_group(what, to_text(Cell{site, std::move(at)}));
}
DrawGroupScope::DrawGroupScope(const char* what, const std::string& weight) : record_(recording()) {
  if (record_) record_->begin_group(what, weight);
}
DrawGroupScope::~DrawGroupScope() {
  if (record_) record_->end_group();
}

Canvas::Canvas() : list_(ImGui::GetWindowDrawList()), record_(recording()) {
  if (record_) record_->set_scrolls(ImGui::GetScrollMaxX() > 0, ImGui::GetScrollMaxY() > 0);
}

void Canvas::note(const DrawItem& item) const {
  record_->add(item, list_->GetClipRectMin(), list_->GetClipRectMax());
}

void Canvas::note_points(DrawItem::Kind kind, std::span<const ImVec2> points, ImU32 fill, ImU32 stroke,
                         float thickness, bool closed) const {
  DrawItem item = shape(kind, {}, {}, fill, stroke, thickness);
  item.closed = closed;
  record_->add_points(item, points, list_->GetClipRectMin(), list_->GetClipRectMax());
}

// ---- shapes -------------------------------------------------------------------------------------

void Canvas::fill_rect(ImVec2 p0, ImVec2 p1, ImU32 colour, float rounding, ImDrawFlags corners) const {
  list_->AddRectFilled(p0, p1, colour, rounding, corners);
  if (!record_) return;
  DrawItem item = shape(DrawItem::Kind::rect, p0, p1, colour, 0);
  item.radius = rounding, item.corners = corners;
  note(item);
}

void Canvas::rect(ImVec2 p0, ImVec2 p1, ImU32 colour, float rounding, ImDrawFlags corners,
                  float thickness) const {
  list_->AddRect(p0, p1, colour, rounding, corners, thickness);
  if (!record_) return;
  DrawItem item = shape(DrawItem::Kind::rect, p0, p1, 0, colour, thickness);
  item.radius = rounding, item.corners = corners;
  note(item);
}

void Canvas::gradient(ImVec2 p0, ImVec2 p1, ImU32 low, ImU32 high, bool vertical) const {
  if (vertical)
    list_->AddRectFilledMultiColor(p0, p1, low, low, high, high);
  else
    list_->AddRectFilledMultiColor(p0, p1, low, high, high, low);
  if (!record_) return;
  DrawItem item = shape(DrawItem::Kind::gradient, p0, p1, low, high);
  item.vertical = vertical;
  note(item);
}

void Canvas::line(ImVec2 from, ImVec2 to, ImU32 colour, float thickness) const {
  list_->AddLine(from, to, colour, thickness);
  if (record_) note(shape(DrawItem::Kind::line, from, to, 0, colour, thickness));
}

void Canvas::polyline(std::span<const ImVec2> points, ImU32 colour, bool closed, float thickness) const {
  list_->AddPolyline(points.data(), static_cast<int>(points.size()), colour,
                     closed ? ImDrawFlags_Closed : ImDrawFlags_None, thickness);
  if (record_) note_points(DrawItem::Kind::polyline, points, 0, colour, thickness, closed);
}

void Canvas::fill_triangle(ImVec2 a, ImVec2 b, ImVec2 c, ImU32 colour) const {
  list_->AddTriangleFilled(a, b, c, colour);
  if (record_) note_points(DrawItem::Kind::polygon, std::array<ImVec2, 3>{a, b, c}, colour, 0, 0, true);
}

void Canvas::fill_quad(ImVec2 a, ImVec2 b, ImVec2 c, ImVec2 d, ImU32 colour) const {
  list_->AddQuadFilled(a, b, c, d, colour);
  if (record_) note_points(DrawItem::Kind::polygon, std::array<ImVec2, 4>{a, b, c, d}, colour, 0, 0, true);
}

void Canvas::circle(ImVec2 centre, float radius, ImU32 colour, int segments, float thickness) const {
  list_->AddCircle(centre, radius, colour, segments, thickness);
  if (!record_) return;
  DrawItem item = shape(DrawItem::Kind::circle, centre, centre, 0, colour, thickness);
  item.radius = radius;
  note(item);
}

void Canvas::fill_circle(ImVec2 centre, float radius, ImU32 colour, int segments) const {
  list_->AddCircleFilled(centre, radius, colour, segments);
  if (!record_) return;
  DrawItem item = shape(DrawItem::Kind::circle, centre, centre, colour, 0);
  item.radius = radius;
  note(item);
}

// ---- text ---------------------------------------------------------------------------------------

void Canvas::note_text(ImFont* font, float size, ImVec2 at, ImU32 colour, std::string_view text, ImVec2 pivot,
                       float angle) const {
  if (text.empty()) return;
  const float own = compat::size_of(font), share = size / own;
  const ImVec2 box =
      compat::or_current(font)->CalcTextSizeA(own, FLT_MAX, 0, text.data(), text.data() + text.size());
  DrawItem item =
      shape(DrawItem::Kind::text, at, ImVec2(at.x + box.x * share, at.y + box.y * share), colour, 0);
  item.pivot = pivot, item.angle = angle;
  item.face = face_of(compat::or_current(font));
  item.face.em *= size / compat::size_of(font);
  item.baseline = compat::font_ascent(compat::or_current(font), size);
  record_->add_text(item, text, list_->GetClipRectMin(), list_->GetClipRectMax());
}

// Letters of the font's own size, made as large as `size`: since Dear ImGui 1.92 each size would have glyphs
// of its own, as wide as whole pixels are, and a text would be up to a tenth wider than figure::Measure says.
// Returns the first of their vertices. `clipped`: those outside of the clip rectangle may be left out.
int Canvas::letters(ImFont* font, float size, ImVec2 at, ImU32 colour, std::string_view text,
                    bool clipped) const {
  const int first = list_->VtxBuffer.Size;
  const float own = compat::font_size(font), share = size / own;
  // No glyph is clipped where it does not stay; the clip rectangle of the draw command stays the same.
  const ImVec4 clip = list_->_CmdHeader.ClipRect;
  if (!clipped || share != 1) list_->_CmdHeader.ClipRect = ImVec4(-1e6f, -1e6f, 1e6f, 1e6f);
  list_->AddText(font, own, at, colour, text.data(), text.data() + text.size());
  list_->_CmdHeader.ClipRect = clip;
  for (int v = first; share != 1 && v < list_->VtxBuffer.Size; ++v) {
    ImVec2& p = list_->VtxBuffer[v].pos;
    p = ImVec2(at.x + (p.x - at.x) * share, at.y + (p.y - at.y) * share);
  }
  return first;
}

void Canvas::text(ImFont* font, ImVec2 at, ImU32 colour, std::string_view text, float size) const {
  if (text.empty()) return;
  if (size <= 0) size = compat::size_of(font);
  attnscope::note_text(text);
  const ImVec2 place(std::floor(at.x), std::floor(at.y));
  letters(compat::or_current(font), size, place, colour, text, true);
  if (record_) note_text(font, size, place, colour, text, place, 0);
}

void Canvas::climbing_text(ImFont* font, ImVec2 at, ImU32 colour, std::string_view text, float sine,
                           float cosine, float size) const {
  if (text.empty()) return;
  if (size <= 0) size = compat::size_of(font);
  attnscope::note_text(text);
  const ImVec2 flat(std::floor(at.x), std::floor(at.y - size * 0.5f));
  if (record_) note_text(font, size, flat, colour, text, at, -std::atan2(sine, cosine));
  for (int v = letters(compat::or_current(font), size, flat, colour, text, false); v < list_->VtxBuffer.Size;
       ++v) {
    ImVec2& p = list_->VtxBuffer[v].pos;
    const ImVec2 d(p.x - at.x, p.y - at.y);
    p = ImVec2(at.x + d.x * cosine + d.y * sine, at.y - d.x * sine + d.y * cosine);
  }
}

void Canvas::drawn_text(ImFont* font, ImVec2 at, ImU32 colour, std::string_view text, float width) const {
  if (!record_) return;
  const float size = compat::size_of(font);
  const char* const end = text.data() + text.size();
  float y = std::floor(at.y);
  for (const char* begin = text.data(); begin < end; y += size) {
    const char* stop = std::find(begin, end, '\n');
    if (width > 0)
      stop = std::min(stop, compat::wrap_position(compat::or_current(font), size, begin, end, width));
    if (stop == begin && *begin != '\n') stop = begin + 1;  // too narrow for a single character
    note_text(font, size, ImVec2(std::floor(at.x), y), colour,
              std::string_view(begin, static_cast<std::size_t>(stop - begin)), at, 0);
    begin = stop;
    if (begin < end && *begin == '\n')
      ++begin;
    else
      while (begin < end && (*begin == ' ' || *begin == '\t')) ++begin;
  }
}

// ---- numbers and pixels -------------------------------------------------------------------------

void Canvas::cells(Painter& painter, std::string_view key, ImVec2 p0, ImVec2 p1, const HeatStyle& style,
                   ImVec2 uv0, ImVec2 uv1) const {
  painter.heatmap(list_, key, p0, p1, style, uv0, uv1);
  if (!record_) return;
  Tensor values = painter.shown(key);
  if (values.empty()) return;
  const std::int64_t count = values.count();
  record_->add_cells(shape(DrawItem::Kind::cells, p0, p1, 0, 0), {std::move(values), style, uv0, uv1, count},
                     list_->GetClipRectMin(), list_->GetClipRectMax());
}

void Canvas::atlas(Painter& painter, std::string_view key, std::span<const AtlasPlace> places,
                   const HeatStyle& style, const std::function<std::string(int map)>& site_of) const {
  painter.atlas(list_, key, places, style);
  if (!record_) return;
  std::int64_t together = 0;
  for (const AtlasPlace& place : places) together += painter.shown(key, place.map).count();
  for (const AtlasPlace& place : places) {
    Tensor values = painter.shown(key, place.map);
    if (values.empty()) continue;
    const DrawGroupScope group("map", site_of ? site_of(place.map) : std::string());
    record_->add_cells(shape(DrawItem::Kind::cells, place.p0, place.p1, 0, 0),
                       {std::move(values), style, ImVec2(0, 0), ImVec2(1, 1), together},
                       list_->GetClipRectMin(), list_->GetClipRectMax());
  }
}

void Canvas::picture(Painter& painter, std::string_view key, ImVec2 p0, ImVec2 p1, ImVec2 uv0, ImVec2 uv1,
                     float alpha) const {
  painter.picture(list_, key, p0, p1, uv0, uv1, alpha);
  if (!record_) return;
  const Painter::Pixels pixels = painter.shown_picture(key);
  if (!pixels.rgb) return;
  record_->add_picture(shape(DrawItem::Kind::picture, p0, p1, 0, 0),
                       {pixels.rgb, pixels.width, pixels.height, uv0, uv1, alpha}, list_->GetClipRectMin(),
                       list_->GetClipRectMax());
}

}  // namespace attnscope
