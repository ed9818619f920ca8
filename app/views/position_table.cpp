#include "app/views/position_table.h"

#include <algorithm>
#include <cmath>

#include "app/widgets/line_plot.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostPositions = 1024, kFormulaPositions = 128;
constexpr std::int64_t kLeastWidth = 2, kMostWidth = 256, kUsualWidth = 32;
constexpr float kTokensPerSecond = 6.f;

bool adds_table(PositionSpec::Kind kind) {
  return kind == PositionSpec::Kind::learned || kind == PositionSpec::Kind::sinusoidal;
}

PositionTable make_table(const Trace& trace, Stack stack, std::int64_t width) {
  PositionTable out;
  const ModelConfig& config = trace.config().of(stack);
  const PositionSpec::Kind kind = config.position.kind;
  if (adds_table(kind)) {
    const std::int64_t limit = config.position.max_positions;
    out.table = position_table(config, trace.weights(),
                               limit > 0 ? std::min(limit, kMostPositions) : kFormulaPositions);
  } else {
    out.table = sinusoid_table(kFormulaPositions, width);
  }
  if (out.table.empty()) return out;
  out.sinusoids =
      kind == PositionSpec::Kind::learned ? sinusoid_table(out.table.size(0), out.table.size(1)) : out.table;
  out.columns = out.table.transpose().packed();
  out.formula = out.sinusoids.transpose().packed();
  out.range = signed_range(out.table);
  return out;
}

float label_room() { return text_size(fonts().mono_small, "−0.000").x + scaled(10); }

LineSeries wave(const Tensor& table, std::int64_t dim, std::int64_t begin, std::int64_t end, ImU32 colour) {
  LineSeries series;
  series.colour = colour;
  for (std::int64_t pos = begin; pos < end; ++pos)
    series.points.emplace_back(static_cast<float>(pos), table.at(pos, dim));
  series.dots = true;
  return series;
}

LineSeries across(const std::vector<double>& values, ImU32 colour, const std::string& label) {
  LineSeries series;
  series.colour = colour;
  series.label = label;
  series.dots = true;
  for (std::size_t dim = 0; dim < values.size(); ++dim)
    series.points.emplace_back(static_cast<float>(dim), static_cast<float>(values[dim]));
  return series;
}

}  // namespace

void TablePage::follow(const ViewContext& context) {
  const auto trace = context.run.traces.front();
  const Stack stack = context.workspace.cursor.stack;
  const ModelConfig& config = trace->config().of(stack);
  learned_ = config.position.kind == PositionSpec::Kind::learned;
  formula_only_ = !adds_table(config.position.kind);
  halves_ = !formula_only_ && config.position.halves;
  if (width_ == 0)
    width_ = std::clamp<std::int64_t>(std::max<std::int64_t>(config.d_in, kUsualWidth) / 2 * 2, kLeastWidth,
                                      kMostWidth);
  // Only a learned table can change with an edit.
  const std::string name = std::string(stack_prefix(stack)) + "pos_embed.weight";
  const Tensor weight = learned_ ? trace->weights().get(name) : Tensor();
  const std::uint64_t subject = key_of({context.run.opened_version, static_cast<std::uint64_t>(stack)});
  if (subject != subject_) dim_ = -1, window_ = {};
  subject_ = subject;
  const std::uint64_t key =
      key_of({subject, weight.address(), static_cast<std::uint64_t>(formula_only_ ? width_ : 0)});
  data_ = made_
              .get_or_before(
                  subject, key, "positions", context.commands,
                  [=, width = width_](const std::atomic<bool>&) { return make_table(*trace, stack, width); })
              .value;
  if (!data_ || data_->table.empty()) return;
  if (dim_ < 0)
    dim_ = learned_ ? 0 : data_->table.size(1) / 8 * 2;  // of the formula: a wave that can be seen
  dim_ = std::clamp<std::int64_t>(dim_, 0, data_->table.size(1) - 1);
  distance_ = std::clamp<std::int64_t>(distance_, 0, data_->table.size(0) - 1);
  pos_ = std::clamp<std::int64_t>(pos_, 0, data_->table.size(0) - 1 - distance_);
}

