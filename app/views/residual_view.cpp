// The residual view: logit lens as a grid of parts x positions, the token list of the clicked cell, and the
// norms of all additions. Lens cells appear as they are computed.
#include "app/views/residual_view.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/look/kept_text.h"
#include "app/look/shade.h"
#include "app/views/residual_window.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kReadableWidth = 44.f, kReadableHeight = 17.f;  // units: minimum cell for a token
constexpr float kWidestWanted = 104.f, kWidestCell = 220.f, kTallestCell = 150.f, kNarrowSide = 460.f;

}  // namespace

const ModelConfig& ResidualView::config(const ViewContext& context) {
  return context.run.trace(context.workspace.cursor.sequence).config();
}

std::string ResidualView::main_name(const ViewContext& context, std::int64_t pos) {
  return row_name(context.run, context.workspace.cursor.sequence, config(context).stack, pos);
}

bool ResidualView::pads(const ViewContext& context, std::int64_t pos) {
  return !context.run.trace(context.workspace.cursor.sequence).is_real(config(context).stack, pos);
}

// The chosen token, else the prediction at this position; -1 without a lens.
int ResidualView::asked_token(const ViewContext& context) {
  if (asked_ >= 0) return asked_;
  const Cursor& cursor = context.workspace.cursor;
  const Trace& trace = context.run.trace(cursor.sequence);
  const std::int64_t pos = main_row(cursor, trace);
  const std::uint64_t key = key_of(
      {context.run.version, static_cast<std::uint64_t>(cursor.sequence), static_cast<std::uint64_t>(pos)});
  if (key == answer_key_) return answer_;
  answer_key_ = key;
  const std::vector<LensRow> rows = lens_rows(trace);
  answer_ = rows.empty() ? -1 : lens_top(trace, rows.back(), pos, 1).front().token;
  return answer_;
}

void ResidualView::follow(const ViewContext& context) {
  const Cursor& cursor = context.workspace.cursor;
  const std::uint64_t model = context.run.opened_version;
  if (asked_of_ != model) asked_of_ = model, asked_ = -1;
  const bool asks = colour_ == LensColour::asked || colour_ == LensColour::rank;
  const int asked = asks ? asked_token(context) : -1;
  now_.follow(model, context.run, cursor.sequence, context.workers(), asked);
  int asked_before = asked;  // the token with the same text in A's vocabulary
  if (asked >= 0 && context.before) {
    const Trace &trace = context.run.trace(cursor.sequence), &older = context.before->trace(cursor.sequence);
    const Alignment outputs = align_outputs(trace, older, {asked, asked + 1});
    asked_before = outputs.matches(asked) ? static_cast<int>(outputs.to_b.back()) : -1;
  }
  const bool comparable = context.workspace.show_difference && context.before && !now_.rows().empty() &&
                          (asked < 0 || asked_before >= 0) &&
                          lens_rows(context.before->trace(cursor.sequence)).size() == now_.rows().size();
  if (comparable) before_.follow(model, *context.before, cursor.sequence, context.workers(), asked_before);
  difference_ = comparable;
  const std::uint64_t key =
      key_of({now_.version(), comparable ? before_.version() : 0, static_cast<std::uint64_t>(colour_.value)});
  if (key != values_key_ && !now_.rows().empty()) {
    values_key_ = key;
    values_ = now_.values(colour_);
    if (comparable)
      values_ = lens_difference(
          values_, before_.values(colour_),
          align_rows(context.run.trace(cursor.sequence), context.before->trace(cursor.sequence),
                     context.run.trace(cursor.sequence).config().stack));
    values_ = without_padding(context.run.trace(cursor.sequence), std::move(values_));
    style_ = lens_style(values_, colour_, difference_);
  }
  if (row_ < 0 || row_ >= row_count()) row_ = row_count() - 1;
  if (!(cursor.step == seen_step_)) {
    seen_step_ = cursor.step;
    for (std::int64_t row = 0; row < row_count(); ++row)
      if (now_.rows()[static_cast<std::size_t>(row)].site == cursor.step) row_ = row;
  }
  pos_ = main_row(cursor, context.run.trace(cursor.sequence));
}

// If not all cells fit with whole tokens, shows the newest positions and the rows next to the output; the
// rest by panning.
void ResidualView::reset_window(const ViewContext& context, ImVec2 room) {
  const std::array of{row_count(), now_.positions(), std::lround(room.x / scaled(kReadableWidth))};
  if (std::exchange(window_of_, of) == of) return;
  float widest = scaled(kReadableWidth);  // widths of the input's tokens as an estimate
  for (std::int64_t pos = std::max<std::int64_t>(0, of[1] - 64); pos < of[1]; ++pos)
    widest = std::max(widest, text_size(fonts().mono_small, main_name(context, pos)).x + scaled(8));
  widest = std::min(widest, scaled(kWidestWanted));
  window_ = first_window(of[0], of[1], pos_, room.y / scaled(kReadableHeight), room.x / widest);
}

