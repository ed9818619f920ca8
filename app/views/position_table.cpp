#include "app/views/position_table.h"

#include <algorithm>
#include <cmath>

#include "app/widgets/edit_menu.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::int64_t kPositionTableMostPositions = 1024, kFormulaPositions = 128, kMostSimilar = 256,
                       kBits = 7;
constexpr std::int64_t kLeastWidth = 2, kPositionTableMostWidth = 512;  // d_model of the paper: 512
constexpr float kLeastBase = 3.f, kMostBase = 1e7f;                     // of the formula
constexpr float kPositionTableTokensPerSecond = 6.f;
constexpr float kPagesMenu = 170.f;  // units

PositionTable make_table(const Trace& trace, Stack stack, const PositionLook& look) {
  PositionTable out;
  const ModelConfig& config = trace.config().of(stack);
  if (!look.formula_only) {
    const std::int64_t limit = config.position.max_positions;
    out.table = position_table(config, trace.weights(),
                               limit > 0 ? std::min(limit, kPositionTableMostPositions) : kFormulaPositions);
  } else {
    out.table = sinusoid_table(kFormulaPositions, look.width, look.halves, look.base);
  }
  if (out.table.empty()) return out;
  out.sinusoids = look.learned ? sinusoid_table(out.table.size(0), out.table.size(1)) : out.table;
  out.columns = out.table.transpose().packed();
  out.formula = out.sinusoids.transpose().packed();
  out.similar = similarity(out.table, kMostSimilar);
  out.counter = binary_counter(out.table.size(0), kBits);
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

}  // namespace

void TablePage::follow(const ViewContext& context, bool formula) {
  const auto trace = context.run.traces.front();
  const Cursor& cursor = context.workspace.cursor;
  const Stack stack = cursor.stack;
  const ModelConfig& config = trace->config().of(stack);
  look_.formula_only = formula || config.position.kind == PositionSpec::Kind::none;
  look_.learned = !look_.formula_only && config.position.kind == PositionSpec::Kind::learned;
  look_.halves = look_.formula_only ? halves_ : config.position.halves;
  look_.base = look_.formula_only ? std::round(std::pow(10.0, static_cast<double>(base_))) : 10000;
  if (look_.width == 0) look_.width = kPositionTableMostWidth;
  // Only a learned table can be changed by an edit.
  weight_.assign(stack_prefix(stack)).append("pos_embed.weight");
  const Tensor weight = look_.learned ? trace->weights().get(weight_) : Tensor();
  const std::uint64_t subject =
      key_of({context.run.opened_version, static_cast<std::uint64_t>(stack), look_.formula_only});
  if (subject != subject_) window_ = {};  // the dimension stays: a page may have named it
  subject_ = subject;
  const std::uint64_t key =
      key_of({subject, weight.address(), static_cast<std::uint64_t>(look_.formula_only ? look_.width : 0),
              static_cast<std::uint64_t>(look_.base), look_.halves});
  data_ = made_
              .get_or_before(subject, key, context.workers(),
                             [=, look = look_](const std::atomic<bool>&) {
                               PositionTable made = make_table(*trace, stack, look);
                               made.key = key;
                               return made;
                             })
              .value;
  if (!data_ || data_->table.empty()) return;
  const std::int64_t positions = data_->table.size(0);
  const std::int64_t asked =
      context.run.trace(cursor.sequence)
          .positions(stack)
          .of(std::clamp<std::int64_t>(
              cursor.query, 0,
              std::max<std::int64_t>(0, context.run.trace(cursor.sequence).rows(stack) - 1)));
  if (asked != followed_) look_.pos = followed_ = asked;  // the selected token
  if (look_.dim < 0 || look_.dim >= data_->table.size(1))
    look_.dim = look_.learned ? 0 : data_->table.size(1) / 8 * 2;  // a visible wave
  look_.distance = std::clamp<std::int64_t>(look_.distance, 0, positions - 1);
  look_.pos = std::clamp<std::int64_t>(look_.pos, 0, positions - 1 - look_.distance);
}

void TablePage::play(const ViewContext& context) {
  if (!playing_ || !data_ || data_->table.empty()) return;
  context.workspace.moving = true;
  walked_ += ImGui::GetIO().DeltaTime * kPositionTableTokensPerSecond * context.workspace.speed;
  const auto whole = static_cast<std::int64_t>(walked_);
  walked_ -= static_cast<float>(whole);
  look_.pos = (look_.pos + whole) % std::max<std::int64_t>(1, data_->table.size(0) - look_.distance);
}

