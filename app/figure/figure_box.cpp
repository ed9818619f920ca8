#include "app/figure/figure_box.h"

#include <algorithm>
#include <cmath>

#include "app/figure/canvas.h"
#include "app/look/fonts.h"
#include "app/look/imgui_compat.h"
#include "app/look/item_map.h"
#include "app/look/theme.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kCellRound = 3.f, kBarRound = 3.f, kHatchStep = 6.f, kDash = 4.f;  // units
// Units of a room in which letters have their usual size.
struct UsualRoom {
  float width, height;
};
constexpr UsualRoom kWindowRoom{1260, 480}, kPresenterRoom{1280, 720};
constexpr float kRoundMarkFrom = 12.f;  // smaller cells have square corners

void hatch_cell(const Canvas& canvas, ImVec2 p0, ImVec2 p1) {
  canvas.push_clip(p0, p1);
  const float step = kHatchStep * ui_scale(), tall = p1.y - p0.y;
  const float first = std::floor((p0.x - tall) / step) * step;  // stripes go on from cell to cell
  for (float x = first; x < p1.x; x += step) {
    const float shift = p0.y - std::floor(p0.y / step) * step;
    canvas.line(ImVec2(x - shift, p1.y), ImVec2(x - shift + tall, p0.y), theme().masked_stripe);
  }
  canvas.pop_clip();
}

void dashed_rect(const Canvas& canvas, ImVec2 p0, ImVec2 p1, ImU32 colour) {
  const float dash = kDash * ui_scale();
  for (float x = p0.x; x < p1.x; x += 2 * dash)
    for (const float y : {p0.y, p1.y})
      canvas.line(ImVec2(x, y), ImVec2(std::min(x + dash, p1.x), y), colour, 1.5f * ui_scale());
  for (float y = p0.y; y < p1.y; y += 2 * dash)
    for (const float x : {p0.x, p1.x})
      canvas.line(ImVec2(x, y), ImVec2(x, std::min(y + dash, p1.y)), colour, 1.5f * ui_scale());
}

// One piece of a dashed line; `along`: how long the line is before it. The dashes are of one length along the
// whole line, however long its pieces are. Returns how long it is behind it.
float dashed_piece(const Canvas& canvas, ImVec2 a, ImVec2 b, float along, ImU32 colour, float thick) {
  const float dash = kDash * ui_scale(), length = std::hypot(b.x - a.x, b.y - a.y);
  const auto at = [&](float from) {
    const float share = length > 0 ? from / length : 0;
    return ImVec2(a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share);
  };
  for (float from = 0; from < length;) {
    const float left = dash - std::fmod(along + from, dash),
                to = std::min(length, from + std::max(left, 0.5f));
    if (std::fmod(along + from, 2 * dash) < dash) canvas.line(at(from), at(to), colour, thick);
    from = to;
  }
  return along + length;
}

}  // namespace

ImU32 figure_colour(figure::Rgb rgb) {
  return IM_COL32(rgb >> 16 & 0xffu, rgb >> 8 & 0xffu, rgb & 0xffu, 255);
}

const figure::Measure& figure_measure() {
  static const figure::Measure measure;
  return measure;
}

bool FigureBox::stale(std::uint64_t key, ImVec2 room, bool presented) const {
  return !figure_ || shown_.key != key || shown_.width != room.x || shown_.height != room.y ||
         shown_.scale != ui_scale() || shown_.presented != presented || shown_.fonts != fonts_version() ||
         shown_.theme != theme_version() || shown_.language != language();
}

bool FigureBox::show(figure::Figure figure, std::uint64_t key, ImVec2 room, bool presented, float zoom) {
  const UsualRoom usual = presented ? kPresenterRoom : kWindowRoom;
  const float least = presented ? 0.f : ui_scale();  // a projector's letters go by its room alone
  const float wanted = std::max(least, std::min(room.x / usual.width, room.y / usual.height)) * zoom;
  return show_at(std::move(figure), key, room, presented, wanted);
}

bool FigureBox::show_at(figure::Figure figure, std::uint64_t key, ImVec2 room, bool presented, float unit) {
  shown_ = {key, room.x, room.y, ui_scale(), presented, fonts_version(), theme_version(), language()};
  figure_ = std::move(figure);
  const figure::LetterSizes& look = presented ? figure::kPresenterLetters : figure::kWindowLetters;
  for (const float share : {1.f, 0.8f, 0.65f, 0.5f}) {
    unit_ = unit * share;
    placed_ = place(*figure_, room.x / unit_, room.y / unit_, look, figure_measure());
    if (placed_.overflows.empty()) break;
  }
  if (!placed_.overflows.empty()) {
    clear();
    return false;
  }
  drawing_ = figure::draw(placed_, look, figure_measure(), theme().kind == ThemeKind::dark);
  for (const figure::DrawnShape& shape : drawing_.shapes) note_text(shape.text);
  names_.clear();
  for (const figure::PlacedPart& part : placed_.parts) names_.push_back("figure." + part.part->id);
  return true;
}

