#include "core/figure/drawing.h"

#include <algorithm>
#include <cmath>

#include "core/figure/marks.h"

namespace attnscope::figure {
namespace {

// text, dim, accent, query, key, value, warning, mlp: those of the window's themes
constexpr Palette kDark{0x14181f,
                        0x262e3a,
                        0x1b212b,
                        0x3a4352,
                        {0xe8ecf2, 0x97a3b4, 0x7cc4ff, 0x6fb1fc, 0xff8a80, 0x8fd694, 0xf2b84b, 0xb892ff},
                        0x4f9df7,
                        0x4f9df7,
                        0xf0884a,
                        0x1b212a};
constexpr Palette kLight{0xffffff,
                         0xe6eaf0,
                         0xf6f7f9,
                         0xc4ccd8,
                         {0x1b2430, 0x5c6878, 0x1565c0, 0x1f66c1, 0xc23a32, 0x1b8055, 0x9a5b00, 0x7440c0},
                         0x1f66c1,
                         0x1f66c1,
                         0xc24e10,
                         0xf6f7f9};

// After Okabe and Ito (https://jfly.uni-koeln.de/color): as dark as letters need, and apart from each other
// for those who lack red or green receptors (tests/core/export).
constexpr Palette kPaper{0xffffff,
                         0xefefef,
                         0xffffff,
                         0xb0b0b0,
                         {0x000000, 0x4d4d4d, 0x003a66, 0x0072b2, 0xc04a00, 0x007a5e, 0x5a3a00, 0x6420c8},
                         0x0072b2,
                         0x0072b2,
                         0xd55e00,
                         0xffffff};

constexpr double kOpenCell = 0.4;  // how green a cell is that may be looked at

double channel(Rgb colour, int shift) { return static_cast<double>(colour >> shift & 0xffu); }
Rgb mixed(Rgb from, Rgb to, double share) {
  Rgb out = 0;
  for (const int shift : {16, 8, 0}) {
    const double value = channel(from, shift) + (channel(to, shift) - channel(from, shift)) * share;
    out |= static_cast<Rgb>(std::lround(value)) << shift;
  }
  return out;
}
// Relative luminance, WCAG 2.1.
double luminance(Rgb colour) {
  const auto linear = [&](int shift) {
    const double value = channel(colour, shift) / 255;
    return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0);
}

struct TextBox {
  const DrawnShape* shape = nullptr;
  float left = 0, top = 0, right = 0, bottom = 0;
};
TextBox box_of(const DrawnShape& text, const Measure& measure) {
  return {&text, text.x, text.y - text.em * 0.74f, text.x + measure.width(text.text, text.em, text.face),
          text.y + text.em * 0.02f};
}

}  // namespace

const Palette& palette(bool dark) { return dark ? kDark : kLight; }
const Palette& paper_palette() { return kPaper; }

Rgb Palette::heat(Scale scale, double value) const {
  const double share = std::clamp(std::isfinite(value) ? std::abs(value) : 1.0, 0.0, 1.0);
  if (scale == Scale::diverging) return mixed(panel, value < 0 ? negative : positive, share);
  if (scale == Scale::open) return mixed(panel, ink(Ink::value), share * kOpenCell);
  return mixed(panel, share_most, share);
}

Rgb readable_on(Rgb ground) {
  const double light = luminance(ground);
  return 1.05 / (light + 0.05) > (light + 0.05) / 0.05 ? 0xffffff : 0x000000;
}

void Drawing::rect(PixelRect rect, Rgb colour, DrawnShape::Kind kind) {
  DrawnShape shape;
  shape.kind = kind, shape.rect = rect, shape.colour = colour, shape.part = part;
  shapes.push_back(std::move(shape));
}
void Drawing::line(std::vector<std::pair<float, float>> points, Rgb colour, bool dashed) {
  DrawnShape shape;
  shape.kind = DrawnShape::Kind::line, shape.points = std::move(points), shape.colour = colour;
  shape.dashed = dashed, shape.part = part;
  shapes.push_back(std::move(shape));
}
void Drawing::text(std::string text, float x, float baseline, float em, Face face, Rgb colour,
                   PixelRect box) {
  DrawnShape shape;
  shape.kind = DrawnShape::Kind::text, shape.text = std::move(text), shape.x = x, shape.y = baseline;
  shape.em = em, shape.face = face, shape.colour = colour, shape.rect = box, shape.part = part;
  shapes.push_back(std::move(shape));
}

Drawing draw(const Placed& placed, const LetterSizes& look, const Measure& measure, const Palette& colours,
             bool pictures) {
  Drawing out{placed.room.w, placed.room.h, &colours, look.small / kWindowLetters.small, pictures};
  out.rect(placed.room, out.colours().ground);
  std::map<std::pair<const void*, int>, float> kept;
  for (const PlacedPart& part : placed.parts) {
    out.part = part.part->id;
    const auto* matrix = std::get_if<MatrixMark>(&part.part->mark);
    if (matrix && !matrix->of.empty()) out.places.emplace(out.part, matrix->of);
    rules_of(part.part->mark).draw(part, out, {look, measure, kept});
  }
  return out;
}

std::vector<DrawingFault> faults_of(const Drawing& drawing, const Measure& measure) {
  std::vector<DrawingFault> out;
  std::vector<TextBox> boxes;
  for (const DrawnShape& shape : drawing.shapes) {
    if (shape.kind != DrawnShape::Kind::text) continue;
    const TextBox box = box_of(shape, measure);
    if (shape.turned != 0) {  // up to the right: its end has to be on the page
      const float end = (box.right - box.left) * 0.7072f;
      if (shape.x + end > drawing.width || shape.y - end < 0)
        out.push_back({shape.part, "outside", shape.text});
      continue;
    }
    const PixelRect& room = shape.rect;
    if (box.left < room.x - 0.6f || box.right > room.right() + 0.6f || box.top < room.y - 0.6f ||
        box.bottom > room.bottom() + 0.6f)
      out.push_back({shape.part, "cut", shape.text});
    if (box.left < 0 || box.top < 0 || box.right > drawing.width || box.bottom > drawing.height)
      out.push_back({shape.part, "outside", shape.text});
    boxes.push_back(box);
  }
  std::sort(boxes.begin(), boxes.end(), [](const TextBox& a, const TextBox& b) { return a.top < b.top; });
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = i + 1; j < boxes.size() && boxes[j].top < boxes[i].bottom - 1; ++j) {
      if (boxes[j].left < boxes[i].right - 1 && boxes[i].left < boxes[j].right - 1)
        out.push_back({boxes[i].shape->part, "over " + boxes[j].shape->text, boxes[i].shape->text});
    }
  }
  return out;
}

