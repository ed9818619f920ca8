// What figures are drawn with: every call draws into Dear ImGui's list at once and, while a recording is on,
// adds the same primitive to a DisplayList. Without a recording it costs a comparison per call. Refuses
// buttons and tables: those are ImGui's.
#pragma once

#include <imgui.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "app/figure/display_list.h"
#include "app/gpu/painter.h"
#include "core/step/place.h"

namespace attnscope {

class Canvas {
 public:
  /// The current window of ImGui; recorded where a recording is on.
  Canvas();
  /// Any list; never recorded.
  explicit Canvas(ImDrawList* list) : list_(list) {}

  void fill_rect(ImVec2 p0, ImVec2 p1, ImU32 colour, float rounding = 0, ImDrawFlags corners = 0) const;
  void rect(ImVec2 p0, ImVec2 p1, ImU32 colour, float rounding = 0, ImDrawFlags corners = 0,
            float thickness = 1) const;
  /// `low` at the left end or at the top, `high` at the other one.
  void gradient(ImVec2 p0, ImVec2 p1, ImU32 low, ImU32 high, bool vertical) const;
  void line(ImVec2 from, ImVec2 to, ImU32 colour, float thickness = 1) const;
  void polyline(std::span<const ImVec2> points, ImU32 colour, bool closed, float thickness) const;
  void fill_triangle(ImVec2 a, ImVec2 b, ImVec2 c, ImU32 colour) const;
  void fill_quad(ImVec2 a, ImVec2 b, ImVec2 c, ImVec2 d, ImU32 colour) const;
  void circle(ImVec2 centre, float radius, ImU32 colour, int segments = 0, float thickness = 1) const;
  void fill_circle(ImVec2 centre, float radius, ImU32 colour, int segments = 0) const;

  /// `font` null: the current one; `at`: the upper left corner, moved to whole pixels.
  void text(ImFont* font, ImVec2 at, ImU32 colour, std::string_view text) const;
  /// Text that climbs from `at`, the middle of its left edge, by an angle of this sine and cosine.
  void climbing_text(ImFont* font, ImVec2 at, ImU32 colour, std::string_view text, float sine,
                     float cosine) const;
  /// Tells the recording of text that ImGui itself has drawn; wrapped at `width` where that is positive.
  void drawn_text(ImFont* font, ImVec2 at, ImU32 colour, std::string_view text, float width = 0) const;

  /// Painter::heatmap, atlas and picture.
  void cells(Painter& painter, std::string_view key, ImVec2 p0, ImVec2 p1, const HeatStyle& style,
             ImVec2 uv0 = ImVec2(0, 0), ImVec2 uv1 = ImVec2(1, 1)) const;
  /// `site_of`: the step whose numbers a map shows, for the recording.
  void atlas(Painter& painter, std::string_view key, std::span<const AtlasPlace> places,
             const HeatStyle& style, const std::function<std::string(int map)>& site_of = {}) const;
  void picture(Painter& painter, std::string_view key, ImVec2 p0, ImVec2 p1, ImVec2 uv0 = ImVec2(0, 0),
               ImVec2 uv1 = ImVec2(1, 1), float alpha = 1.f) const;

  void push_clip(ImVec2 p0, ImVec2 p1) const { list_->PushClipRect(p0, p1, true); }
  void pop_clip() const { list_->PopClipRect(); }

 private:
  void note(const DrawItem& item) const;
  void note_points(DrawItem::Kind kind, std::span<const ImVec2> points, ImU32 fill, ImU32 stroke,
                   float thickness, bool closed) const;
  void note_text(ImFont* font, ImVec2 at, ImU32 colour, std::string_view text, ImVec2 pivot,
                 float angle) const;
  ImDrawList* list_;
  DisplayList* record_ = nullptr;
};

/// While it lives, what is drawn by a Canvas of a window is also added to `list`; null: nothing is.
class DrawRecording {
 public:
  explicit DrawRecording(DisplayList* list);
  ~DrawRecording();
  DrawRecording(const DrawRecording&) = delete;
  DrawRecording& operator=(const DrawRecording&) = delete;

 private:
  DisplayList* before_;
};

/// What is drawn while it lives is a group of the recording: what it is, and whose numbers it shows.
class DrawGroupScope {
 public:
  explicit DrawGroupScope(const char* what);
  /// "blocks.0.attn.q[head=1]"; without the head where it is below 0.
  DrawGroupScope(const char* what, const Site& site, std::int64_t head = -1);
  /// The name of a weight.
  DrawGroupScope(const char* what, const std::string& weight);
  ~DrawGroupScope();
  DrawGroupScope(const DrawGroupScope&) = delete;
  DrawGroupScope& operator=(const DrawGroupScope&) = delete;

 private:
  DisplayList* record_;
};

}  // namespace attnscope