ImVec2 FigureBox::on_screen(float x, float y) const { return {at_.x + x * unit_, at_.y + y * unit_}; }

void FigureBox::draw_shape(const figure::DrawnShape& shape) const {
  using Kind = figure::DrawnShape::Kind;
  const Canvas canvas;
  const ImU32 colour =
      shape.alpha < 1 ? with_alpha(figure_colour(shape.colour), shape.alpha) : figure_colour(shape.colour);
  const ImVec2 p0 = on_screen(shape.rect.x, shape.rect.y),
               p1 = on_screen(shape.rect.right(), shape.rect.bottom());
  const bool large = std::min(shape.rect.w, shape.rect.h) >= kRoundMarkFrom;
  switch (shape.kind) {
    case Kind::rect:
      return canvas.fill_rect(p0, p1, colour, (shape.row >= 0 && large ? kCellRound : shape.round) * unit_);
    case Kind::frame:
      if (shape.dashed) return dashed_rect(canvas, p0, p1, colour);
      return canvas.rect(p0, p1, colour,
                         (shape.round > 0 ? shape.round
                          : large         ? kBarRound
                                          : 0) *
                             unit_,
                         0, 2 * unit_);
    case Kind::hatch: return hatch_cell(canvas, p0, p1);
    case Kind::line: {
      float along = 0;
      for (std::size_t i = 1; i < shape.points.size(); ++i) {
        const ImVec2 from = on_screen(shape.points[i - 1].first, shape.points[i - 1].second),
                     to = on_screen(shape.points[i].first, shape.points[i].second);
        if (shape.dashed)
          along = dashed_piece(canvas, from, to, along, colour, 1.5f * unit_);
        else
          canvas.line(from, to, colour, 1.5f * unit_);
      }
      return;
    }
    case Kind::picture: return;  // of files alone
    case Kind::text: break;
  }
  const auto [font, size] = font_for(shape.face, shape.em * unit_, shape.digit);
  const ImVec2 start = on_screen(shape.x, shape.y);
  if (shape.turned == 0)
    return canvas.text(font, ImVec2(start.x, start.y - compat::font_ascent(font, size)), colour, shape.text,
                       size);
  const float climb = -shape.turned * 3.14159265f / 180;
  const float up = shape.em * unit_ * 0.36f;  // from the baseline to the middle of small letters
  canvas.climbing_text(font, ImVec2(start.x - up * std::sin(climb), start.y - up * std::cos(climb)), colour,
                       shape.text, std::sin(climb), std::cos(climb), size);
}

void FigureBox::draw(ImVec2 at) {
  at_ = at;
  if (!figure_) return;
  for (std::size_t i = 1; i < drawing_.shapes.size(); ++i) draw_shape(drawing_.shapes[i]);  // 0: the ground
  note_parts();
}

void FigureBox::draw(ImVec2 at, const FigureMotion& motion) {
  if (!figure_ || !motion.moving()) return draw(at);
  at_ = at;
  for (std::size_t i = 1; i < drawing_.shapes.size(); ++i) {
    const figure::DrawnShape shape = motion.at(i, drawing_.shapes[i]);
    if (shape.alpha > 0) draw_shape(shape);
  }
  note_parts();
}

FigureMotion::OnScreen FigureBox::on_screen() const {
  return {figure_ ? &*figure_ : nullptr, &drawing_, at_.x, at_.y, unit_};
}

void FigureBox::note_parts() const {
  for (std::size_t i = 0; i < placed_.parts.size(); ++i) {
    const figure::PlacedPart& part = placed_.parts[i];
    const figure::PixelRect& box = part.cells.w > 0 ? part.cells : part.box;
    ItemRect item{on_screen(box.x, box.y), on_screen(box.right(), box.bottom())};
    item.seen0 = item.p0, item.seen1 = item.p1;
    if (const auto* matrix = std::get_if<figure::MatrixMark>(&part.part->mark))
      item.rows = matrix->values.size(0), item.cols = matrix->values.size(1);
    note_item(names_[i], item);
  }
}

FigureHit FigureBox::hit_of(const figure::DrawnShape& shape) const {
  return {find_part(*figure_, shape.part), shape.row, shape.col, on_screen(shape.rect.x, shape.rect.y),
          on_screen(shape.rect.right(), shape.rect.bottom())};
}