void seal_cells(Drawing& drawing) {
  constexpr float kOver = 0.5f, kNear = 0.01f;
  std::vector<DrawnShape> out;
  std::ptrdiff_t last = -1;  // index of the cell that the next one may go on from
  for (DrawnShape& shape : drawing.shapes) {
    if (shape.kind != DrawnShape::Kind::rect || !shape.touches) {
      if (shape.kind != DrawnShape::Kind::hatch) last = -1;
      out.push_back(std::move(shape));
      continue;
    }
    if (last >= 0) {
      DrawnShape& before = out[static_cast<std::size_t>(last)];
      const bool on = before.rect.y == shape.rect.y && std::abs(before.rect.right() - shape.rect.x) < kNear;
      if (on && before.colour == shape.colour) {
        before.rect.w = shape.rect.right() - before.rect.x;
        continue;
      }
    }
    last = std::ssize(out);
    out.push_back(std::move(shape));
  }
  for (DrawnShape& shape : out) {
    if (shape.kind != DrawnShape::Kind::rect || !shape.touches) continue;
    shape.rect.w += kOver, shape.rect.h += kOver;
  }
  drawing.shapes = std::move(out);
}

float smallest_digit(const Drawing& drawing) {
  float out = 0;
  for (const DrawnShape& shape : drawing.shapes)
    if (shape.digit && (out == 0 || shape.em < out)) out = shape.em;
  return out;
}

}  // namespace attnscope::figure
