#include "app/widgets/point_cloud.h"

#include <algorithm>
#include <cmath>

#include "app/figure/canvas.h"
#include "app/look/item_map.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"

namespace attnscope {
namespace {

struct Box {
  ImVec2 p0, p1;
  bool meets(const Box& other) const {
    return p0.x < other.p1.x && other.p0.x < p1.x && p0.y < other.p1.y && other.p0.y < p1.y;
  }
};

/// Data units to pixels, the same scale on both axes.
struct Plane {
  ImVec2 p0, p1;
  float scale = 1, x = 0, y = 0;  // pixels per data unit; data coordinates of the centre
  ImVec2 at(float data_x, float data_y) const {
    return ImVec2((p0.x + p1.x) / 2 + (data_x - x) * scale, (p0.y + p1.y) / 2 - (data_y - y) * scale);
  }
};

bool placed(const CloudPoint& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

Plane plane_of(const PointCloud& cloud, ImVec2 p0, ImVec2 p1) {
  Plane out{p0, p1};
  float x0 = 0, x1 = 0, y0 = 0, y1 = 0;
  bool any = !cloud.arrows.empty();  // arrows start at the origin: it must be visible
  const auto take = [&](float x, float y) {
    if (!any) x0 = x1 = x, y0 = y1 = y;
    any = true;
    x0 = std::min(x0, x), x1 = std::max(x1, x), y0 = std::min(y0, y), y1 = std::max(y1, y);
  };
  for (const CloudPoint& point : cloud.points)
    if (placed(point)) take(point.x, point.y);
  for (const CloudArrow& arrow : cloud.arrows) take(arrow.x, arrow.y);
  const float wide = std::max(x1 - x0, 1e-9f), tall = std::max(y1 - y0, 1e-9f);
  const float margin = scaled(26);
  out.scale = std::min(std::max(1.f, p1.x - p0.x - 2 * margin) / wide,
                       std::max(1.f, p1.y - p0.y - 2 * margin) / tall);
  if (wide < 1e-8f && tall < 1e-8f) out.scale = 1;
  out.x = (x0 + x1) / 2, out.y = (y0 + y1) / 2;
  return out;
}

// Position of a label at the first of four sides of a point where it overlaps no other label and fits.
bool place_label(const Plane& plane, ImVec2 point, const std::string& text, float radius,
                 std::vector<Box>& taken, ImVec2& at) {
  const ImVec2 size = text_size(fonts().small, text);
  const float gap = radius + scaled(3);
  const ImVec2 tries[] = {
      ImVec2(point.x + gap, point.y - size.y / 2), ImVec2(point.x - gap - size.x, point.y - size.y / 2),
      ImVec2(point.x - size.x / 2, point.y - gap - size.y), ImVec2(point.x - size.x / 2, point.y + gap)};
  for (const ImVec2& corner : tries) {
    const Box box{corner, ImVec2(corner.x + size.x, corner.y + size.y)};
    if (box.p0.x < plane.p0.x || box.p1.x > plane.p1.x || box.p0.y < plane.p0.y || box.p1.y > plane.p1.y)
      continue;
    if (std::any_of(taken.begin(), taken.end(), [&](const Box& other) { return box.meets(other); })) continue;
    taken.push_back(box);
    at = corner;
    return true;
  }
  return false;
}

void draw_arrow(const Canvas& canvas, ImVec2 from, ImVec2 to, ImU32 colour) {
  const float dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
  if (length < 1) return;
  const float ux = dx / length, uy = dy / length, head = std::min(scaled(9), length / 2);
  const ImVec2 base(to.x - ux * head, to.y - uy * head);
  canvas.line(from, base, colour, scaled(2));
  canvas.fill_triangle(to, ImVec2(base.x - uy * head * 0.45f, base.y + ux * head * 0.45f),
                       ImVec2(base.x + uy * head * 0.45f, base.y - ux * head * 0.45f), colour);
}

int point_cloud_nearest(const PointCloud& cloud, const Plane& plane, ImVec2 mouse) {
  int best = -1;
  float least = scaled(14);
  for (std::size_t i = 0; i < cloud.points.size(); ++i) {
    if (!placed(cloud.points[i])) continue;
    const ImVec2 at = plane.at(cloud.points[i].x, cloud.points[i].y);
    const float away = std::hypot(at.x - mouse.x, at.y - mouse.y);
    if (away < least) least = away, best = static_cast<int>(i);
  }
  return best;
}

/// Content of the frame.
class CloudPicture {
 public:
  CloudPicture(const PointCloud& cloud, const Plane& plane) : cloud_(cloud), plane_(plane) {
    const auto count = cloud.points.size();
    radius_ = count > 200 ? scaled(2.6f) : count > 60 ? scaled(3.6f) : scaled(5);
  }

  void draw(int hovered) {
    canvas_.push_clip(plane_.p0, plane_.p1);
    draw_axes();
    for (const int other : cloud_.joined)
      if (valid(cloud_.selected) && valid(other))
        canvas_.line(at(cloud_.selected), at(other), with_alpha(theme().accent, 0.6f), scaled(1.2f));
    draw_points();
    draw_arrows();
    draw_labels(hovered);
    canvas_.pop_clip();
  }

 private:
  const CloudPoint& point(int i) const { return cloud_.points[static_cast<std::size_t>(i)]; }
  bool valid(int i) const { return i >= 0 && i < std::ssize(cloud_.points) && placed(point(i)); }
  ImVec2 at(int i) const { return plane_.at(point(i).x, point(i).y); }

  void draw_axes() const {
    const ImVec2 origin = plane_.at(0, 0), p0 = plane_.p0, p1 = plane_.p1;
    const ImU32 faint = with_alpha(theme().border, 0.8f);
    if (origin.x > p0.x && origin.x < p1.x)
      canvas_.line(ImVec2(origin.x, p0.y), ImVec2(origin.x, p1.y), faint);
    if (origin.y > p0.y && origin.y < p1.y)
      canvas_.line(ImVec2(p0.x, origin.y), ImVec2(p1.x, origin.y), faint);
  }
  void draw_points() {
    for (const CloudPoint& one : cloud_.points) {
      if (!placed(one)) continue;
      const ImVec2 centre = plane_.at(one.x, one.y);
      if (one.hollow)
        canvas_.circle(centre, radius_, one.colour, 0, scaled(1.4f));
      else
        canvas_.fill_circle(centre, radius_, one.colour);
      taken_.push_back(
          {ImVec2(centre.x - radius_, centre.y - radius_), ImVec2(centre.x + radius_, centre.y + radius_)});
    }
  }
  void draw_arrows() {
    for (const CloudArrow& arrow : cloud_.arrows) {
      const ImVec2 tip = plane_.at(arrow.x, arrow.y);
      draw_arrow(canvas_, plane_.at(0, 0), tip, arrow.colour);
      ImVec2 corner;
      if (place_label(plane_, tip, arrow.label, scaled(10), taken_, corner))
        draw_text(canvas_, fonts().small, corner, arrow.colour, arrow.label);
    }
  }
  void label(int i, ImU32 colour, float away) {
    if (point(i).label.empty()) return;
    note_text(point(i).label);
    ImVec2 corner;
    const std::string text(middle_truncated(fonts().small, point(i).label, scaled(110)));
    if (place_label(plane_, at(i), text, radius_ + away, taken_, corner))
      draw_text(canvas_, fonts().small, corner, colour, text);
  }
  // Labels of the hovered point first, then the selected one and those joined to it; others if they fit.
  void draw_labels(int hovered) {
    const Theme& t = theme();
    for (const int chosen : {hovered, hovered == cloud_.selected ? -1 : cloud_.selected}) {
      if (!valid(chosen)) continue;
      canvas_.circle(at(chosen), radius_ + scaled(3), t.accent, 0, scaled(2));
      label(chosen, t.text, scaled(4));
    }
    for (const int other : cloud_.joined)
      if (valid(other) && other != hovered) label(other, t.text, 0);
    for (int i = 0; i < std::ssize(cloud_.points); ++i) {
      const bool joined = std::find(cloud_.joined.begin(), cloud_.joined.end(), i) != cloud_.joined.end();
      if (valid(i) && i != hovered && i != cloud_.selected && !joined) label(i, t.text_dim, 0);
    }
  }

  const PointCloud& cloud_;
  const Plane& plane_;
  const Canvas canvas_;
  float radius_ = 0;
  std::vector<Box> taken_;
};

}  // namespace

CloudEvent draw_point_cloud(const PointCloud& cloud, ImVec2 at, ImVec2 size) {
  CloudEvent event;
  const Theme& t = theme();
  const Canvas canvas;
  const DrawGroupScope group("cloud");
  const float line = text_size(fonts().small, "X").y;
  const float top = cloud.title.empty() ? 0 : text_size(fonts().body_bold, "X").y + scaled(4);
  const float below = cloud.caption.empty() ? 0 : line + scaled(3);
  const ImVec2 p0(at.x, at.y + top), p1(at.x + size.x, at.y + size.y - below);
  if (p1.x - p0.x < scaled(40) || p1.y - p0.y < scaled(40)) return event;
  if (!cloud.title.empty())
    draw_text(canvas, fonts().body_bold, at, cloud.title_colour ? cloud.title_colour : t.text,
              middle_truncated(fonts().body_bold, cloud.title, size.x));
  ImGui::SetCursorScreenPos(p0);
  event.clicked = hit_area(("###" + cloud.key).c_str(), ImVec2(p1.x - p0.x, p1.y - p0.y));
  note_item(cloud.key);
  canvas.fill_rect(p0, p1, with_alpha(t.panel, 0.7f), scaled(6));
  canvas.rect(p0, p1, t.border, scaled(6));
  const Plane plane = plane_of(cloud, p0, p1);
  if (ImGui::IsItemHovered()) event.point = point_cloud_nearest(cloud, plane, ImGui::GetIO().MousePos);
  if (event.point < 0) event.clicked = false;
  CloudPicture(cloud, plane).draw(event.point);
  if (!cloud.caption.empty())
    draw_text(canvas, fonts().small, ImVec2(p0.x, p1.y + scaled(3)), t.text_dim,
              middle_truncated(fonts().small, cloud.caption, size.x));
  return event;
}

}  // namespace attnscope
