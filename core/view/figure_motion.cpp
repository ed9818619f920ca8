#include "core/view/figure_motion.h"

#include <algorithm>

#include "core/view/view.h"

namespace attnscope {
namespace {

using figure::DrawnShape, figure::PixelRect;

constexpr std::size_t kMostShapes = 4000;  // a larger drawing changes at once

float eased(float t) { return t * t * (3 - 2 * t); }
float between(float a, float b, float t) { return a + (b - a) * t; }

// "blocks.1.attn.pattern[head=3,query=13,key=2]"; empty: no cell of the run.
std::string cell_name(const figure::Figure& figure, const Trace& run, const DrawnShape& shape) {
  if (shape.kind != DrawnShape::Kind::rect || shape.row < 0 || shape.col < 0) return {};
  const figure::Part* part = find_part(figure, shape.part);
  const auto* matrix = part ? std::get_if<figure::MatrixMark>(&part->mark) : nullptr;
  const auto cell = matrix ? cell_of(run, *matrix, shape.row, shape.col) : std::nullopt;
  return cell ? to_text(*cell) : std::string();
}

// Of a mark of several rows, whose last one is made of the others: how many.
std::int64_t rows_of(const figure::Figure& figure, const std::string& part) {
  const auto* matrix = std::get_if<figure::MatrixMark>(&find_part(figure, part)->mark);
  return matrix && !matrix->own_rows.empty() ? matrix->values.size(0) : -1;
}

}  // namespace

void FigureMotion::leave(const OnScreen& old, const Trace& run) {
  places_.clear(), cells_.clear(), parts_.clear();
  if (!old.figure || old.drawing->shapes.size() > kMostShapes) return;
  for (const DrawnShape& shape : old.drawing->shapes) {
    parts_.insert(shape.part);
    const std::string name = cell_name(*old.figure, run, shape);
    if (name.empty()) continue;
    const PixelRect& r = shape.rect;
    const PixelRect seen{old.x + r.x * old.unit, old.y + r.y * old.unit, r.w * old.unit, r.h * old.unit};
    places_.insert_or_assign({shape.part, name}, seen);
    cells_.emplace(name, seen);
  }
}

void FigureMotion::enter(const OnScreen& now, const Trace& run) {
  progress_ = 1;
  motions_.assign(now.drawing->shapes.size(), {});
  if (parts_.empty() || motions_.size() > kMostShapes) return;
  progress_ = 0;
  std::map<std::pair<std::int64_t, std::int64_t>, PixelRect> above;  // of the part: by row and column
  std::string part;
  for (std::size_t i = 1; i < motions_.size(); ++i) {
    const DrawnShape& shape = now.drawing->shapes[i];
    if (shape.part != part) part = shape.part, above.clear();
    ShapeMotion& motion = motions_[i];
    const bool cell = shape.kind == DrawnShape::Kind::rect && shape.row >= 0 && shape.col >= 0;
    if (shape.digit) {  // drawn after its cell
      motion = motions_[i - 1];
      continue;
    }
    if (shape.grows) {
      motion = {ShapeMotion::Way::moves, {shape.rect.x, shape.rect.bottom(), shape.rect.w, 0}, 0.4f, 1};
      continue;
    }
    const std::string name = cell_name(*now.figure, run, shape);
    const auto place = places_.find({shape.part, name});
    const auto same = cells_.find(name);
    if (!name.empty() && (place != places_.end() || same != cells_.end())) {
      const PixelRect& seen = place != places_.end() ? place->second : same->second;
      motion = {
          ShapeMotion::Way::moves,
          {(seen.x - now.x) / now.unit, (seen.y - now.y) / now.unit, seen.w / now.unit, seen.h / now.unit},
          0,
          0.6f};
    } else if (const auto over = above.find({shape.row - 1, shape.col});
               cell && over != above.end() && shape.row + 1 == rows_of(*now.figure, shape.part)) {
      motion = {ShapeMotion::Way::moves, over->second, 0.4f, 1};
    } else if (cell || !parts_.contains(shape.part)) {
      motion = {ShapeMotion::Way::appears, {}, 0.2f, 0.8f};
    }
    if (cell) above.insert_or_assign({shape.row, shape.col}, shape.rect);
  }
}

bool FigureMotion::step(float seconds) {
  if (moving()) progress_ = std::min(1.f, progress_ + seconds / kSeconds);
  return moving();
}

bool FigureMotion::moves() const {
  return moving() && std::any_of(motions_.begin(), motions_.end(), [](const ShapeMotion& motion) {
           return motion.way == ShapeMotion::Way::moves;
         });
}

DrawnShape FigureMotion::at(std::size_t index, const DrawnShape& shape) const {
  DrawnShape out = shape;
  if (!moving() || index >= motions_.size()) return out;
  const ShapeMotion& motion = motions_[index];
  const float t =
      eased(std::clamp((progress_ - motion.begin) / std::max(1e-3f, motion.end - motion.begin), 0.f, 1.f));
  if (motion.way == ShapeMotion::Way::appears) out.alpha = t;
  if (progress_ < motion.begin) out.alpha = 0;
  if (motion.way != ShapeMotion::Way::moves) return out;
  const PixelRect &from = motion.from, &to = shape.rect;
  PixelRect& r = out.rect;
  r = {between(from.x, to.x, t), between(from.y, to.y, t), between(from.w, to.w, t),
       between(from.h, to.h, t)};
  if (shape.kind != DrawnShape::Kind::text || to.w <= 0 || to.h <= 0) return out;
  const float wide = r.w / to.w, tall = r.h / to.h;
  out.em = shape.em * std::min({1.f, wide, tall});
  out.x = r.x + (shape.x - to.x) * wide;
  out.y = r.y + (shape.y - to.y) * tall;
  return out;
}

}  // namespace attnscope