void TablePage::draw_menu(ChipRow& row, const ViewContext& context, bool formula) {
  const Cursor& cursor = context.workspace.cursor;
  const PositionSpec& added = context.run.trace(cursor.sequence).config().of(cursor.stack).position;
  const bool learned = !formula && added.kind == PositionSpec::Kind::learned;
  (void)row.place(scaled(kPagesMenu));
  choose_in_menu(page_, scaled(kPagesMenu), {}, [&](Page page) {  // a learned table has no rotating pairs
    return !learned || (page != Page::clocks && page != Page::shift);
  });
}

// Sliders of the page, and settings of the formula. Returns the height, pixels.
float TablePage::draw_controls(const ViewContext& context, ImVec2 at, float width) {
  const std::int64_t count = data_->table.size(0), dims = data_->table.size(1);
  const float gap = scaled(12), usual = std::clamp((width - 4 * gap) / 5, scaled(70), scaled(150));
  float x = at.x, height = 0;
  const auto place = [&](float wide) {
    ImGui::SetCursorScreenPos(ImVec2(x, at.y));
    x += wide + gap;
  };
  const auto drawn = [&] { height = std::max(height, ImGui::GetItemRectMax().y - at.y); };
  const auto slider = [&](const char* id, const std::string& title, std::int64_t& value, std::int64_t lo,
                          std::int64_t hi, const char* help) {
    place(usual);
    (void)slider_int(id, title, value, lo, std::max(lo, hi), usual, tr(help));
    drawn();
  };
  if (context.workspace.animate) {
    ImGui::SetCursorScreenPos(ImVec2(x, at.y + scaled(2)));
    if (play_button("###position_play", playing_, tr("position.play"))) playing_ = !playing_;
    x += scaled(28) + gap;
    drawn();
  } else {
    playing_ = false;
  }
  slider("###position_p", tr("position.p"), look_.pos, 0, count - 1 - look_.distance, "position.p.help");
  if (page_ != Page::surface && page_ != Page::hills)
    slider("###position_k", tr("position.k"), look_.distance, 0, count - 1 - look_.pos, "position.k.help");
  if (page_ == Page::surface || page_ == Page::clocks || page_ == Page::shift)
    slider("###position_dim", tr("position.dimension"), look_.dim, 0, dims - 1, "position.dimension.help");
  if (page_ == Page::back) {
    place(usual);
    (void)slider_real("###position_sharpness", tr("position.back.sharpness"), look_.sharpness, 0.1f, 5.f,
                      "%.1f", usual, tr("position.back.sharpness.help"));
    drawn();
  }
  if (look_.formula_only) {
    std::int64_t pairs = look_.width / 2;
    slider("###position_width", tr("position.width", {std::to_string(look_.width)}), pairs, kLeastWidth / 2,
           kPositionTableMostWidth / 2, "position.width.help");
    look_.width = pairs * 2;
    place(usual);
    auto base = static_cast<float>(look_.base);
    if (slider_real("###position_base", tr("position.base", {short_number(look_.base)}), base, kLeastBase,
                    kMostBase, "", usual, tr("position.base.help"), true)
            .changed)
      base_ = std::log10(base);
    drawn();
  }
  ChipRow row(ImVec2(x, at.y + scaled(6)), at.x + width - x, {.cut = true});
  if (look_.formula_only) toggle(row, halves_);
  if (look_.learned && (page_ == Page::surface || page_ == Page::hills)) toggle(row, compare_);
  if (page_ == Page::surface) toggle(row, counter_);
  drawn();
  return height;
}

