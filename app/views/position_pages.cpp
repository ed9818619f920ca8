#include "app/views/position_pages.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/widgets/line_plot.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/computed.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostBack = 48;   // positions for the head that looks back
constexpr std::int64_t kMostShift = 48;  // dimensions shown of the matrices
constexpr double kSmallShift = 1e-4;     // error of float32 tables
constexpr ValueRange kUnit{-1, 1, -1, 1};

std::uint64_t position_pages_number(std::int64_t value) { return static_cast<std::uint64_t>(value); }
std::uint64_t look_key(const PositionTable& data, const PositionLook& look) {
  return key_of({data.key, position_pages_number(look.pos), position_pages_number(look.distance),
                 position_pages_number(look.dim), look.halves});
}

// A row of the table as a column: `count` numbers.
Tensor column_of(const std::vector<double>& values, std::int64_t count) {
  Buffer out({{Axis::dim, count}, {Axis::none, 1}});
  for (std::int64_t i = 0; i < count; ++i)
    out.data()[i] = static_cast<float>(values[static_cast<std::size_t>(i)]);
  return std::move(out).freeze();
}

}  // namespace

namespace {

// Matrices on a line with signs between them, from `x` on; titles above.
struct ProductLine {
  const ViewContext& context;
  float x, y;         ///< upper left corner of the titles
  float sign, title;  ///< width of a sign; height of a title

  void put(const char* key, const Tensor& values, const std::string& name, ImVec2 cell,
           const ValueRange& range) {
    const float wide = cell.x * static_cast<float>(values.size(1));
    draw_text(Canvas(), fonts().small, ImVec2(x, y), theme().text_dim,
              middle_truncated(fonts().small, name, wide + 3 * sign));
    (void)draw_matrix(context.painter, bare_plot(key, values, range, cell), ImVec2(x, y + title),
                      ImVec2(wide + scaled(2), cell.y * static_cast<float>(values.size(0)) + scaled(2)));
    x += wide;
  }
  void between(const char* text, float height) {
    const ImVec2 size = text_size(fonts().mono, text);
    draw_text(Canvas(), fonts().mono, ImVec2(x + (sign - size.x) / 2, y + title + (height - size.y) / 2),
              theme().text_dim, text);
    x += sign;
  }
};

// The largest error in a large font, with an explanation beside it; returns the height of both, pixels.
float draw_shift_error(const PositionTable& data, const PositionLook& look, double error, ImVec2 at,
                       float width) {
  const std::string text = tr("position.shift.error", {format("%.2g", error)});
  draw_text(Canvas(), fonts().mono_big, at, error < kSmallShift ? theme().ok : theme().warning, text);
  const ImVec2 size = text_size(fonts().mono_big, text);
  const float words = size.x + scaled(18), height = std::max(size.y, scaled(34));
  ImGui::SetCursorScreenPos(ImVec2(at.x + words, at.y));
  const ChildScope child("###position_shift_words", ImVec2(width - words, height),
                         ImGuiWindowFlags_NoScrollbar);
  const std::string formula =
      look.learned ? format("%.2g", shift_encoding(data.sinusoids, look.pos, look.distance).error)
                   : std::string();
  caption(tr(look.learned ? "position.shift.learned" : "position.shift.sinusoid", {formula}));
  return height;
}

// The 2 x 2 rotation of the selected dimension's pair with its numbers, and its angle below.
void draw_pair(ProductLine& line, const PositionTable& data, const PositionLook& look, const Tensor& rotation,
               const Shift& shift, float width, float bottom) {
  const std::int64_t dims = data.table.size(1);
  const SinusoidPair pair = sinusoid_pair(look.dim, dims, look.halves);
  if (pair.sine == pair.cosine) return;
  const auto two = [](double a, double b) {
    return Tensor::from({static_cast<float>(a), static_cast<float>(b)}, {{Axis::none, 2}, {Axis::dim, 1}});
  };
  const auto of = [&](const std::vector<double>& row) {
    return two(row[static_cast<std::size_t>(pair.sine)], row[static_cast<std::size_t>(pair.cosine)]);
  };
  const Tensor turn =
      Tensor::from({rotation.at(pair.sine, pair.sine), rotation.at(pair.sine, pair.cosine),
                    rotation.at(pair.cosine, pair.sine), rotation.at(pair.cosine, pair.cosine)},
                   {{Axis::none, 2}, {Axis::dim, 2}});
  const ImVec2 cell(std::min((width - 3 * line.sign) / 5, scaled(78)), scaled(44));
  const float left = line.x;
  line.put("position_pair_turn", turn,
           tr("position.shift.pair", {std::to_string(pair.sine), std::to_string(pair.cosine)}), cell, kUnit);
  line.between("·", 2 * cell.y);
  line.put("position_pair_before",
           two(data.table.at(look.pos, pair.sine), data.table.at(look.pos, pair.cosine)), "", cell,
           data.range);
  line.between("=", 2 * cell.y);
  line.put("position_pair_moved", of(shift.moved), "", cell, data.range);
  const float below = line.y + line.title + 2 * cell.y + scaled(12);
  ImGui::SetCursorScreenPos(ImVec2(left, below));
  const ChildScope words("###position_pair_words", ImVec2(width, std::max(scaled(30), bottom - below)),
                         ImGuiWindowFlags_NoScrollbar);
  const double angle = static_cast<double>(look.distance) * 2 * std::numbers::pi /
                       sinusoid_wavelength(pair.sine, dims, look.halves, look.base);
  caption(
      tr("position.shift.angle", {std::to_string(look.distance), number_text(static_cast<float>(angle), 3)}));
  const Tensor there = of(shift.actual);
  caption(
      tr("position.shift.there", {std::to_string(look.pos + look.distance),
                                  number_text(there.at(0, 0), 4) + ", " + number_text(there.at(1, 0), 4)}));
}

}  // namespace

