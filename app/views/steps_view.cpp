// The steps view: one step of the computation at a time as a figure with the numbers of
// this run. State: the figure, the hovered cell, zoom windows, the text field and the
// animation.
#include "app/views/steps_view.h"

#include <algorithm>
#include <bit>

#include "app/figure/hint.h"
#include "app/look/fonts.h"
#include "app/look/imgui_compat.h"
#include "app/look/kept_text.h"
#include "app/look/theme.h"
#include "app/views/steps_extra.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kStepsWords = 262.f;  // units: height of all text above and below a figure if there is room;
constexpr float kTwoLines = 128.f, kOneLine = 80.f;  // and of shortened text
constexpr float kPresentedWords = 110.f;             // above and below a presented figure
constexpr float kMostForRow = 0.36f, kMostPresented = 0.5f,
                kMostOfOne = 0.3f;                          // share of the figure's room for the row
constexpr float kStepRowGap = 8.f, kLeastRowWidth = 560.f;  // units below it; half a window scrolls instead
constexpr float kLeastRoom = 300.f;                         // lower stages show only the title
// Width of a drawing beside a figure; of a dial above the legend, and its minimum height; units.
constexpr float kBeside = 210.f, kOverLegend = 32.f, kDialHeight = 110.f;

}  // namespace

void StepsView::draw(const ViewContext& context) {
  if (context.workspace.backward) return back_.draw(context);
  Cursor& cursor = context.workspace.cursor;
  const int step = current_step(context.workspace, context.run);
  if (!context.run.trace(cursor.sequence).find(cursor.step)) {
    go_to_step(context.workspace, context.run, step);
    if (!context.run.trace(cursor.sequence).find(cursor.step))
      return ImGui::TextUnformatted(tr("steps.missing"));
  }
  prepare(context);
  follow_row(context);
  if (context.workspace.presenting) return draw_presented(context, step);
  const float unit = ui_scale(), line = text_size(fonts().mono, "X").y;
  const StepWords words = words_for(context);
  const bool crowded = words != StepWords::all;
  say(context, step);
  draw_step_words(text_, words);
  draw_step_chips(context, figure_, step, whole_vocabulary_, words != StepWords::title);
  draw_notes(context);
  const int lines = crowded ? 1 : 2;  // for the sum below
  const float below =
      static_cast<float>(lines) * line + (crowded ? 20 * unit : ImGui::GetFrameHeight() + 26 * unit);
  const ImVec2 room = draw_figure_above(context, below);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  {
    const DrawGroupScope group(hints_ ? kHintGroup : "sum");
    ImFont* const font = crowded ? fonts().small : fonts().body;
    draw_pieces(line_, ImVec2(at.x, at.y + 3 * unit), room.x, hints_ ? font : fonts().mono, lines);
  }
  ImGui::Dummy(ImVec2(room.x, static_cast<float>(lines) * line + 8 * unit));
  if (!crowded) draw_neighbours(context, step, room.x);
}

// Its texts, without what a lesson asks for.
void StepsView::say(const ViewContext& context, int step) {
  const Workspace& hides = context.workspace;
  const std::uint64_t key = text_key({key_, hides.hides_shapes, hides.hides_code, hides.hides_doing});
  if (said_ != key) said_ = key, text_ = step_text(context, figure_, step);
}

// The row that is looked at, below matrices without digits that are as large. Lessons have no room for it.
void StepsView::follow_row(const ViewContext& context) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float words = (context.workspace.presenting ? kPresentedWords : kTwoLines) * ui_scale();
  row_height_ = 0;
  plot_.keep_whole(false);
  const bool narrow = !context.workspace.presenting && room.x < kLeastRowWidth * ui_scale();
  if (context.workspace.told || context.workspace.hides_doing || room.y < kLeastRoom * ui_scale() || narrow)
    return;
  const ImVec2 most = figure_room(context, ImVec2(room.x, room.y - words));
  if (large_.get(
          {figure_.id, context.run.version, std::bit_cast<std::uint32_t>(most.x),
           std::bit_cast<std::uint32_t>(most.y), differs(context), std::bit_cast<std::uint32_t>(ui_scale())},
          [&] { return plot_.has_large_cells(context, figure_, most, differs(context)); }))
    return;
  const float many = context.workspace.presenting ? kMostPresented : kMostForRow;
  const float share = figure_.rule == Rule::copy ? kMostOfOne : many;
  row_height_ = row_.follow(context, figure_, ImVec2(room.x, (room.y - words) * share), differs(context));
  plot_.keep_whole(row_height_ > 0);
}

