#include "app/figure/svg.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "app/figure/hint.h"
#include "app/figure/svg_parts.h"
#include "app/look/theme.h"
#include "core/base/markup.h"
#include "core/base/text.h"
#include "core/system/atomic_file.h"

namespace attnscope {
namespace svg {

std::string paint(const char* name, ImU32 colour) {
  const unsigned alpha = colour >> IM_COL32_A_SHIFT;
  if (alpha == 0) return format(" %s=\"none\"", name);
  std::string out = format(" %s=\"#%02x%02x%02x\"", name, (colour >> IM_COL32_R_SHIFT) & 255u,
                           (colour >> IM_COL32_G_SHIFT) & 255u, (colour >> IM_COL32_B_SHIFT) & 255u);
  if (alpha < 255) out += format(" %s-opacity=\"%.3g\"", name, alpha / 255.0);
  return out;
}

}  // namespace svg

namespace {

using svg::attribute;
using svg::number;
using svg::paint;

ImVec2 lesser(ImVec2 a, ImVec2 b) { return ImVec2(std::min(a.x, b.x), std::min(a.y, b.y)); }
ImVec2 greater(ImVec2 a, ImVec2 b) { return ImVec2(std::max(a.x, b.x), std::max(a.y, b.y)); }

// Bounding box of an element; larger when it is rotated.
DrawClip bounds(const DisplayList& list, const DrawItem& item) {
  DrawClip out{lesser(item.p0, item.p1), greater(item.p0, item.p1)};
  float more = item.thickness / 2 + 1;
  if (item.kind == DrawItem::Kind::circle) more += item.radius;
  const bool of_points = item.kind == DrawItem::Kind::polyline || item.kind == DrawItem::Kind::polygon;
  if (of_points && item.count > 0) {
    out.p0 = out.p1 = list.points(item)[0];
    for (const ImVec2 point : list.points(item)) out = {lesser(out.p0, point), greater(out.p1, point)};
  }
  if (item.kind == DrawItem::Kind::text && item.angle != 0) {
    const float sine = std::sin(item.angle), cosine = std::cos(item.angle);
    const ImVec2 flat[] = {item.p0, ImVec2(item.p1.x, item.p0.y), item.p1, ImVec2(item.p0.x, item.p1.y)};
    for (std::size_t i = 0; i < 4; ++i) {
      const ImVec2 d(flat[i].x - item.pivot.x, flat[i].y - item.pivot.y);
      const ImVec2 rotated(item.pivot.x + d.x * cosine - d.y * sine,
                           item.pivot.y + d.x * sine + d.y * cosine);
      out = {lesser(i ? out.p0 : rotated, rotated), greater(i ? out.p1 : rotated, rotated)};
    }
  }
  return {ImVec2(out.p0.x - more, out.p0.y - more), ImVec2(out.p1.x + more, out.p1.y + more)};
}

bool is_hint(const DisplayList& list, const DrawItem& item) {
  return item.group >= 0 && list.groups()[static_cast<std::size_t>(item.group)].what == kHintGroup;
}

class Writer {
 public:
  Writer(const DisplayList& list, const SvgPage& page) : list_(list), page_(page) {}

  Result<std::string> write() {
    for (const DrawItem& item : list_.items()) {
      if (is_hint(list_, item) || hidden(item)) continue;
      enter(item.group);
      TRY(std::string element, element_of(item));
      if (element.empty()) continue;
      const std::string clip = clip_of(item);
      body_ += clip.empty() ? element : "<g" + clip + ">" + element + "</g>\n";
    }
    enter(-1);
    return head() + body_ + "</svg>\n";
  }