void ResidualView::draw_tokens(const ViewContext& context, const MatrixPlot& plot, const MatrixLayout& layout,
                               ImVec2 at) {
  const bool large = layout.cell.y >= scaled(28) && layout.cell.x >= scaled(60);
  ImFont* font = large && layout.cell.x >= scaled(110) && layout.cell.y >= scaled(40) ? fonts().title
                 : large                                                              ? fonts().mono
                                                                                      : fonts().mono_small;
  const float line = text_size(font, "X").y, pad = scaled(3);
  if (layout.cell.y < line || layout.cell.x < text_size(font, "ab").x + 2 * pad) return;
  ImFont* digits = fonts().mono_small;
  const float below = text_size(digits, "0").y;
  const bool numbers =
      layout.cell.y >= line + below + scaled(6) && layout.cell.x >= text_size(digits, "0.000").x;
  const Canvas canvas;
  const OpenedModel& opened = *context.run.document.opened;
  const ImVec2 p0(at.x + layout.cells0.x, at.y + layout.cells0.y),
      p1(at.x + layout.cells1.x, at.y + layout.cells1.y);
  canvas.push_clip(p0, p1);
  const auto row_end = std::min(row_count(), static_cast<std::int64_t>(std::ceil(layout.seen.row1)));
  const auto col_end = std::min(now_.positions(), static_cast<std::int64_t>(std::ceil(layout.seen.col1)));
  for (auto row = static_cast<std::int64_t>(layout.seen.row0); row < row_end; ++row) {
    for (auto col = static_cast<std::int64_t>(layout.seen.col0); col < col_end; ++col) {
      const LensCell& cell = now_.cell(lens_index(row), col);
      if (cell.token < 0 || is_masked(plot.values.at(row, col))) continue;
      const std::string label = output_name(opened, cell.token);
      note_text(label);
      ImFont* own = text_size(font, label).x > layout.cell.x - 2 * pad ? fonts().mono_small : font;
      const FittedText text = fitted_text(own, label, layout.cell.x - 2 * pad);
      const ImVec2 size(text.width, text_size(own, text.text).y),
          corner = layout.corner(static_cast<double>(row), static_cast<double>(col));
      const ImU32 ink = ink_on(heat_colour(plot.values.at(row, col), plot.style));
      const float high = size.y + (numbers ? below : 0), top = at.y + corner.y + (layout.cell.y - high) / 2;
      canvas.text(own, ImVec2(at.x + corner.x + (layout.cell.x - size.x) / 2, top), ink, text.text,
                  text.size);
      if (!numbers) continue;
      const std::string number = cell_number(plot.values.at(row, col));
      draw_text(canvas, digits,
                ImVec2(at.x + corner.x + (layout.cell.x - text_size(digits, number).x) / 2, top + size.y),
                ink, number);
    }
  }
  canvas.pop_clip();
}

void ResidualView::explain(const ViewContext& context, std::int64_t row, std::int64_t pos) const {
  const LensRow& lens = now_.rows()[static_cast<std::size_t>(row)];
  const LensCell& cell = now_.cell(row, pos);
  if (pads(context, pos)) return ImGui::SetTooltip("%s", tr("place.padding"));
  if (cell.token < 0) return ImGui::SetTooltip("%s", tr("residual.pending"));
  const std::string text =
      tr("residual.cell.help",
         {output_name(*context.run.document.opened, cell.token), number_text(cell.probability, 4),
          lens_label(config(context), lens), std::to_string(pos), main_name(context, pos),
          number_text(cell.entropy, 3), number_text(cell.kl_to_final, 3), to_text(lens.site)});
  ImGui::SetTooltip("%s", text.c_str());
}

void ResidualView::mark_edits(const ViewContext& context, MatrixPlot& plot) const {
  for (std::int64_t row = 0; row < row_count(); ++row) {
    const Site site = now_.rows()[static_cast<std::size_t>(row)].site;
    for (const NumberEdit* edit :
         edits_of(context.run.document.edits, context.workspace.cursor.sequence, target_of({site, {}}))) {
      const AxisRange* range = range_on(edit->where, Axis::pos);
      plot.marks.push_back(edit_mark(lens_index(row), range ? range->begin : 0, 1,
                                     range ? range->end - range->begin : now_.positions()));
    }
  }
}

