// A drawing as SVG 1.1 (https://www.w3.org/TR/SVG11): texts as text, so that they can be searched and edited.
#include "core/base/markup.h"
#include "core/base/text.h"
#include "core/figure/drawing.h"
#include "core/figure/svg_parts.h"

namespace attnscope::svg {

std::string number(float value) {
  std::string text = format("%.2f", static_cast<double>(value));
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string attribute(const char* name, float value) {
  return format(" %s=\"%s\"", name, number(value).c_str());
}

}  // namespace attnscope::svg

namespace attnscope::figure {
namespace {

using svg::attribute;
using svg::number;

std::string colour(const char* name, Rgb rgb) { return format(" %s=\"#%06x\"", name, rgb); }
std::string corners(const PixelRect& rect) {
  return attribute("x", rect.x) + attribute("y", rect.y) + attribute("width", rect.w) +
         attribute("height", rect.h);
}
std::string rounding(const DrawnShape& shape) {
  return shape.round > 0 ? attribute("rx", shape.round) : std::string();
}
std::string font(const DrawnShape& shape) {
  const char* family = shape.face == Face::mono ? "'JetBrains Mono', 'Nanum Gothic', monospace"
                                                : "Inter, 'Nanum Gothic', sans-serif";
  return std::string(" font-family=\"") + family + "\"" + attribute("font-size", shape.em) +
         (shape.face == Face::bold ? " font-weight=\"600\"" : "");
}
std::string text_of(const DrawnShape& shape) {
  std::string out = "<text" + attribute("x", shape.x) + attribute("y", shape.y) + font(shape) +
                    colour("fill", shape.colour) + " xml:space=\"preserve\"";
  if (shape.turned != 0)
    out +=
        " transform=\"rotate(" + number(shape.turned) + " " + number(shape.x) + " " + number(shape.y) + ")\"";
  return out + ">" + xml_text(shape.text) + "</text>";
}
std::string dashes(const DrawnShape& shape, float on, float off) {
  return shape.dashed ? " stroke-dasharray=\"" + number(on) + " " + number(off) + "\"" : std::string();
}
std::string thin(float pen) { return pen == 1 ? std::string() : attribute("stroke-width", pen); }
std::string line_of(const DrawnShape& shape, float pen) {
  std::string out = "<polyline fill=\"none\"" + attribute("stroke-width", 2 * pen) +
                    colour("stroke", shape.colour) + dashes(shape, 6 * pen, 4 * pen) + " points=\"";
  for (const auto& [x, y] : shape.points) out += number(x) + "," + number(y) + " ";
  return out + "\"/>";
}
std::string element(const DrawnShape& shape, float pen) {
  switch (shape.kind) {
    case DrawnShape::Kind::rect:
      return "<rect" + corners(shape.rect) + rounding(shape) + colour("fill", shape.colour) + "/>";
    case DrawnShape::Kind::frame:
      return "<rect fill=\"none\"" + corners(shape.rect) + rounding(shape) + colour("stroke", shape.colour) +
             thin(pen) + dashes(shape, 3 * pen, 2 * pen) + "/>";
    case DrawnShape::Kind::hatch:
      return "<line" + attribute("x1", shape.rect.x) + attribute("y1", shape.rect.bottom()) +
             attribute("x2", shape.rect.right()) + attribute("y2", shape.rect.y) +
             colour("stroke", shape.colour) + thin(pen) + " stroke-opacity=\"0.35\"/>";
    case DrawnShape::Kind::line: return line_of(shape, pen);
    case DrawnShape::Kind::text: return text_of(shape);
    case DrawnShape::Kind::picture: break;
  }
  return {};
}

std::string group_of(const Drawing& drawing, const std::string& part) {
  std::string out = "<g id=\"" + xml_text(part) + "\"";
  if (const auto place = drawing.places.find(part); place != drawing.places.end())
    out += " data-site=\"" + xml_text(place->second) + "\"";
  return out + ">\n";
}

}  // namespace

std::string to_svg(const Drawing& drawing, const SvgPage& page) {
  const std::string sides = page.width.empty()
                                ? attribute("width", drawing.width) + attribute("height", drawing.height)
                                : " width=\"" + page.width + "\" height=\"" + page.height + "\"";
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "xmlns:xlink=\"http://www.w3.org/1999/xlink\" version=\"1.1\"" +
      sides + " viewBox=\"0 0 " + number(drawing.width) + " " + number(drawing.height) + "\"" +
      (page.language.empty() ? "" : " xml:lang=\"" + xml_text(page.language) + "\"") + ">\n<title>" +
      xml_text(page.title) + "</title>\n";
  if (!page.description.empty()) out += "<desc>" + xml_text(page.description) + "</desc>\n";
  if (!page.metadata.empty()) out += "<metadata>" + page.metadata + "</metadata>\n";
  std::string part;
  for (std::size_t at = page.ground ? 0 : 1; at < drawing.shapes.size(); ++at) {  // 0: the ground
    const DrawnShape& shape = drawing.shapes[at];
    if (shape.part != part) {
      if (!part.empty()) out += "</g>\n";
      part = shape.part;
      if (!part.empty()) out += group_of(drawing, part);
    }
    const bool picture = shape.kind == DrawnShape::Kind::picture;
    if (!picture)
      out += element(shape, drawing.pen) + "\n";
    else if (page.picture)
      out += "<image preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\"" + corners(shape.rect) +
             " xlink:href=\"" + page.picture(shape) + "\"/>\n";
  }
  return out + (part.empty() ? "" : "</g>\n") + "</svg>\n";
}

}  // namespace attnscope::figure