float StepsView::row_room() const {
  return row_height_ > 0 ? row_height_ + kStepRowGap * ui_scale() + ImGui::GetStyle().ItemSpacing.y : 0;
}

// As much text as leaves room for the figure's digits; cached by figure and room.
StepWords StepsView::words_for(const ViewContext& context) {
  const ImVec2 left = ImGui::GetContentRegionAvail(), room(left.x, left.y - row_room());
  const float unit = ui_scale();
  const std::uint64_t key = text_key(
      {key_, std::bit_cast<std::uint32_t>(room.x), std::bit_cast<std::uint32_t>(room.y), differs(context)});
  if (key == words_key_) return words_;
  words_key_ = key;
  if (figure_height(figure_) * unit <= room.y - kStepsWords * unit) return words_ = StepWords::all;
  const auto fits = [&](float words, bool scrolled) {
    const ImVec2 rest = figure_room(context, ImVec2(room.x, room.y - words * unit));
    return plot_.shows_numbers(context, figure_, rest, differs(context), scrolled);
  };
  const bool title =
      left.y < kLeastRoom * unit || (row_height_ <= 0 && !fits(kTwoLines, false) && fits(kOneLine, true));
  return words_ = title ? StepWords::title : StepWords::two;
}

// Room for matrices and legend within the figure's room.
ImVec2 StepsView::figure_room(const ViewContext& context, ImVec2 room) {
  return ImVec2(room.x - extra_width(context, room) - margin(), room.y - 8 * ui_scale());
}

// Width of the small drawing beside the matrices. A dial is placed above the legend if otherwise the
// matrices would have no room for numbers.
float StepsView::extra_width(const ViewContext& context, ImVec2 room) {
  if (figure_.extra == Figure::Extra::none) return 0;
  const float unit = ui_scale();
  if (figure_.extra == Figure::Extra::curve && room.x < 2.2f * kBeside * unit) return 0;  // too narrow
  const auto shows = [&](float extra) {
    const ImVec2 rest(room.x - extra * unit - margin(), room.y - 8 * unit);
    return plot_.shows_numbers(context, figure_, rest, differs(context));
  };
  const bool over = over_legend_.get(
      {figure_.id, context.run.version, static_cast<std::uint64_t>(room.x),
       static_cast<std::uint64_t>(room.y)},
      [&] { return figure_.extra == Figure::Extra::dial && !shows(kBeside) && shows(kOverLegend); });
  return (over ? kOverLegend : kBeside) * unit;
}

// Null until they are there, where the vocabulary is large.
std::shared_ptr<const std::vector<std::int64_t>> StepsView::find_likely(const ViewContext& context,
                                                                        std::uint64_t key) {
  const auto& trace = context.run.shared(context.workspace.cursor.sequence);
  return likely_.get(key, !large_vocabulary(*trace), context.workers(),
                     [trace, row = context.workspace.cursor.query] { return most_likely(*trace, row); });
}

void StepsView::prepare(const ViewContext& context) {
  Cursor& cursor = context.workspace.cursor;
  FigureRequest asked{
      cursor.sequence, cursor.head, 0, cursor.step, whole_vocabulary_, {}, context.workspace.presenting};
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  std::uint64_t key = text_key({context.run.version, number(cursor.step.stack), number(cursor.step.layer),
                                number(cursor.step.part), number(cursor.step.slot), number(cursor.sequence),
                                number(cursor.head), whole_vocabulary_, context.workspace.presenting});
  if (is_over_vocabulary(cursor.step.slot)) {
    const std::int64_t rows = predicted_rows(context.run.trace(cursor.sequence));
    cursor.query = std::clamp<std::int64_t>(cursor.query, 0, std::max<std::int64_t>(rows - 1, 0));
    asked.query = cursor.query;
    const std::uint64_t row = text_key({context.run.version, number(cursor.sequence), number(asked.query)});
    const auto likely = find_likely(context, row);
    if (likely) asked.top = *likely;
    key = text_key({key, row, likely != nullptr});
  }
  if (key == key_) return;
  key_ = key;
  if (shown_step_ != cursor.step) {
    shown_step_ = cursor.step;
    auto stood = plot_.standing(figure_);
    plot_ = FigurePlot();
    plot_.come_from(std::move(stood));
    planned_ = 0;
    hovered_ = {};
    editor_.close();
  }
  explained_ = 0;
  figure_ = build_figure(context.run, asked);
}