 private:
  std::string head() const {
    const float width = page_.p1.x - page_.p0.x, height = page_.p1.y - page_.p0.y;
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    out += "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\"" +
           attribute("width", width / page_.scale) + attribute("height", height / page_.scale) +
           " viewBox=\"" + number(page_.p0.x) + " " + number(page_.p0.y) + " " + number(width) + " " +
           number(height) + "\" xml:lang=\"" + xml_text(page_.language) + "\" xml:space=\"preserve\">\n";
    out += "<title>" + xml_text(page_.title) + "</title>\n<desc>" + xml_text(page_.description) + "</desc>\n";
    out += "<defs>\n" + clips_ + (masked_ ? hatching() : std::string()) + "</defs>\n";
    if (page_.ground)
      out += "<rect" + attribute("x", page_.p0.x) + attribute("y", page_.p0.y) + attribute("width", width) +
             attribute("height", height) + paint("fill", page_.ground) + "/>\n";
    return out;
  }

  // The same hatching as in the shader: stripes 1.1 units wide every 7, rising.
  std::string hatching() const {
    const float period = 7 * page_.scale, stripe = 1.1f * page_.scale;
    return "<pattern id=\"masked\" patternUnits=\"userSpaceOnUse\"" + attribute("width", period) +
           attribute("height", period) + " patternTransform=\"rotate(45)\"><rect" +
           attribute("width", period) + attribute("height", period) + paint("fill", theme().masked) +
           "/><rect" + attribute("x", (period - stripe) / 2) + attribute("width", stripe) +
           attribute("height", period) + paint("fill", theme().masked_stripe) + "/></pattern>\n";
  }

  // Closes and opens groups until `group` is the current one.
  void enter(std::int32_t group) {
    std::vector<std::int32_t> wanted;
    for (std::int32_t at = group; at >= 0; at = list_.groups()[static_cast<std::size_t>(at)].parent)
      wanted.push_back(at);
    std::reverse(wanted.begin(), wanted.end());
    const auto common = static_cast<std::size_t>(
        std::mismatch(open_.begin(), open_.end(), wanted.begin(), wanted.end()).first - open_.begin());
    while (open_.size() > common) {
      body_ += "</g>\n";
      open_.pop_back();
    }
    for (std::size_t i = common; i < wanted.size(); ++i) {
      const DrawGroup& opened = list_.groups()[static_cast<std::size_t>(wanted[i])];
      body_ += "<g class=\"" + xml_text(opened.what) + "\"";
      if (!opened.site.empty()) body_ += " data-site=\"" + xml_text(opened.site) + "\"";
      body_ += ">\n";
      open_.push_back(wanted[i]);
    }
  }

  bool hidden(const DrawItem& item) const {
    const DrawClip own = bounds(list_, item);
    const ImVec2 p0 = own.p0, p1 = own.p1;
    const DrawClip& clip = list_.clip(item);
    const ImVec2 c0 = greater(clip.p0, page_.p0), c1 = lesser(clip.p1, page_.p1);
    return p1.x < c0.x || p1.y < c0.y || p0.x > c1.x || p0.y > c1.y || c1.x <= c0.x || c1.y <= c0.y;
  }
  std::string clip_of(const DrawItem& item) {
    const DrawClip own = bounds(list_, item);
    const ImVec2 p0 = own.p0, p1 = own.p1;
    const DrawClip& clip = list_.clip(item);
    constexpr float kSlack = 1.5f;  // bounds are a pixel larger than what is drawn
    if (p0.x >= clip.p0.x - kSlack && p0.y >= clip.p0.y - kSlack && p1.x <= clip.p1.x + kSlack &&
        p1.y <= clip.p1.y + kSlack)
      return {};
    const std::string rect = attribute("x", clip.p0.x) + attribute("y", clip.p0.y) +
                             attribute("width", clip.p1.x - clip.p0.x) +
                             attribute("height", clip.p1.y - clip.p0.y);
    const auto [row, fresh] = clip_ids_.emplace(rect, clip_ids_.size());
    const std::string id = "clip" + std::to_string(row->second);
    if (fresh) clips_ += "<clipPath id=\"" + id + "\"><rect" + rect + "/></clipPath>\n";
    return " clip-path=\"url(#" + id + ")\"";
  }