// R(k) times PE(p) beside PE(p + k), and the pair of the selected dimension with its numbers.
void PositionPages::draw_shift(const ViewContext& context, const PositionTable& data,
                               const PositionLook& look, ImVec2 at, ImVec2 room) {
  const std::int64_t width = data.table.size(1), count = std::min(width, kMostShift);
  const std::uint64_t key = look_key(data, look);
  if (key != shift_.key) {
    shift_ = {key,
              shift_encoding(data.table, look.pos, look.distance, look.halves, look.base),
              shift_matrix(width, static_cast<double>(look.distance), look.halves, look.base),
              {},
              {},
              {},
              {}};
    shift_.corner = shift_.rotation.slice(0, 0, count).slice(1, 0, count).packed();
    std::vector<double> before;
    for (std::int64_t dim = 0; dim < count; ++dim) before.push_back(data.table.at(look.pos, dim));
    shift_.before = column_of(before, count);
    shift_.moved = column_of(shift_.made.moved, count);
    shift_.actual = column_of(shift_.made.actual, count);
  }
  const float y = at.y + draw_shift_error(data, look, shift_.made.error, at, room.x) + scaled(6),
              title = text_size(fonts().small, "X").y + scaled(4), high = at.y + room.y - y - title;
  // Left: the whole product. Right: one pair with numbers.
  const float right = std::clamp(room.x * 0.42f, scaled(190), scaled(420)),
              left = room.x - right - scaled(22);
  const float strip = scaled(30), sign = scaled(18), n = static_cast<float>(count);
  const float cell = std::max(1.f, std::min((left - 3 * strip - 3 * sign) / n, high / n));
  ProductLine line{context, at.x, y, sign, title};
  const std::string k = std::to_string(look.distance), p = std::to_string(look.pos),
                    sum = std::to_string(look.pos + look.distance);
  line.put("position_rotation", shift_.corner, "R(" + k + ")", ImVec2(cell, cell), kUnit);
  line.between("·", cell * n);
  line.put("position_before", shift_.before, "PE(" + p + ")", ImVec2(strip, cell), data.range);
  line.between("=", cell * n);
  line.put("position_moved", shift_.moved, "R·PE", ImVec2(strip, cell), data.range);
  line.between(shift_.made.error < kSmallShift ? "=" : "≠", cell * n);
  line.put("position_actual", shift_.actual, "PE(" + sum + ")", ImVec2(strip, cell), data.range);
  line.x = at.x + room.x - right;
  draw_pair(line, data, look, shift_.rotation, shift_.made, right, at.y + room.y);
}

void PositionPages::draw_dots(const ViewContext& context, const PositionTable& data, PositionLook& look,
                              ImVec2 at, ImVec2 room) {
  const std::uint64_t key = key_of({data.key, position_pages_number(look.pos)});
  if (key != dots_key_) {
    dots_key_ = key;
    dots_.clear();
    const auto dots = dot_products(data.table, look.pos);
    for (std::size_t p = 0; p < dots.size(); ++p)
      dots_.emplace_back(static_cast<float>(static_cast<double>(p) - static_cast<double>(look.pos)),
                         static_cast<float>(dots[p]));
  }
  LinePlot plot = dotted_plot("position_dots", dots_, theme().attention);
  plot.series.front().label = tr("position.dots.series", {std::to_string(look.pos)});
  plot.x_title = tr("position.dots.axis");
  plot.readout = true;
  plot.x_name = "k";
  plot.x_marks.push_back(static_cast<float>(look.distance));
  const float words = scaled(22);
  const LineEvent event = draw_line_plot(plot, at, ImVec2(room.x, room.y - words));
  if (event.clicked)
    look.distance = std::clamp<std::int64_t>(std::llround(event.x), 0, data.table.size(0) - 1 - look.pos);
  if (context.workspace.holds_back) return;  // the words say what a lesson lets one bet on
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + room.y - words + scaled(4)));
  caption(tr(look.learned ? "position.dots.learned" : "position.dots.words"));
}

