// Texts are in assets/strings/*/ask_view.json.
#include "app/views/ask_grid.h"

#include <algorithm>
#include <cmath>

#include "app/views/ask_links.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/measure_field.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/trace/editable.h"
#include "core/view/ask_tables.h"

namespace attnscope {
namespace {

constexpr float kAskGridMostWidth = 132.f, kAskGridMostHeight = 84.f, kReadable = 17.f;  // units
constexpr float kHatchFrom = 14.f;

std::string part_name(Slot slot, bool cross) {
  return tr(step_of(slot).hue == Hue::mlp ? "ask.col.mlp" : cross ? "ask.col.cross" : "ask.col.attn");
}

// Token at row `row` of the run that the sweep edits.
std::string token_name(const OpenedModel& opened, const SweepAnswer& answer, const Site& site,
                       std::int64_t row) {
  const Trace& trace = *answer.sweep->run();
  const Stack stack = rows_stack(site, Axis::pos);
  if (answer.over_data()) return std::to_string(row);  // each prompt has its own token there
  if (!trace.is_real(stack, row)) return tr("place.padding");
  return row_label(opened, trace, stack, row);
}

// Token of the row in the edited run, and the one in the other run if it differs.
std::string both_names(const OpenedModel& opened, const SweepAnswer& answer, const Site& site,
                       std::int64_t row) {
  const std::string own = token_name(opened, answer, site, row);
  if (!answer.request.other) return own;
  const Stack stack = rows_stack(site, Axis::pos);
  const Input& other = *answer.request.other;
  const std::vector<int>&here = answer.sweep->run()->ids_of(stack),
        &there = !answer.request.into_other ? (stack == Stack::enc ? other.source : other.ids)
                                            : answer.request.run->ids_of(stack);
  const std::vector<std::int64_t> partners = align(here, there).to_b;
  const auto at = static_cast<std::size_t>(row);
  const std::int64_t partner = at < partners.size() ? partners[at] : -1;
  if (partner < 0 || there[static_cast<std::size_t>(partner)] == here[at]) return own;
  return tr("ask.both", {token_label(opened, there[static_cast<std::size_t>(partner)]), own});
}

}  // namespace

std::string sweep_row_label(const ModelConfig& config, const Site& site, std::int64_t head) {
  if (head >= 0) return tr("ask.row.head", {sweep_row_label(config, site), std::to_string(head)});
  return block_words(config, site);
}

std::string place_words(const OpenedModel& opened, const SweepAnswer& answer, const SweepCell& cell) {
  const ModelConfig& config = answer.sweep->run()->config();
  if (cell.to) return tr("ask.link.place", {sender_words(opened, answer, cell), receiver_words(*cell.to)});
  std::string row = sweep_row_label(config, cell.site);
  if (sweep_row_head(cell) >= 0) row = tr("ask.place.head", {row, std::to_string(sweep_row_head(cell))});
  if (cell.at.empty())
    return tr("ask.place.part", {row, part_name(cell.site.slot, cell.site.part == Part::cross)});
  const AxisRange& at = cell.at.back();
  if (!is_row_axis(at.axis))
    return tr(at.axis == "head"       ? "ask.place.head"
              : at.end - at.begin > 1 ? "ask.place.neurons"
                                      : "ask.place.neuron",
              {row, to_text(at)});
  if (answer.over_data()) return tr("ask.place.pos_alone", {row, to_text(at)});
  return tr("ask.place.pos",
            {row, std::to_string(at.begin), both_names(opened, answer, cell.site, at.begin)});
}

void AskGrid::follow(const SweepAnswer& answer, CellsShown show) {
  if (sweep_ != answer.sweep || cells_ != answer.cells().size()) {
    sweep_ = answer.sweep;
    cells_ = answer.cells().size();
    grid_ = SweepGrid::of(answer.cells());
    window_ = {};
    seen_ = 0;
  }
  if (seen_ == answer.change && show_ == show) return;
  seen_ = answer.change;
  show_ = show;
  values_ = grid_.values(answer, show);
  style_ = {};
  style_.map = show.spread ? Colormap::sequential : Colormap::diverging;
  set_range(style_, signed_range(values_));
  if (show.spread) style_.lo = 0;
}

void AskGrid::set_path_axes(const OpenedModel& opened, const SweepAnswer& answer, MatrixPlot& plot) const {
  for (const std::size_t sender : grid_.senders)
    plot.rows.labels.push_back(sender_words(opened, answer, answer.cells()[sender]));
  for (const std::size_t receiver : grid_.receivers)
    plot.cols.labels.push_back(receiver_words(*answer.cells()[receiver].to));
  plot.rows.title = tr("ask.link.writes");
  plot.cols.title = tr("ask.link.reads");
  for (const auto* labels : {&plot.rows.labels, &plot.cols.labels})
    for (const std::string& label : *labels) note_text(label);
}

void AskGrid::set_axes(const ViewContext& context, const SweepAnswer& answer, MatrixPlot& plot) const {
  const OpenedModel& opened = *context.run.document.opened;
  if (grid_.paths()) return set_path_axes(opened, answer, plot);
  for (std::size_t row = 0; row < grid_.rows.size(); ++row)
    plot.rows.labels.push_back(
        sweep_row_label(answer.sweep->run()->config(), grid_.rows[row], grid_.heads[row]));
  const bool tokens = is_row_axis(grid_.over);
  plot.cols.title = tr(tokens                 ? "ask.axis.pos"
                       : grid_.over.empty()   ? "ask.axis.part"
                       : grid_.over == "head" ? "ask.axis.head"
                       : grid_.group > 1      ? "ask.axis.neurons"
                                              : "ask.axis.neuron");
  for (std::int64_t col = 0; col < grid_.cols; ++col) {
    plot.cols.labels.push_back(tokens                ? both_names(opened, answer, grid_.rows.front(), col)
                               : grid_.parts.empty() ? std::to_string(col * grid_.group)
                                                     : part_name(grid_.parts[static_cast<std::size_t>(col)],
                                                                 grid_.cross[static_cast<std::size_t>(col)]));
    note_text(plot.cols.labels.back());
  }
}

void AskGrid::mark_edits(const ViewContext& context, const SweepAnswer& answer, MatrixPlot& plot) const {
  const Document& document = context.session.document();
  const auto clicked = chosen(answer);
  if (document.edits.empty() && !clicked) return;
  for (std::int64_t row = 0; row < std::ssize(grid_.rows); ++row)
    for (std::int64_t col = 0; col < grid_.cols; ++col) {
      if (grid_.at(row, col) < 0) continue;
      const auto cell = static_cast<std::size_t>(grid_.at(row, col));
      if (clicked == cell) plot.marks.push_back({row, col, theme().accent, 1, 1, metric::kOutline + 0.5f});
      if (chooses(answer)) {
        if (!answer.over_data() && context.workspace.asking.is_put(document, answer, cell))
          plot.marks.push_back(edit_mark(row, col, 1, 1));
        continue;
      }
      const SweepCell& at = answer.cells()[cell];
      const int sequence = context.workspace.cursor.sequence;
      if (context.workspace.asking.is_put(document, answer, cell))
        plot.marks.push_back({row, col, theme().accent, 1, 1, metric::kOutline + 0.5f});
      else if (!edits_of(document.edits, sequence, at.place()).empty())
        plot.marks.push_back(edit_mark(row, col, 1, 1));
    }
}

namespace {

void hatch(const Canvas& canvas, ImVec2 p0, ImVec2 p1) {
  canvas.fill_rect(p0, p1, with_alpha(theme().ground, 0.38f));
  const float wide = p1.x - p0.x, high = p1.y - p0.y;
  if (std::min(wide, high) < scaled(kHatchFrom)) return;
  canvas.push_clip(p0, p1);
  for (float x = scaled(5); x < wide + high; x += scaled(9))
    canvas.line(ImVec2(p0.x + x, p0.y), ImVec2(p0.x + x - high, p1.y), with_alpha(theme().ground, 0.5f),
                scaled(1.2f));
  canvas.pop_clip();
}

}  // namespace

void draw_estimate_swatch(ImVec2 p0, ImVec2 p1) {
  const Canvas canvas;
  canvas.fill_rect(p0, p1, theme().positive, scaled(2));
  hatch(canvas, p0, p1);
}

void AskGrid::draw_estimates(const SweepAnswer& answer, const MatrixPlot& plot, ImVec2 at,
                             ImVec2 size) const {
  const MatrixLayout layout = matrix_layout(plot, size);
  const Canvas canvas;
  const ImVec2 p0(at.x + layout.cells0.x, at.y + layout.cells0.y),
      p1(at.x + layout.cells1.x, at.y + layout.cells1.y);
  canvas.push_clip(p0, p1);
  for (std::int64_t row = 0; row < std::ssize(grid_.rows); ++row)
    for (std::int64_t col = 0; col < grid_.cols; ++col) {
      const std::int64_t cell = grid_.at(row, col);
      if (cell < 0 || show_.spread || answer.exact[static_cast<std::size_t>(cell)]) continue;
      if (std::isnan(answer.estimates[static_cast<std::size_t>(cell)])) continue;
      const ImVec2 low = layout.corner(static_cast<double>(row), static_cast<double>(col)),
                   high = layout.corner(static_cast<double>(row + 1), static_cast<double>(col + 1));
      hatch(canvas, ImVec2(at.x + low.x, at.y + low.y), ImVec2(at.x + high.x, at.y + high.y));
    }
  canvas.pop_clip();
}

namespace {

// Mean, standard error and deviation of a cell over the prompts.
std::string data_cell_words(const SweepAnswer& answer, std::size_t cell) {
  const std::string estimate = tr(
      "ask.data.cell.estimate",
      {signed_number(answer.estimates[cell], 4), signed_number(answer.estimates[cell] - answer.base(), 4)});
  if (!answer.data) return tr("ask.data.cell.waiting") + std::string("\n") + estimate;
  const DataCell& of = answer.data->cells()[cell];
  std::string text = tr(
      "ask.data.cell.value",
      {signed_number(of.value.mean(), 4), signed_number(of.change.mean(), 4), std::to_string(of.value.n())});
  if (of.value.n() > 1)
    text += "\n" + tr("ask.data.cell.error",
                      {format("%.4f", of.change.standard_error()), format("%.4f", of.change.deviation())});
  if (answer.can_normalise())
    text += "\n" + tr("ask.cell.normalised", {signed_number(answer.normalised(cell), 4)});
  if (!std::isnan(answer.estimates[cell])) text += "\n" + estimate;
  return text + "\n" + tr("ask.data.cell.click");
}

}  // namespace

void AskGrid::explain(const ViewContext& context, const SweepAnswer& answer, std::size_t cell) {
  const OpenedModel& opened = *context.run.document.opened;
  const SweepCell& at = answer.cells()[cell];
  const double value = answer.values[cell], estimate = answer.estimates[cell];
  std::string text = place_words(opened, answer, at) + "\n" + cell_text(at);
  if (answer.over_data()) {
    text += "\n" + data_cell_words(answer, cell);
    note_text(text);
    ImGui::SetTooltip("%s", text.c_str());
    return;
  }
  text +=
      "\n" + (!answer.exact[cell]
                  ? std::string(tr("ask.cell.waiting"))
                  : tr("ask.cell.exact", {signed_number(value, 4), signed_number(value - answer.base(), 4)}));
  if (answer.exact[cell] && answer.can_normalise())
    text += "\n" + tr("ask.cell.normalised", {signed_number(answer.normalised(cell), 4)});
  if (!std::isnan(estimate))
    text += "\n" +
            tr("ask.cell.estimate", {signed_number(estimate, 4), signed_number(estimate - answer.base(), 4)});
  const Asking& asking = context.workspace.asking;
  if (at.to) text += std::string("\n") + tr("ask.link.cell.click");
  if (asking.is_fresh(answer) && !at.to)
    text +=
        std::string("\n") + tr(asking.is_put(context.session.document(), answer, cell) ? "ask.cell.back"
                               : answer.request.other && asking.settings.into_other ? "ask.cell.click.other"
                                                                                    : "ask.cell.click");
  note_text(text);
  ImGui::SetTooltip("%s", text.c_str());
}

void AskGrid::toggle(const ViewContext& context, const SweepAnswer& answer, std::size_t cell) {
  Asking& asking = context.workspace.asking;
  if (!asking.is_fresh(answer)) return;
  const std::string place = place_words(*context.run.document.opened, answer, answer.cells()[cell]);
  const bool back = asking.is_put(context.session.document(), answer, cell);
  const char* sentence = back ? "ask.did.back" : answer.request.other ? "ask.did.patch" : "ask.did.knock_out";
  const auto kept = asking.answer();
  if (!back && asking.edits_need_run(answer, cell))
    return context.commands.act(
        [&asking, kept, cell](Session& session) { asking.begin_edits(session.workers(), kept, cell); });
  context.commands.edit(Text::of(sentence, {place}), {}, [&asking, kept, cell](Document& document) {
    return asking.toggle(document, *kept, cell);
  });
}

void AskGrid::follow_edits(const ViewContext& context) {
  Asking& asking = context.workspace.asking;
  const auto made = asking.take_edits();
  if (!made) return;
  if (!*made) return context.commands.act([why = made->error()](Session& session) { session.report(why); });
  const auto answer = asking.answer();
  if (answer && !asking.over_data() && !asking.edits_need_run(*answer, **made))
    toggle(context, *answer, **made);
}

namespace {

float row_labels_width(const MatrixPlot& plot) {
  float label = 0;
  for (const std::string& row : plot.rows.labels)
    label = std::max(label, text_size(fonts().mono_small, row).x);
  return label + scaled(12);
}

}  // namespace

// With the names of rows and columns.
MatrixPlot& AskGrid::plot_for(const ViewContext& context, const SweepAnswer& answer) {
  return plot_.get({reinterpret_cast<std::uintptr_t>(sweep_.get()), cells_}, [&] {
    MatrixPlot made;
    made.key = "ask_sweep";
    made.masked_numbers = false;
    made.digits = 2;
    made.double_click_resets = false;
    set_axes(context, answer, made);
    return made;
  });
}

ImVec2 AskGrid::readable(const ViewContext& context, const SweepAnswer& answer) {
  follow(answer, show_);
  const float cell = text_size(fonts().mono_small, "−00.00").x + scaled(4);
  return ImVec2(
      row_labels_width(plot_for(context, answer)) + cell * static_cast<float>(grid_.cols) + scaled(6),
      scaled(kReadable + 4) * static_cast<float>(grid_.rows.size()) + scaled(84));
}

float AskGrid::draw(const ViewContext& context, const SweepAnswer& answer, ImVec2 at, ImVec2 size) {
  const AskSettings& settings = context.workspace.asking.settings;
  const bool spread = answer.over_data() && settings.over == AskOver::spread;
  follow(answer, {settings.change, spread, !spread && settings.normalised && answer.can_normalise()});
  if (grid_.rows.empty()) return at.y;
  MatrixPlot& plot = plot_for(context, answer);
  plot.values = values_;
  plot.style = style_;
  plot.window = &window_;
  plot.marks.clear();
  mark_edits(context, answer, plot);
  plot.row_label_width = row_labels_width(plot);
  const auto rows = static_cast<float>(grid_.rows.size()), cols = static_cast<float>(grid_.cols);
  float label = scaled(kAskGridMostWidth);
  for (const std::string& col : plot.cols.labels)
    label = std::max(label, text_size(fonts().mono_small, col).x + scaled(8));
  plot.cell.x = std::min((size.x - plot.row_label_width - scaled(6)) / cols, std::min(label, scaled(160)));
  plot.cell.y = scaled(kReadable);
  const float beyond = matrix_layout(plot, size).beyond;  // of a slanted name of the last column
  plot.cell.x = std::min(plot.cell.x, (size.x - plot.row_label_width - scaled(6) - beyond) / cols);
  const float top = matrix_layout(plot, size).cells0.y;
  plot.cell.y = std::clamp((size.y - top - scaled(4)) / rows, 1.f, scaled(kAskGridMostHeight));
  const MatrixEvent event = draw_matrix(context.painter, plot, at, size);
  draw_estimates(answer, plot, at, size);
  if (!context.workspace.asking.is_fresh(answer)) veil(event.p0, event.p1);
  const float bottom = event.p1.y;
  if (!event.hovered() || grid_.at(event.row, event.col) < 0) return bottom;
  const auto cell = static_cast<std::size_t>(grid_.at(event.row, event.col));
  explain(context, answer, cell);
  const SweepCell& place = answer.cells()[cell];
  Cell first{place.site, {}};  // the first cell of a range
  for (const AxisRange& range : place.at) first.at.push_back({range.axis, range.begin});
  if (chooses(answer)) {
    if (event.clicked) chosen_ = cell, chosen_of_ = answer.key;
    return bottom;
  }
  if (grid_.group == 1) offer_edit(context.workspace, {first, {}, {}});
  if (event.clicked) toggle(context, answer, cell);
  return bottom;
}

}  // namespace attnscope