  Result<std::string> element_of(const DrawItem& item) {
    switch (item.kind) {
      case DrawItem::Kind::rect: return rect(item);
      case DrawItem::Kind::line:
        return "<line" + attribute("x1", item.p0.x + 0.5f) + attribute("y1", item.p0.y + 0.5f) +
               attribute("x2", item.p1.x + 0.5f) + attribute("y2", item.p1.y + 0.5f) + stroke(item) + "/>\n";
      case DrawItem::Kind::polyline: return points(item, item.closed ? "polygon" : "polyline");
      case DrawItem::Kind::polygon: return points(item, "polygon");
      case DrawItem::Kind::circle:
        return "<circle" + attribute("cx", item.p0.x) + attribute("cy", item.p0.y) +
               attribute("r", item.radius - (item.stroke ? 0.5f : 0.f)) + paint("fill", item.fill) +
               stroke(item) + "/>\n";
      case DrawItem::Kind::gradient: return gradient(item);
      case DrawItem::Kind::text: return text(item);
      case DrawItem::Kind::cells: return svg::cells_text(item, list_.cells(item), masked_);
      case DrawItem::Kind::picture: return svg::picture_text(item, list_.picture(item));
    }
    return std::string();
  }

  static std::string stroke(const DrawItem& item) {
    if ((item.stroke >> IM_COL32_A_SHIFT) == 0) return {};
    return paint("stroke", item.stroke) +
           (item.thickness != 1 ? attribute("stroke-width", item.thickness) : std::string());
  }
  // ImGui can round single corners; SVG rectangles all or none.
  static std::string rect(const DrawItem& item) {
    const ImVec2 p0 = lesser(item.p0, item.p1), p1 = greater(item.p0, item.p1);
    // Outlines are inset by half a pixel, as ImGui draws them; lines are shifted by half a pixel more,
    // circles by half a pixel less.
    const float in = item.stroke ? 0.5f : 0.f, width = p1.x - p0.x - 2 * in, height = p1.y - p0.y - 2 * in;
    const float r = std::min(item.radius, std::min(width, height) / 2);
    const ImDrawFlags round = item.corners == 0 ? ImDrawFlags_RoundCornersAll : item.corners;
    const std::string look = paint("fill", item.fill) + stroke(item) + "/>\n";
    const bool all = (round & ImDrawFlags_RoundCornersAll) == ImDrawFlags_RoundCornersAll;
    const bool none = r < 0.5f || (round & ImDrawFlags_RoundCornersAll) == 0;
    if (all || none)
      return "<rect" + attribute("x", p0.x + in) + attribute("y", p0.y + in) +
             attribute("width", std::max(0.f, width)) + attribute("height", std::max(0.f, height)) +
             (none ? std::string() : attribute("rx", r)) + look;
    const auto corner = [&](ImDrawFlags which, float x, float y) {
      const float own = round & which ? r : 0;
      return own > 0
                 ? "a" + number(own) + " " + number(own) + " 0 0 1 " + number(x * own) + " " + number(y * own)
                 : std::string();
    };
    const auto radius = [&](ImDrawFlags which) { return round & which ? r : 0.f; };
    const float tl = radius(ImDrawFlags_RoundCornersTopLeft), tr = radius(ImDrawFlags_RoundCornersTopRight),
                br = radius(ImDrawFlags_RoundCornersBottomRight),
                bl = radius(ImDrawFlags_RoundCornersBottomLeft);
    return "<path d=\"M" + number(p0.x + in + tl) + " " + number(p0.y + in) + "h" + number(width - tl - tr) +
           corner(ImDrawFlags_RoundCornersTopRight, 1, 1) + "v" + number(height - tr - br) +
           corner(ImDrawFlags_RoundCornersBottomRight, -1, 1) + "h" + number(br + bl - width) +
           corner(ImDrawFlags_RoundCornersBottomLeft, -1, -1) + "v" + number(bl + tl - height) +
           corner(ImDrawFlags_RoundCornersTopLeft, 1, -1) + "z\"" + look;
  }
  std::string points(const DrawItem& item, const char* name) const {
    std::string at;
    for (const ImVec2 point : list_.points(item))
      at += (at.empty() ? "" : " ") + number(point.x) + "," + number(point.y);
    return std::string("<") + name + " points=\"" + at + "\"" + paint("fill", item.fill) + stroke(item) +
           "/>\n";
  }
  std::string gradient(const DrawItem& item) {
    const std::string stops = "<stop offset=\"0\"" + paint("stop-color", item.fill) + "/><stop offset=\"1\"" +
                              paint("stop-color", item.stroke) + "/>";
    const bool plain = item.fill == item.stroke;
    std::string fill = paint("fill", item.fill);
    if (!plain) {
      const std::string id = "ramp" + std::to_string(ramps_++);
      clips_ += "<linearGradient id=\"" + id + "\"" +
                (item.vertical ? " x1=\"0\" y1=\"0\" x2=\"0\" y2=\"1\"" : "") + ">" + stops +
                "</linearGradient>\n";
      fill = " fill=\"url(#" + id + ")\"";
    }
    return "<rect" + attribute("x", item.p0.x) + attribute("y", item.p0.y) +
           attribute("width", item.p1.x - item.p0.x) + attribute("height", item.p1.y - item.p0.y) + fill +
           "/>\n";
  }
  // Stretched to its width on screen, whatever font the viewer has.
  std::string text(const DrawItem& item) const {
    const std::string words = xml_text(list_.text(item));
    std::string out = "<text" + attribute("x", item.p0.x) + attribute("y", item.p0.y + item.baseline) +
                      attribute("font-size", item.face.em) + " font-family=\"" + item.face.family + "\"";
    if (item.face.weight != 400) out += " font-weight=\"" + std::to_string(item.face.weight) + "\"";
    if (item.p1.x > item.p0.x)
      out += attribute("textLength", item.p1.x - item.p0.x) + " lengthAdjust=\"spacingAndGlyphs\"";
    if (item.angle != 0)
      out += " transform=\"rotate(" + number(item.angle * 57.29578f) + " " + number(item.pivot.x) + " " +
             number(item.pivot.y) + ")\"";
    return out + paint("fill", item.fill) + ">" + words + "</text>\n";
  }

