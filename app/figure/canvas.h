// Drawing calls of figures: each draws into an ImGui draw list at once and, while a recording is on, adds the
// same primitive to a DisplayList (for SVG, text and tests). Without a recording it costs one comparison per
// call. Buttons and tables are ImGui's own.
#pragma once

#include <imgui.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "app/figure/display_list.h"
#include "app/gpu/painter.h"
#include "core/base/no_copy.h"
#include "core/step/place.h"

namespace attnscope {

class Canvas {
 public:
  /// Draws into the current ImGui window; recorded where a recording is on.
  Canvas();
  /// Draws into any draw list; never recorded.
  explicit Canvas(ImDrawList* list) : list_(list) {}

  void fill_rect(ImVec2 p0, ImVec2 p1, ImU32 colour, float rounding = 0, ImDrawFlags corners = 0) const;
  void rect(ImVec2 p0, ImVec2 p1, ImU32 colour, float rounding = 0, ImDrawFlags corners = 0,
            float thickness = 1) const;
  /// `low` at the left end or at the top, `high` at the opposite end.
  void gradient(ImVec2 p0, ImVec2 p1, ImU32 low, ImU32 high, bool vertical) const;
  void line(ImVec2 from, ImVec2 to, ImU32 colour, float thickness = 1) const;
  void polyline(std::span<const ImVec2> points, ImU32 colour, bool closed, float thickness) const;
  void fill_triangle(ImVec2 a, ImVec2 b, ImVec2 c, ImU32 colour) const;
  void fill_quad(ImVec2 a, ImVec2 b, ImVec2 c, ImVec2 d, ImU32 colour) const;
  void circle(ImVec2 centre, float radius, ImU32 colour, int segments = 0, float thickness = 1) const;
  void fill_circle(ImVec2 centre, float radius, ImU32 colour, int segments = 0) const;

  /// `font` null: the current one; `at`: the upper left corner, moved to whole pixels; `size`: in pixels as
  /// Dear ImGui counts it (ascent + descent), 0: the font's own.
  void text(ImFont* font, ImVec2 at, ImU32 colour, std::string_view text, float size = 0) const;
  /// Rotated text: starts at `at`, the middle of its left edge; angle by its sine and cosine.
  void climbing_text(ImFont* font, ImVec2 at, ImU32 colour, std::string_view text, float sine, float cosine,
                     float size = 0) const;
  /// Records text that ImGui itself has drawn; wrapped at `width` pixels if positive.
  void drawn_text(ImFont* font, ImVec2 at, ImU32 colour, std::string_view text, float width = 0) const;

  /// Painter::heatmap, atlas and picture.
  void cells(Painter& painter, std::string_view key, ImVec2 p0, ImVec2 p1, const HeatStyle& style,
             ImVec2 uv0 = ImVec2(0, 0), ImVec2 uv1 = ImVec2(1, 1)) const;
  /// `site_of`: name of the step whose values a map shows, for the recording.
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
  void note_text(ImFont* font, float size, ImVec2 at, ImU32 colour, std::string_view text, ImVec2 pivot,
                 float angle) const;
  int letters(ImFont* font, float size, ImVec2 at, ImU32 colour, std::string_view text, bool clipped) const;
  ImDrawList* list_;
  DisplayList* record_ = nullptr;
};

/// RAII: Canvas calls of a window are also recorded into `list`; null: no recording.
class DrawRecording : NoCopy {
 public:
  explicit DrawRecording(DisplayList* list);
  ~DrawRecording();

 private:
  DisplayList* before_;
};

/// RAII: primitives drawn during its life form one group of the recording: its kind, and the step it shows.
class DrawGroupScope : NoCopy {
 public:
  explicit DrawGroupScope(const char* what);
  /// Named "blocks.0.attn.q[head=1]"; without the head when it is below 0.
  DrawGroupScope(const char* what, const Site& site, std::int64_t head = -1);
  /// Named by a weight.
  DrawGroupScope(const char* what, const std::string& weight);
  ~DrawGroupScope();

 private:
  DisplayList* record_;
};

}  // namespace attnscope
