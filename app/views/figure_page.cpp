#include "app/views/figure_page.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/computed.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kFigureHalf = 0.5f;  // of the scale of the presenter: one unit of its figures

std::uint64_t page_key(const ViewContext& context, ImVec2 room, std::int64_t row) {
  const Cursor& cursor = context.workspace.cursor;
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  return text_key({context.run.version, number(cursor.sequence), number(cursor.stack), number(cursor.part),
                   number(cursor.layer), number(cursor.head), number(cursor.query),
                   std::bit_cast<std::uint32_t>(room.x), std::bit_cast<std::uint32_t>(room.y), number(row),
                   key_of(context.workspace.circuit_words), number(context.workspace.circuit_distance)});
}

// Letters as large as elsewhere in the window; a projector's at least as large as core/figure asks for.
float unit_of(const ViewContext& context) {
  return context.workspace.presenting ? std::max(1.f, ui_scale() * kFigureHalf) : ui_scale();
}

const figure::PartBox* find_box(const figure::PartBox& box, std::string_view part) {
  if (box.part && box.part->id == part) return &box;
  for (const figure::PartBox& inside : box.inside)
    if (const figure::PartBox* found = find_box(inside, part)) return found;
  return nullptr;
}

void leave_out(figure::PartBox& box, std::string_view part) {
  std::erase_if(box.inside,
                [&](const figure::PartBox& inside) { return inside.part && inside.part->id == part; });
  for (figure::PartBox& inside : box.inside) leave_out(inside, part);
}

Result<figure::Figure> figure_of(ViewSpec view, const ViewState& state, FigureArea::Shown shown,
                                 const char* part) {
  if (shown == FigureArea::Shown::whole) return draw_view(view, state);
  view.answers = false;
  TRY(figure::Figure all, draw_view(view, state, false));
  if (shown == FigureArea::Shown::picture) {
    leave_out(all.body, part);
    return all;
  }
  const figure::PartBox* box = find_box(all.body, part);
  if (!box) return Error{};
  return figure::Figure{all.title, *box};
}

}  // namespace

ViewState view_state_of(const ViewContext& context) {
  const Cursor& cursor = context.workspace.cursor;
  ViewState out = first_state(*context.run.document.opened, context.run.shared(cursor.sequence));
  look_at_cursor(out, cursor);
  out.words = context.workspace.circuit_words, out.distance = context.workspace.circuit_distance;
  out.temperature = static_cast<double>(context.session.document().sampling.temperature);
  return out;
}

void FigureArea::make(const ViewContext& context, ImVec2 room, float unit, std::int64_t row) {
  ViewState state = view_state_of(context);
  if (row >= 0) state.row = std::min(row, state.run->rows(state.place.stack) - 1);
  auto made = figure_of(**find_view(view_), state, shown_, part_);
  const bool presented = context.workspace.presenting;
  failed_.reset();
  if (!made)
    failed_ = made.error();
  else if (!(unit > 0 ? box_.show_at(*std::move(made), key_, room, presented, unit)
                      : box_.show(*std::move(made), key_, room, presented)))
    failed_ = fail(Code::out_of_range, "circuits_view.no_room");
  if (failed_) box_.clear();
}

float FigureArea::follow(const ViewContext& context, ImVec2 most, std::int64_t row) {
  if (most.x < 1 || most.y < 1) return 0;
  const std::uint64_t key = page_key(context, most, row);
  if (failed_ && key_ == key) return 0;
  if (key_ != key || box_.stale(key, room_, context.workspace.presenting)) {
    key_ = key;
    make(context, most, unit_of(context), row);
    room_ = ImVec2(most.x, std::min(most.y, std::ceil(box_.empty() ? 0.f : box_.natural_height())));
    if (!failed_) make(context, room_, unit_of(context), row);
  }
  return box_.empty() ? 0.f : room_.y;
}

void FigureArea::draw(const ViewContext& context, ImVec2 at, ImVec2 room, std::int64_t row) {
  if (shown_ == Shown::part) {
    if (follow(context, room, row) > 0) box_.draw(at);
    return;
  }
  const std::uint64_t key = page_key(context, room, row);
  if (box_.stale(key, room, context.workspace.presenting) && (!failed_ || key_ != key)) {
    key_ = key;
    make(context, room, shown_ == Shown::whole ? 0 : unit_of(context), row);
  }
  if (!failed_) return box_.draw(at);
  ImGui::SetCursorScreenPos(at);
  caption(failed_->text());
}

}  // namespace attnscope