void ResidualView::draw_grid(const ViewContext& context, ImVec2 at, ImVec2 room) {
  Workspace& workspace = context.workspace;
  MatrixPlot plot;
  plot.key = "residual_lens";
  plot.values = values_;
  plot.style = style_;
  plot.show_numbers = false;
  plot.window = &window_;
  plot.selected_row = lens_index(row_);
  plot.selected_col = pos_;
  plot.rows.label_of = [&](std::int64_t row) {
    return lens_label(
        config(context),
        now_.rows()[static_cast<std::size_t>(std::clamp<std::int64_t>(lens_index(row), 0, row_count() - 1))]);
  };
  mark_edits(context, plot);
  plot.row_label_width = text_size(fonts().mono_small, "00 cross").x + scaled(12);
  const float width = room.x - plot.row_label_width - scaled(4);
  reset_window(context, ImVec2(width, room.y - scaled(24)));
  room.y -= more_height(window_);
  const bool all = window_.all();
  const double cols = all ? static_cast<double>(now_.positions()) : window_.col1 - window_.col0;
  const double rows = all ? static_cast<double>(row_count()) : window_.row1 - window_.row0;
  plot.cell.x = std::min(width / static_cast<float>(cols), scaled(kWidestCell));
  plot.cell.y = scaled(kReadableHeight);
  const auto name = [&](std::int64_t pos) {
    std::string label = main_name(context, pos);
    note_text(label);
    if (plot.cell.x < scaled(36)) return label;
    return std::string(middle_truncated(fonts().mono_small, label, plot.cell.x - scaled(6)));
  };
  plot.cols.label_of = std::ref(name);
  const float top = matrix_layout(plot, room).cells0.y;
  plot.cell.y = std::clamp((room.y - top - scaled(3)) / static_cast<float>(rows), 1.f, scaled(kTallestCell));
  const MatrixWindow before = window_;
  const MatrixEvent event = draw_matrix(context.painter, plot, at, room);
  const MatrixLayout layout = matrix_layout(plot, room);
  for (std::size_t row = 0; row < now_.rows().size(); ++row)
    tint_cells(layout, at, lens_index(static_cast<std::int64_t>(row)), shaded_rows(now_.rows()[row].site));
  now_.want(
      {static_cast<std::int64_t>(layout.seen.col0), static_cast<std::int64_t>(std::ceil(layout.seen.col1))});
  draw_tokens(context, plot, layout, at);
  if (!ImGui::IsMouseDown(0)) window_ = whole_cells(before, window_, row_count(), now_.positions());
  offer_more(window_, row_count(), now_.positions(), event.p0, event.p1);
  if (now_.older()) return veil(event.p0, event.p1);
  if (!event.hovered()) return;
  explain(context, lens_index(event.row), event.col);
  const Site& part = now_.rows()[static_cast<std::size_t>(lens_index(event.row))].site;
  offer_edit(context.workspace, {Cell{part, {{"pos", event.col}}}, {}, {}});
  const int token = now_.cell(lens_index(event.row), event.col).token;
  if (token >= 0 && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) workspace.measure_at = token;
  if (!event.clicked) return;
  row_ = lens_index(event.row), pos_ = workspace.cursor.query = event.col;
  go_to_site(workspace, context.run, now_.rows()[static_cast<std::size_t>(row_)].site);
  seen_step_ = workspace.cursor.step;
}

void ResidualView::draw(const ViewContext& context) {
  const StyleScope tips(ImGuiStyleVar_WindowPadding, ImVec2(scaled(10), scaled(8)));
  follow(context);
  const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const bool lens = !now_.rows().empty(), beside = lens && room.x >= scaled(kNarrowSide);
  const float side = beside ? scaled(room.x > scaled(780) ? 216.f : 176.f) : 0.f;
  const float wide = room.x - scaled(14), left = wide - side - (beside ? scaled(18) : 0);
  view_heading(tr(lens ? "residual.title" : "residual.title.no_head"),
               tr(lens                     ? "residual.sentence"
                  : context.run.recorded() ? "residual.sentence.recorded"
                                           : "residual.sentence.no_head"),
               left);
  const float begin = ImGui::GetCursorScreenPos().y + scaled(4), bottom = origin.y + room.y;
  const float parts = lens ? std::clamp(room.y * (beside ? 0.33f : 0.45f), scaled(132), scaled(300))
                           : room.y - (begin - origin.y);
  if (lens)
    draw_grid(context, ImVec2(origin.x, begin),
              ImVec2(left, std::max(scaled(60), bottom - parts - scaled(14) - begin)));
  if (beside) {
    ImGui::SetCursorScreenPos(ImVec2(origin.x + left + scaled(18), origin.y + scaled(2)));
    const ChildScope child("residual_side", ImVec2(side + scaled(10), room.y - scaled(2)));
    draw_side(context, side);
  }
  draw_parts(context, ImVec2(origin.x, bottom - parts), ImVec2(left, parts));
  if (!lens || beside) return;
  ImGui::SetCursorScreenPos(ImVec2(origin.x, bottom + scaled(14)));  // below the grid: scrolls
  draw_side(context, left);
}

std::unique_ptr<View> make_residual_view();
std::unique_ptr<View> make_residual_view() { return std::make_unique<ResidualView>(); }

}  // namespace attnscope