// ---- drawing ----
// Presenter mode: the figure, and below it the sum of the hovered cell, else the formula.
void StepsView::draw_presented(const ViewContext& context, int step) {
  if (context.workspace.told) return draw_told(context, step);
  const char* const note = context.workspace.show_difference ? difference_note(context) : "";
  draw_notes(context, !draw_presented_words(context, step, note));
  const float unit = ui_scale(), below = text_size(fonts().formula, "X").y + 14 * unit;
  const ImVec2 room = draw_figure_above(context, below);
  const Cursor& cursor = context.workspace.cursor;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float hint = text_size(fonts().small, tr("present.hint")).x + 34 * unit;  // hint's width, beside it
  const auto& told = hints_ ? formula_pieces(context.run.trace(cursor.sequence), cursor.step) : line_;
  draw_pieces(told, ImVec2(at.x, at.y + 6 * unit), room.x - hint, fitting_font(told, room.x - hint), 1);
  ImGui::Dummy(ImVec2(room.x, below - 8 * unit));
}

// In lessons: one line above the figure, with its title and formula, or the sum of the hovered
// cell.
void StepsView::draw_told(const ViewContext& context, int step) {
  say(context, step);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy(ImVec2(1, text_size(fonts().mono, "X").y));
  draw_notes(context);
  const ImVec2 room = draw_figure_above(context, 0);
  const float width = room.x - 14 * ui_scale();
  if (hints_) return draw_title_and_formula(text_, at, width, fonts().body_bold, fonts().mono);
  draw_pieces(line_, at, width, fonts().mono, 1);
}

const char* StepsView::difference_note(const ViewContext& context) {
  if (!context.before) return tr("steps.difference.none");
  if (plot_.aligned()) return tr("steps.difference.aligned");
  if (!plot_.differs()) return tr("steps.difference.shape");
  return difference_
      .get({context.run.undo_point, context.session.pinned() != nullptr},
           [&] { return context.difference_words(); })
      .c_str();
}

void StepsView::draw_notes(const ViewContext& context, bool difference) {
  if (difference && context.workspace.show_difference)
    text_line(fonts().body, theme().warning, difference_note(context));
  if (plot_.windowed()) text_line(fonts().body, theme().text_dim, tr("steps.windowed"));
}

// Draws the figure in all the room except `below` pixels; returns the room it had.
ImVec2 StepsView::draw_figure_above(const ViewContext& context, float below) {
  const ImVec2 left = ImGui::GetContentRegionAvail(),
               room(left.x, std::max(left.y - below - row_room(), 90 * ui_scale()));
  ImGuiWindowFlags flags = scrolls_ ? ImGuiWindowFlags_HorizontalScrollbar : ImGuiWindowFlags_NoScrollbar;
  if (!scrolls_ || hovered_.valid()) flags |= ImGuiWindowFlags_NoScrollWithMouse;  // over cells it zooms
  compat::begin_child("steps_figure", room, false, flags);
  {
    const DrawGroupScope group("figure");
    draw_figure(context, room);
  }
  ImGui::EndChild();
  if (row_height_ > 0) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    row_.draw(context, figure_);
    ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + row_height_ + kStepRowGap * ui_scale()));
  }
  return room;
}