void TablePage::draw_table(const ViewContext& context, ImVec2 at, ImVec2 room) {
  HeatStyle style;
  style.map = Colormap::diverging;
  style.log_scale = context.workspace.log_scale;
  const bool both = look_.learned && compare_, hills = page_ == Page::hills;
  const float legend = scaled(58), gap = scaled(18);
  cells_width_ = room.x - label_room() - scaled(8);
  const float wide = both ? (room.x - legend - gap) / 2 : room.x - legend;
  ValueRange range = data_->range;
  if (both) range.hi = std::max(range.hi, 1.f), range.lo = -range.hi;  // one scale for both
  set_range(style, range, hills);
  const auto one = [&](MatrixPlot& plot, const char* key, const Tensor& table, const Tensor& columns,
                       const char* title, float x) {
    if (hills) {
      draw_surface(key, table, style, eye_, ImVec2(x, at.y), ImVec2(wide, room.y));
      draw_text(Canvas(), fonts().small, ImVec2(x, at.y), theme().text_dim, title);
      return;
    }
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
    const MatrixMark chosen[] = {{look_.dim, -1, theme().accent, 1, 1, 1.5f},
                                 {-1, look_.pos, theme().warning, 1, 1, 1.5f}};
    plot.lent_marks = chosen;
    if (!both) cells_width_ = plot.cell.x * static_cast<float>(span_x);
    const MatrixEvent event = draw_matrix(context.painter, plot, ImVec2(x, at.y), ImVec2(wide, room.y));
    if (!event.hovered()) return;
    const std::string value = number_text(columns.at(event.row, event.col), 6);
    ImGui::SetTooltip(
        "%s",
        tr("position.cell.help", {std::to_string(event.col), std::to_string(event.row), value}).c_str());
    if (look_.learned && &columns == &data_->columns)
      offer_edit(context.workspace, {{}, weight_, {event.col, event.row}});
    if (!event.clicked) return;
    look_.dim = event.row;
    look_.pos = std::min(event.col, columns.size(1) - 1 - look_.distance);
  };
  const char* own = look_.learned        ? "position.learned_table"
                    : look_.formula_only ? "position.formula_table"
                                         : "position.sinusoid_table";
  one(table_plot_, "position_table", data_->table, data_->columns, tr(own), at.x);
  if (both)
    one(formula_plot_, "position_formula", data_->sinusoids, data_->formula, tr("position.formula_beside"),
        at.x + wide + gap);
  const float side = std::min(room.y - scaled(40), scaled(160));
  if (side > scaled(50))
    draw_legend(style, tr("position.value"), ImVec2(at.x + room.x - legend + scaled(10), at.y + scaled(16)),
                ImVec2(scaled(11), side));
}

// The range of positions that the surface shows.
void TablePage::shown_columns(std::int64_t& begin, std::int64_t& end) const {
  const std::int64_t count = data_->table.size(0);
  begin = window_.all() ? 0 : std::clamp<std::int64_t>(static_cast<std::int64_t>(window_.col0), 0, count - 1);
  end = window_.all()
            ? count
            : std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(window_.col1)), begin + 1, count);
}

// Two columns of the table over the positions, and the formula's when comparing.
LinePlot TablePage::waves(std::int64_t begin, std::int64_t end) const {
  const auto [even, odd] = sinusoid_pair(look_.dim, data_->table.size(1), look_.halves);
  LinePlot plot;
  plot.key = "position_waves";
  // Aligned with the surface's cells: a position is at the centre of its column.
  plot.x0 = static_cast<float>(begin) - 0.5f;
  plot.x1 = static_cast<float>(end) - 0.5f;
  plot.left = label_room();
  plot.x_title = tr("position.axis.position");
  const Theme& t = theme();
  plot.series.push_back(wave(data_->table, even, begin, end, t.attention));
  plot.series.back().label =
      tr(look_.learned ? "position.wave.plain" : "position.wave.sin", {std::to_string(even)});
  if (odd != even) {
    plot.series.push_back(wave(data_->table, odd, begin, end, t.mlp));
    plot.series.back().label =
        tr(look_.learned ? "position.wave.plain" : "position.wave.cos", {std::to_string(odd)});
  }
  if (look_.learned && compare_) {
    plot.series.push_back(wave(data_->sinusoids, look_.dim, begin, end, t.norm));
    plot.series.back().label = tr("position.wave.formula", {std::to_string(look_.dim)});
    plot.series.back().dashed = true;
    plot.series.back().dots = false;
  }
  fit_y(plot);
  return plot;
}

