// A drawing as SVG 1.1 (https://www.w3.org/TR/SVG11): texts as text, so that they can be searched and edited.
#include "core/base/text.h"
#include "core/figure/drawing.h"

namespace attnscope::figure {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : valid_utf8(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}
std::string number(float value) {
  std::string out = format("%.2f", static_cast<double>(value));
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}
std::string attribute(const char* name, float value) {
  return std::string(" ") + name + "=\"" + number(value) + "\"";
}
std::string colour(const char* name, Rgb rgb) { return format(" %s=\"#%06x\"", name, rgb); }
std::string corners(const PixelRect& rect) {
  return attribute("x", rect.x) + attribute("y", rect.y) + attribute("width", rect.w) +
         attribute("height", rect.h);
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
  return out + ">" + escaped(shape.text) + "</text>";
}
std::string line_of(const DrawnShape& shape) {
  std::string out = "<polyline fill=\"none\" stroke-width=\"2\"" + colour("stroke", shape.colour) +
                    (shape.dashed ? " stroke-dasharray=\"6 4\"" : "") + " points=\"";
  for (const auto& [x, y] : shape.points) out += number(x) + "," + number(y) + " ";
  return out + "\"/>";
}
std::string element(const DrawnShape& shape) {
  switch (shape.kind) {
    case DrawnShape::Kind::rect: return "<rect" + corners(shape.rect) + colour("fill", shape.colour) + "/>";
    case DrawnShape::Kind::frame:
      return "<rect fill=\"none\"" + corners(shape.rect) + colour("stroke", shape.colour) + "/>";
    case DrawnShape::Kind::hatch:
      return "<line" + attribute("x1", shape.rect.x) + attribute("y1", shape.rect.bottom()) +
             attribute("x2", shape.rect.right()) + attribute("y2", shape.rect.y) +
             colour("stroke", shape.colour) + " stroke-opacity=\"0.35\"/>";
    case DrawnShape::Kind::line: return line_of(shape);
    case DrawnShape::Kind::text: return text_of(shape);
  }
  return {};
}

}  // namespace

std::string to_svg(const Drawing& drawing, const std::string& title) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"" +
                    attribute("width", drawing.width) + attribute("height", drawing.height) +
                    " viewBox=\"0 0 " + number(drawing.width) + " " + number(drawing.height) +
                    "\">\n<title>" + escaped(title) + "</title>\n";
  std::string part;
  for (const DrawnShape& shape : drawing.shapes) {
    if (shape.part != part) {
      if (!part.empty()) out += "</g>\n";
      part = shape.part;
      if (!part.empty()) out += "<g id=\"" + escaped(part) + "\">\n";
    }
    out += element(shape) + "\n";
  }
  return out + (part.empty() ? "" : "</g>\n") + "</svg>\n";
}

}  // namespace attnscope::figure