void TablePage::play(const ViewContext& context) {
  if (!playing_ || !data_ || data_->table.empty()) return;
  context.workspace.moving = true;
  walked_ += ImGui::GetIO().DeltaTime * kTokensPerSecond * context.workspace.speed;
  const auto whole = static_cast<std::int64_t>(walked_);
  walked_ -= static_cast<float>(whole);
  pos_ = (pos_ + whole) % std::max<std::int64_t>(1, data_->table.size(0) - distance_);
}

void TablePage::draw_controls(float width) {
  if (chip(std::string(tr("position.flat")) + "###position_flat", !hills_, tr("position.flat.help")))
    hills_ = false;
  ImGui::SameLine();
  if (chip(std::string(tr("position.hills")) + "###position_hills", hills_, tr("position.hills.help")))
    hills_ = true;
  if (learned_) {
    ImGui::SameLine(0, scaled(18));
    if (chip(std::string(tr("position.compare")) + "###position_compare", compare_,
             tr("position.compare.help")))
      compare_ = !compare_;
  }
  if (!formula_only_) return;
  ImGui::SameLine(0, scaled(18));
  std::int64_t pairs = width_ / 2;
  const float slider = std::clamp(width - ImGui::GetCursorPosX() - scaled(10), scaled(80), scaled(220));
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() - scaled(4));
  (void)slider_int("###position_width", tr("position.width", {std::to_string(width_)}), pairs,
                   kLeastWidth / 2, kMostWidth / 2, slider, tr("position.width.help"));
  width_ = pairs * 2;
}

void TablePage::draw_heat(const ViewContext& context, ImVec2 at, ImVec2 room) {
  HeatStyle style;
  style.map = Colormap::diverging;
  style.log_scale = context.workspace.log_scale;
  const bool both = learned_ && compare_;
  const float legend = scaled(58), gap = scaled(18);
  cells_width_ = room.x - label_room() - scaled(8);
  const float wide = both ? (room.x - legend - gap) / 2 : room.x - legend;
  ValueRange range = data_->range;
  if (both) range.hi = std::max(range.hi, 1.f), range.lo = -range.hi;  // one scale for both
  set_range(style, range, hills_);
  const auto one = [&](const char* key, const Tensor& table, const Tensor& columns, const std::string& title,
                       float x) {
    if (hills_) {
      draw_surface(key, table, style, eye_, ImVec2(x, at.y), ImVec2(wide, room.y));
      draw_text(Canvas(), fonts().small, ImVec2(x, at.y), theme().text_dim, title);
      return;
    }
    MatrixPlot plot;
    plot.key = key;
    plot.values = columns;
    plot.style = style;
    plot.rows.title = tr("position.axis.dimension_down");
    plot.cols.title = title;
    plot.window = &window_;
    plot.show_numbers = true;
    plot.digits = 2;
    const double span_x = window_.all() ? static_cast<double>(columns.size(1)) : window_.col1 - window_.col0;
    const double span_y = window_.all() ? static_cast<double>(columns.size(0)) : window_.row1 - window_.row0;
    plot.row_label_width = label_room();
    plot.cell = ImVec2((wide - plot.row_label_width - scaled(4)) / static_cast<float>(span_x), 1.f);
    plot.cell.y = std::max(
        0.05f, (room.y - matrix_layout(plot, room).cells0.y - scaled(4)) / static_cast<float>(span_y));
    plot.cell.x = std::min(plot.cell.x, scaled(60)), plot.cell.y = std::min(plot.cell.y, scaled(40));
    plot.marks = {{dim_, -1, theme().accent, 1, 1, 1.5f}, {-1, pos_, theme().warning, 1, 1, 1.5f}};
    if (!both) cells_width_ = plot.cell.x * static_cast<float>(span_x);
    const MatrixEvent event = draw_matrix(context.painter, plot, ImVec2(x, at.y), ImVec2(wide, room.y));
    if (!event.hovered()) return;
    const std::string value = number_text(columns.at(event.row, event.col), 6);
    ImGui::SetTooltip(
        "%s",
        tr("position.cell.help", {std::to_string(event.col), std::to_string(event.row), value}).c_str());
    if (!event.clicked) return;
    dim_ = event.row;
    pos_ = std::min(event.col, columns.size(1) - 1 - distance_);
  };
  const char* own = learned_        ? "position.learned_table"
                    : formula_only_ ? "position.formula_table"
                                    : "position.sinusoid_table";
  one("position_table", data_->table, data_->columns, tr(own), at.x);
  if (both)
    one("position_formula", data_->sinusoids, data_->formula, tr("position.formula_beside"),
        at.x + wide + gap);
  const float side = std::min(room.y - scaled(40), scaled(160));
  if (side > scaled(50))
    draw_legend(style, tr("position.value"), ImVec2(at.x + room.x - legend + scaled(10), at.y + scaled(16)),
                ImVec2(scaled(11), side));
}