  const DisplayList& list_;
  const SvgPage& page_;
  std::string body_, clips_;
  std::map<std::string, std::size_t> clip_ids_;
  std::vector<std::int32_t> open_;
  int ramps_ = 0;
  bool masked_ = false;
};

}  // namespace

void fit_page(SvgPage& page, const DisplayList& list, float margin) {
  DrawClip all{page.p1, page.p0};
  for (const DrawItem& item : list.items()) {
    if (is_hint(list, item)) continue;
    const DrawClip own = bounds(list, item), &clip = list.clip(item);
    const ImVec2 p0 = greater(greater(own.p0, clip.p0), page.p0),
                 p1 = lesser(lesser(own.p1, clip.p1), page.p1);
    if (p1.x > p0.x && p1.y > p0.y) all = {lesser(all.p0, p0), greater(all.p1, p1)};
  }
  if (all.p1.x <= all.p0.x || all.p1.y <= all.p0.y) return;
  page.p0 = ImVec2(std::floor(all.p0.x - margin), std::floor(all.p0.y - margin));
  page.p1 = ImVec2(std::ceil(all.p1.x + margin), std::ceil(all.p1.y + margin));
}

Status write_svg(const std::string& path, const std::string& text) {
  TRY(AtomicFile file, AtomicFile::create(path));
  file.write(text);
  return file.commit();
}

Result<std::string> to_svg(const DisplayList& list, const SvgPage& page) {
  return Writer(list, page).write();
}

}  // namespace attnscope