void StepsView::draw_figure(const ViewContext& context, ImVec2 room) {
  const float unit = ui_scale();
  const float motion = context.workspace.motion;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  if (figure_.pending) return ImGui::TextUnformatted(tr("steps.pending"));
  const FigureCell pinned = pinned_cell(context), shown = hovered_.valid() ? hovered_ : pinned;
  const Explanation* why = explain_cell(context, shown);
  marks_.resize(figure_.operands.size());
  for (auto& marks : marks_) marks.clear();
  mark_cell(context, shown, why);
  if (pinned.valid())
    marks_[static_cast<std::size_t>(pinned.operand)].push_back(
        {pinned.row, pinned.col, theme().accent, 1, 1, 3});
  mark_document(context);
  spell(context, shown, why);
  const float extra = extra_width(context, room);
  const ImVec2 size = figure_room(context, room);
  const bool centred = context.workspace.presenting && plot_.used().x > 0;
  const float spare = centred ? size.x - plot_.used().x - 106 * unit : 0;  // left beside figure and legend
  const ImVec2 at(corner.x + std::max(0.f, spare / 2), corner.y + 4 * unit);
  const FigureEvent event =
      plot_.draw(context, figure_, marks_, at, size, differs(context), std::min(1.f, motion / kTravelShare));
  if (motion < 1) move(context, motion);
  follow_scrolling(corner, room, size, extra);
  if (extra > 0) {
    const float wide = std::max(size.x, plot_.whole().x),
                beside = std::min(plot_.used().x + 108 * unit, wide + 4 * unit);
    const float above = plot_.legend().y - at.y;
    const bool stacked = extra < kBeside * unit && above > kDialHeight * unit;
    draw_extra(context, shown, ImVec2(stacked ? plot_.legend().x : at.x + beside, at.y + 24 * unit), extra,
               corner.x + (scrolls_ ? plot_.whole().x + extra + 8 * unit : room.x), stacked ? above : room.y);
  }
  hovered_ = event.cell;
  act(context, event, pinned);
}

// The values moving in the current frame of the animation.
void StepsView::move(const ViewContext& context, float motion) {
  if (planned_ != key_) {
    planned_ = key_;
    plan_ = plan_motion(context.run.trace(context.workspace.cursor.sequence), figure_);
  }
  const DrawGroupScope group("motion");
  draw_motion(plan_, figure_, plot_, motion);
}

// A figure larger than its room scrolls, from the next frame on.
void StepsView::follow_scrolling(ImVec2 corner, ImVec2 room, ImVec2 size, float extra) {
  const ImVec2 whole = plot_.whole();
  scrolls_ = whole.x > size.x + 2 || whole.y > size.y + 10 * ui_scale();
  if (!scrolls_) return;
  ImGui::SetCursorScreenPos(corner);
  const bool low = whole.y <= room.y - ImGui::GetStyle().ScrollbarSize;  // leaves room for the scrollbar
  ImGui::Dummy(ImVec2(whole.x + extra + 8 * ui_scale(), whole.y + (low ? 0.f : 8 * ui_scale())));
}

// `right`: x where the figure's room ends.
void StepsView::draw_extra(const ViewContext& context, const FigureCell& shown, ImVec2 at, float width,
                           float right, float room_height) {
  const float unit = ui_scale();
  const int result = figure_.result();
  if (figure_.extra == Figure::Extra::picture)
    return draw_cut_picture(context, figure_.site, shown.operand == result ? shown.row : -1, at,
                            ImVec2(width - 24 * unit, room_height - 40 * unit));
  FigureCell cell = shown;
  if (!cell.valid() || !(figure_.operands[static_cast<std::size_t>(cell.operand)].site == figure_.site))
    cell = {result,
            std::min<std::int64_t>(1, figure_.operands[static_cast<std::size_t>(result)].row.size - 1), 0};
  const Explanation* why = explain_cell(context, cell);
  if (!why) return;
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  if (figure_.extra == Figure::Extra::dial)
    draw_rotation_dial(trace, *why, at, ImVec2(right - at.x, room_height - 36 * unit));
  else
    draw_activation_curve(
        trace, *why, at,
        ImVec2(width - 24 * unit, std::clamp(room_height - 70 * unit, 40 * unit, 150 * unit)));
}

std::unique_ptr<View> make_steps_view() { return std::make_unique<StepsView>(); }

}  // namespace attnscope