void TablePage::draw_waves(const ViewContext&, ImVec2 at, ImVec2 room) {
  const std::int64_t count = data_->table.size(0), width = data_->table.size(1);
  const auto [even, odd] = sinusoid_pair(look_.dim, width, look_.halves);
  const std::string wavelength = short_number(sinusoid_wavelength(even, width, look_.halves, look_.base));
  ImGui::SetCursorScreenPos(at);
  caption(kept_tr(look_.learned ? "position.waves.learned" : "position.waves.sinusoid",
                  {std::to_string(even), std::to_string(odd), wavelength}));
  const float words = text_size(fonts().small, "X").y + scaled(4);
  std::int64_t begin = 0, end = 0;
  shown_columns(begin, end);
  const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  LinePlot& plot = waves_.get({data_->key, number(look_.dim), number(begin), number(end), compare_},
                              [&] { return waves(begin, end); });
  plot.x_marks = {static_cast<float>(look_.pos)};
  const LineEvent event = draw_line_plot(plot, ImVec2(at.x, at.y + words),
                                         ImVec2(cells_width_ + plot.left + scaled(8), room.y - words));
  if (event.clicked)
    look_.pos = std::clamp<std::int64_t>(std::llround(event.x), 0, count - 1 - look_.distance);
}

// The bits of every position below its column of the surface: sinusoids act as a smooth binary counter.
void TablePage::draw_counter(const ViewContext& context, ImVec2 at, ImVec2 room) {
  std::int64_t begin = 0, end = 0;
  shown_columns(begin, end);
  ImGui::SetCursorScreenPos(at);
  caption(tr("position.counter.words"));
  const float words = text_size(fonts().small, "X").y + scaled(4);
  MatrixPlot plot;
  plot.key = "position_bits";
  plot.values = data_->counter.slice(1, begin, end).packed();
  plot.first_col = begin;
  plot.style.map = Colormap::sequential;
  plot.digits = 0;
  plot.row_label_width = label_room();
  plot.rows.title = tr("position.counter.bits");
  for (std::int64_t bit = 0; bit < kBits; ++bit) plot.rows.labels.push_back("2^" + std::to_string(bit));
  plot.cols.show_labels = false;
  plot.cell = ImVec2(cells_width_ / static_cast<float>(end - begin), 1.f);
  plot.cell.y = std::clamp((room.y - words - scaled(24)) / static_cast<float>(kBits), scaled(4), scaled(30));
  MatrixWindow seen{0, static_cast<double>(begin), static_cast<double>(kBits), static_cast<double>(end)};
  plot.total_rows = kBits, plot.total_cols = data_->counter.size(1);
  plot.window = &seen;
  plot.marks = {{-1, look_.pos, theme().warning, 1, 1, 1.5f}};
  const MatrixEvent event =
      draw_matrix(context.painter, plot, ImVec2(at.x, at.y + words), ImVec2(room.x, room.y - words));
  if (event.hovered())
    ImGui::SetTooltip("%s", tr("position.counter.cell", {std::to_string(event.col), std::to_string(event.row),
                                                         (event.col >> event.row) & 1 ? "1" : "0"})
                                .c_str());
}

void TablePage::draw(const ViewContext& context, bool formula, ImVec2 at, ImVec2 room) {
  follow(context, formula);
  if (look_.learned && (page_ == Page::clocks || page_ == Page::shift)) page_ = Page::surface;
  play(context);
  ImGui::SetCursorScreenPos(at);
  if (!data_ || data_->table.empty()) return caption(tr("position.pending"));
  const float bottom = at.y + room.y;
  const float y = at.y + draw_controls(context, at, room.x) + scaled(10);
  const ImVec2 place(at.x, y), left(room.x, std::max(scaled(40), bottom - y));
  switch (page_) {
    case Page::hills: return draw_table(context, place, left);
    case Page::clocks: return pages_.draw_clocks(*data_, look_, place, left);
    case Page::shift: return pages_.draw_shift(context, *data_, look_, place, left);
    case Page::dots: return pages_.draw_dots(context, *data_, look_, place, left);
    case Page::similarity: return pages_.draw_similarity(context, *data_, look_, place, left);
    case Page::back: return pages_.draw_back(context, *data_, look_, place, left);
    case Page::surface: break;
  }
  const float upper = left.y * (left.y > scaled(420) ? 0.56f : 0.52f);
  draw_table(context, place, ImVec2(left.x, upper));
  const ImVec2 below(at.x, y + upper + scaled(8)), rest(left.x, left.y - upper - scaled(8));
  if (counter_)
    draw_counter(context, below, rest);
  else
    draw_waves(context, below, rest);
}

}  // namespace attnscope