std::optional<FigureHit> FigureBox::hit(ImVec2 place) const {
  if (!figure_) return std::nullopt;
  const float x = (place.x - at_.x) / unit_, y = (place.y - at_.y) / unit_;
  for (const figure::DrawnShape& shape : drawing_.shapes) {
    const figure::PixelRect& r = shape.rect;
    if (shape.row < 0 || shape.col < 0 || x < r.x || y < r.y || x >= r.right() || y >= r.bottom()) continue;
    FigureHit out = hit_of(shape);
    if (out.part && std::holds_alternative<figure::MatrixMark>(out.part->mark)) return out;
  }
  return std::nullopt;
}

std::optional<FigureHit> FigureBox::row_name(ImVec2 place) const {
  if (!figure_) return std::nullopt;
  const float x = (place.x - at_.x) / unit_, y = (place.y - at_.y) / unit_;
  for (const figure::PlacedPart& placed : placed_.parts) {
    const auto* matrix = std::get_if<figure::MatrixMark>(&placed.part->mark);
    const figure::PixelRect& cells = placed.cells;
    if (!matrix || !matrix->order.empty() || matrix->rows.labels.empty() || x < placed.box.x ||
        x >= cells.x || y < cells.y || y >= cells.bottom())
      continue;
    const float high = cells.h / static_cast<float>(matrix->values.size(0));
    const auto row = static_cast<std::int64_t>((y - cells.y) / high);
    const float top = cells.y + high * static_cast<float>(row);
    return FigureHit{placed.part, row, -1, on_screen(placed.box.x, top), on_screen(cells.x, top + high)};
  }
  return std::nullopt;
}

ItemRect FigureBox::part_rect(std::string_view part) const {
  const auto placed = std::find_if(placed_.parts.begin(), placed_.parts.end(),
                                   [&](const auto& one) { return one.part->id == part; });
  if (!figure_ || placed == placed_.parts.end()) return {};
  return {on_screen(placed->box.x, placed->box.y), on_screen(placed->box.right(), placed->box.bottom())};
}

// The lines of a table, from above: its title and header where it has them, rows, what the others add up to.
std::optional<FigureHit> FigureBox::table_row(std::string_view part, ImVec2 place) const {
  if (!figure_) return std::nullopt;
  const auto placed = std::find_if(placed_.parts.begin(), placed_.parts.end(),
                                   [&](const auto& one) { return one.part->id == part; });
  if (placed == placed_.parts.end() || !std::holds_alternative<figure::TableMark>(placed->part->mark))
    return std::nullopt;
  const float x = (place.x - at_.x) / unit_, y = (place.y - at_.y) / unit_;
  float left = placed->box.right(), right = placed->box.x;
  std::vector<float> lines;  // their middles
  for (const figure::DrawnShape& shape : drawing_.shapes) {
    if (shape.part != part || shape.kind != figure::DrawnShape::Kind::text) continue;
    left = std::min(left, shape.x), right = std::max(right, shape.rect.right());
    const float middle = shape.y - 0.35f * shape.em;
    if (lines.empty() || middle > lines.back() + 0.5f * shape.em) lines.push_back(middle);
  }
  const auto& table = std::get<figure::TableMark>(placed->part->mark);
  const bool rest = table.others > 0 || placed->rows < std::ssize(table.rows);
  const std::ptrdiff_t first = std::ssize(lines) - placed->rows - (rest ? 1 : 0);
  if (first < 0 || x < left || x >= right) return std::nullopt;
  const auto middle = [&](std::ptrdiff_t at) { return lines[static_cast<std::size_t>(at)]; };
  for (std::ptrdiff_t row = 0; row < placed->rows; ++row) {
    const std::ptrdiff_t at = first + row;
    const float below = at + 1 < std::ssize(lines) ? (middle(at + 1) - middle(at)) / 2
                        : at > 0                   ? (middle(at) - middle(at - 1)) / 2
                                                   : placed->box.h / 2;
    const float above = row > 0 ? (middle(at) - middle(at - 1)) / 2 : below;
    if (y < middle(at) - above || y >= middle(at) + below) continue;
    return FigureHit{placed->part, row, -1, on_screen(left - 4, middle(at) - above),
                     on_screen(right + 4, middle(at) + below)};
  }
  return std::nullopt;
}

std::optional<FigureHit> FigureBox::cell(std::string_view part, std::int64_t row, std::int64_t col) const {
  for (const figure::DrawnShape& shape : drawing_.shapes)
    if (figure_ && shape.part == part && shape.row == row && shape.col == col) return hit_of(shape);
  return std::nullopt;
}

}  // namespace attnscope