void PositionPages::draw_similarity(const ViewContext& context, const PositionTable& data, PositionLook& look,
                                    ImVec2 at, ImVec2 room) {
  MatrixPlot plot;
  plot.key = "position_similarity";
  plot.values = data.similar;
  plot.style.map = Colormap::diverging;
  set_range(plot.style, {-1, 1, -1, 1});
  plot.digits = 2;
  plot.max_cell = 90.f;
  plot.aspect = 0.8f;
  plot.rows.title = tr("position.similarity.rows"), plot.cols.title = tr("position.similarity.cols");
  plot.marks = {{look.pos, -1, theme().accent, 1, 1, 1.5f},
                {-1, look.pos + look.distance, theme().warning, 1, 1, 1.5f}};
  const float legend = scaled(58), words = scaled(36);
  const MatrixEvent event = draw_matrix(context.painter, plot, at, ImVec2(room.x - legend, room.y - words));
  const ImVec2 end = ImGui::GetItemRectMax();
  draw_legend(plot.style, tr("position.similarity.cosine"), ImVec2(end.x + scaled(12), event.p0.y),
              ImVec2(scaled(10), std::min(scaled(150), end.y - event.p0.y)));
  if (event.hovered()) {
    ImGui::SetTooltip("%s",
                      tr("position.similarity.cell", {std::to_string(event.row), std::to_string(event.col),
                                                      number_text(data.similar.at(event.row, event.col), 4)})
                          .c_str());
    if (event.clicked) {
      look.pos = std::min(event.row, event.col);
      look.distance = std::max(event.row, event.col) - look.pos;
    }
  }
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + room.y - words + scaled(6)));
  caption(tr(look.learned ? "position.similarity.learned" : "position.similarity.words"));
}

void PositionPages::draw_back(const ViewContext& context, const PositionTable& data, const PositionLook& look,
                              ImVec2 at, ImVec2 room) {
  const Cursor& cursor = context.workspace.cursor;
  const Trace& trace = context.run.trace(cursor.sequence);
  const std::int64_t tokens = trace.rows(cursor.stack);
  const std::int64_t count = std::min({data.table.size(0), kMostBack, std::max<std::int64_t>(tokens, 4)});
  const std::uint64_t key = key_of({look_key(data, look), position_pages_number(count),
                                    static_cast<std::uint64_t>(static_cast<double>(look.sharpness) * 1000)});
  if (key != back_key_) {
    back_key_ = key;
    back_ = look_back(data.table.slice(0, 0, count), look.distance, static_cast<double>(look.sharpness),
                      look.halves, look.base);
    on_target_ = 0;
    for (std::int64_t query = look.distance; query < count; ++query)
      on_target_ += static_cast<double>(back_.at(query, query - look.distance));
    on_target_ /= static_cast<double>(std::max<std::int64_t>(1, count - look.distance));
  }
  MatrixPlot plot;
  plot.key = "position_back";
  plot.values = back_;
  plot.style.map = Colormap::sequential;
  plot.digits = 2;
  plot.max_cell = 110.f;
  plot.aspect = 0.8f;
  plot.masked_numbers = false;
  const auto name = [&](std::int64_t row) {
    return row < tokens ? row_name(context.run, cursor.sequence, cursor.stack, row) : std::to_string(row);
  };
  for (std::int64_t row = 0; row < count; ++row)
    plot.rows.labels.push_back(name(row)), plot.cols.labels.push_back(name(row));
  plot.rows.title = tr("attention.axis.query"), plot.cols.title = tr("attention.axis.key");
  plot.rows.colour = theme().q, plot.cols.colour = theme().k;
  plot.marks = {{look.pos, -1, theme().q, 1, 1, 1.5f}};
  const float words = scaled(54);
  const MatrixEvent event = draw_matrix(context.painter, plot, at, ImVec2(room.x, room.y - words));
  if (event.hovered() && !event.numbers)
    ImGui::SetTooltip("%s", tr("attention.pair", {name(event.row), name(event.col),
                                                  number_text(back_.at(event.row, event.col), 4)})
                                .c_str());
  const float y = at.y + room.y - words + scaled(6);
  draw_text(Canvas(), fonts().mono, ImVec2(at.x, y), on_target_ > 0.5 ? theme().ok : theme().warning,
            tr("position.back.share",
               {std::to_string(look.distance), number_text(static_cast<float>(on_target_), 3)}));
  ImGui::SetCursorScreenPos(ImVec2(at.x, y + text_size(fonts().mono, "X").y + scaled(4)));
  caption(tr(look.learned ? "position.back.learned" : "position.back.words"));
}

}  // namespace attnscope