void TablePage::draw_waves(ImVec2 controls, ImVec2 at, ImVec2 room) {
  const std::int64_t count = data_->table.size(0), width = data_->table.size(1);
  const auto [even, odd] = sinusoid_pair(dim_, width, halves_);
  const std::string wavelength = short_number(sinusoid_wavelength(even, width, halves_));
  const float slider = std::clamp(room.x * 0.2f, scaled(90), scaled(180)), right = at.x + room.x;
  ImGui::SetCursorScreenPos(controls);
  (void)slider_int("###position_dim", tr("position.dimension"), dim_, 0, width - 1, slider,
                   tr("position.dimension.help"));
  const float words_x = controls.x + slider + scaled(18);
  ImGui::SetCursorScreenPos(ImVec2(words_x, controls.y));
  {
    const ChildScope words("position_waves_words", ImVec2(right - words_x, scaled(36)),
                           ImGuiWindowFlags_NoScrollbar);
    caption(tr(learned_ ? "position.waves.learned" : "position.waves.sinusoid",
               {std::to_string(even), std::to_string(odd), wavelength}));
  }
  const std::int64_t begin =
      window_.all() ? 0 : std::clamp<std::int64_t>(static_cast<std::int64_t>(window_.col0), 0, count - 1);
  const std::int64_t end =
      window_.all()
          ? count
          : std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(window_.col1)), begin + 1, count);
  LinePlot plot;
  plot.key = "position_waves";
  // Under the cells of the surface: a position stands at the middle of its column.
  plot.x0 = static_cast<float>(begin) - 0.5f;
  plot.x1 = static_cast<float>(end) - 0.5f;
  plot.left = label_room();
  plot.x_title = tr("position.axis.position");
  const Theme& t = theme();
  plot.series.push_back(wave(data_->table, even, begin, end, t.attention));
  plot.series.back().label =
      tr(learned_ ? "position.wave.plain" : "position.wave.sin", {std::to_string(even)});
  if (odd != even) {
    plot.series.push_back(wave(data_->table, odd, begin, end, t.mlp));
    plot.series.back().label =
        tr(learned_ ? "position.wave.plain" : "position.wave.cos", {std::to_string(odd)});
  }
  if (learned_ && compare_) {
    plot.series.push_back(wave(data_->sinusoids, dim_, begin, end, t.norm));
    plot.series.back().label = tr("position.wave.formula", {std::to_string(dim_)});
    plot.series.back().dashed = true;
    plot.series.back().dots = false;
  }
  fit_y(plot);
  plot.x_marks.push_back(static_cast<float>(pos_));
  const LineEvent event = draw_line_plot(plot, at, ImVec2(cells_width_ + plot.left + scaled(8), room.y));
  if (event.clicked) pos_ = std::clamp<std::int64_t>(std::llround(event.x), 0, count - 1 - distance_);
}

void TablePage::draw_shift(ImVec2 controls, ImVec2 at, ImVec2 room) {
  const std::int64_t count = data_->table.size(0);
  const float right = at.x + room.x,
              slider = std::clamp((right - controls.x - scaled(16)) / 2, scaled(60), scaled(180));
  ImGui::SetCursorScreenPos(controls);
  (void)slider_int("###position_p", tr("position.p"), pos_, 0, count - 1 - distance_, slider,
                   tr("position.p.help"));
  ImGui::SameLine(0, scaled(16));
  (void)slider_int("###position_k", tr("position.k"), distance_, 0, count - 1 - pos_, slider,
                   tr("position.k.help"));
  const Shift shift = shift_encoding(data_->table, pos_, distance_, halves_);
  const std::string error = tr("position.shift.error", {format("%.3g", shift.error)});
  const std::string formula =
      learned_ ? format("%.3g", shift_encoding(data_->sinusoids, pos_, distance_).error) : std::string();
  const Canvas canvas;
  draw_text(canvas, fonts().mono, at, shift.error < 1e-4 ? theme().ok : theme().warning, error);
  const float x = at.x + text_size(fonts().mono, error).x + scaled(14), line = text_size(fonts().mono, "X").y;
  draw_text(canvas, fonts().small, ImVec2(x, at.y + scaled(2)), theme().text_dim,
            middle_truncated(fonts().small,
                             tr(learned_ ? "position.shift.learned" : "position.shift.sinusoid", {formula}),
                             right - x));
  const float below = at.y + line + scaled(5);
  LinePlot plot;
  plot.key = "position_shift";
  plot.x1 = static_cast<float>(std::max<std::size_t>(shift.moved.size(), 2) - 1);
  plot.x_title = tr("position.axis.dimension");
  plot.series.push_back(across(shift.actual, theme().attention,
                               tr("position.shift.actual", {std::to_string(pos_ + distance_)})));
  plot.series.push_back(
      across(shift.moved, theme().warning,
             tr("position.shift.moved", {std::to_string(distance_), std::to_string(pos_)})));
  plot.series.back().dashed = true;
  fit_y(plot);
  (void)draw_line_plot(plot, ImVec2(at.x, below), ImVec2(room.x, at.y + room.y - below));
}

void TablePage::draw_pages(const ViewContext& context, ImVec2 at, ImVec2 room) {
  ImGui::SetCursorScreenPos(at);
  if (context.workspace.animate) {
    if (play_button("###position_play", playing_, tr("position.play"))) playing_ = !playing_;
    ImGui::SameLine();
  } else {
    playing_ = false;
  }
  if (chip(std::string(tr("position.waves")) + "###position_waves_page", page_ == Page::waves))
    page_ = Page::waves;
  ImGui::SameLine();
  if (chip(std::string(tr("position.shift")) + "###position_shift_page", page_ == Page::shift))
    page_ = Page::shift;
  const ImVec2 controls(ImGui::GetItemRectMax().x + scaled(20), at.y - scaled(4));
  const float used = scaled(38);
  const ImVec2 below(at.x, at.y + used), left(room.x, room.y - used);
  if (page_ == Page::waves)
    draw_waves(controls, below, left);
  else
    draw_shift(controls, below, left);
}

void TablePage::draw(const ViewContext& context, ImVec2 at, ImVec2 room) {
  follow(context);
  play(context);
  ImGui::SetCursorScreenPos(at);
  draw_controls(room.x);
  if (!data_ || data_->table.empty()) return caption(tr("position.pending"));
  const float begin = ImGui::GetCursorScreenPos().y + scaled(4), height = at.y + room.y - begin;
  const float upper = height * (height > scaled(420) ? 0.54f : 0.48f);
  draw_heat(context, ImVec2(at.x, begin), ImVec2(room.x, upper));
  draw_pages(context, ImVec2(at.x, begin + upper + scaled(10)), ImVec2(room.x, height - upper - scaled(12)));
}

}  // namespace attnscope
