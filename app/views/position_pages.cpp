#include "app/views/position_pages.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/look/item_map.h"
#include "app/widgets/line_plot.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/computed.h"
#include "core/base/power_text.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kPositionPagesMostDial = 170.f, kReach = 15.f;  // units
constexpr int kMostClocks = 32;
constexpr std::int64_t kMostBack = 48;   // positions for the head that looks back
constexpr std::int64_t kMostShift = 48;  // dimensions shown of the matrices
constexpr double kSmallShift = 1e-4;     // error of float32 tables
constexpr ValueRange kUnit{-1, 1, -1, 1};

// Tokens of one turn: "6.28", "628", "3,530".
std::string turn_text(double tokens) {
  return tokens < 1000 ? short_number(tokens) : format_count(std::llround(tokens));
}

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

// A clock hand with its tip.
void draw_hand(const Canvas& canvas, ImVec2 centre, double x, double y, float radius, ImU32 colour,
               float thickness) {
  const ImVec2 tip(centre.x + static_cast<float>(x) * radius, centre.y - static_cast<float>(y) * radius);
  canvas.line(centre, tip, colour, thickness);
  canvas.fill_circle(tip, thickness * 1.3f, colour);
}

}  // namespace

int best_columns(int count, ImVec2 room, float line, float most, float& side) {
  int columns = 1;
  side = 0;
  for (int tried = 1; tried <= count; ++tried) {
    const int rows = (count + tried - 1) / tried;
    const float fits =
        std::min({room.x / static_cast<float>(tried), room.y / static_cast<float>(rows) - line, most});
    if (fits > side) side = fits, columns = tried;
  }
  return columns;
}

void draw_reaches(const std::vector<double>& frequencies, std::int64_t selected, ImVec2 at, ImVec2 room,
                  std::span<const std::int64_t> pairs) {
  const Theme& t = theme();
  const Canvas canvas;
  const auto count = static_cast<std::int64_t>(frequencies.size());
  if (count == 0 || room.y < scaled(50)) return;
  const float title = text_size(fonts().small, "X").y + scaled(4),
              axis = text_size(fonts().mono_small, "0").y + scaled(6);
  draw_text(canvas, fonts().small, at, t.text_dim,
            middle_truncated(fonts().small, tr("position.reach"), room.x));
  const float label = text_size(fonts().mono_small, "00").x + scaled(8), right = at.x + room.x - scaled(30);
  const float top = at.y + title, bottom = at.y + room.y - axis, left = at.x + label;
  double far = 1;
  for (const double frequency : frequencies) far = std::max(far, pair_reach(frequency).turn);
  const double decades = std::max(1.0, std::ceil(std::log10(far)));
  const auto x_of = [&](double tokens) {
    const double share = (std::log10(std::max(tokens, 0.1)) + 1) / (decades + 1);
    return left + static_cast<float>(std::clamp(share, 0.0, 1.0)) * (right - left);
  };
  for (double power = -1; power <= decades; ++power) {
    const float x = x_of(std::pow(10.0, power));
    canvas.line(ImVec2(x, top), ImVec2(x, bottom), with_alpha(t.border, 0.7f), scaled(1));
    const std::string tick = power < 0    ? "0.1"
                             : power <= 4 ? std::to_string(std::llround(std::pow(10.0, power)))
                                          : power_of_ten(static_cast<int>(power));
    draw_text(canvas, fonts().mono_small,
              ImVec2(x - text_size(fonts().mono_small, tick).x / 2, bottom + scaled(3)), t.text_dim, tick);
  }
  const float step = std::min((bottom - top) / static_cast<float>(count), scaled(kReach));
  const std::int64_t stride = std::max<std::int64_t>(
      1, std::llround(std::ceil(text_size(fonts().mono_small, "0").y / std::max(step, 1.f))));
  for (std::int64_t pair = 0; pair < count; ++pair) {
    const PairReach reach = pair_reach(frequencies[static_cast<std::size_t>(pair)]);
    const float y = top + static_cast<float>(pair) * step;
    const bool own = pair == selected;
    canvas.fill_rect(ImVec2(x_of(reach.finest), y + step * 0.15f), ImVec2(x_of(reach.turn), y + step * 0.85f),
                     own ? t.accent : with_alpha(t.attention, 0.55f), scaled(2));
    if (pair % stride == 0)
      draw_text(canvas, fonts().mono_small,
                ImVec2(at.x, y + (step - text_size(fonts().mono_small, "0").y) / 2),
                own ? t.text : t.text_dim,
                std::to_string(pairs.empty() ? pair : pairs[static_cast<std::size_t>(pair)]));
  }
}

// A clock per pair of dimensions: its hand at position p, and at p + k. Of many pairs some, from the first to
// the last.
void PositionPages::draw_clocks(const PositionTable& data, PositionLook& look, ImVec2 at, ImVec2 room) const {
  const Theme& t = theme();
  const std::int64_t width = data.table.size(1);
  const int pairs = static_cast<int>(width / 2), count = std::min(pairs, kMostClocks);
  const auto pair_at = [&](int i) {
    const int pair = count < 2 ? 0 : static_cast<int>(std::int64_t{i} * (pairs - 1) / (count - 1));
    return sinusoid_pair(look.halves ? pair : 2 * pair, width, look.halves);
  };
  const float line = text_size(fonts().mono_small, "0").y + scaled(4);
  const bool reach = !look.learned && room.y > scaled(220);
  const float lower = reach ? std::clamp(room.y * 0.34f, scaled(90), scaled(240)) : 0;
  const ImVec2 upper(room.x, room.y - lower - (reach ? scaled(10) : 0));
  float side = 0;
  const int columns = std::max(1, best_columns(count, upper, line, scaled(kPositionPagesMostDial), side));
  side = std::max(side, scaled(18));
  const float step = std::min(room.x / static_cast<float>(columns), side * 1.3f);
  float longest = 1e-6f;
  const SinusoidPair own = sinusoid_pair(look.dim, width, look.halves);
  const auto hand = [&](const SinusoidPair& pair, std::int64_t pos) {
    return std::pair<double, double>{data.table.at(pos, pair.cosine), data.table.at(pos, pair.sine)};
  };
  for (int i = 0; i < count; ++i) {
    const SinusoidPair pair = pair_at(i);
    for (const std::int64_t pos : {look.pos, look.pos + look.distance}) {
      const auto [x, y] = hand(pair, pos);
      longest = std::max(longest, static_cast<float>(std::hypot(x, y)));
    }
  }
  const Canvas canvas;
  std::vector<double> frequencies;
  std::vector<std::int64_t> numbers;
  std::int64_t selected = -1;
  for (int i = 0; i < count; ++i) {
    const SinusoidPair pair = pair_at(i);
    const double wavelength = sinusoid_wavelength(pair.sine, width, look.halves, look.base);
    frequencies.push_back(2 * std::numbers::pi / wavelength);
    numbers.push_back(look.halves ? pair.sine : pair.sine / 2);
    const bool chosen = pair.sine == own.sine;
    if (chosen) selected = i;
    const ImVec2 corner(at.x + static_cast<float>(i % columns) * step,
                        at.y + static_cast<float>(i / columns) * (side + line));
    if (corner.y + side > at.y + upper.y + scaled(4)) continue;
    const ImVec2 centre(corner.x + step / 2, corner.y + side / 2);
    const float radius = side / 2 - scaled(3);
    canvas.fill_circle(centre, radius, t.panel_raised);
    canvas.circle(centre, radius, chosen ? t.accent : t.border, 0, scaled(chosen ? 2.f : 1.f));
    const auto [ax, ay] = hand(pair, look.pos);
    const auto [bx, by] = hand(pair, look.pos + look.distance);
    const float reach_of = radius * 0.92f / longest,
                thick = std::clamp(radius * 0.06f, scaled(1.4f), scaled(3));
    draw_hand(canvas, centre, bx, by, reach_of, t.warning, thick * 0.8f);
    draw_hand(canvas, centre, ax, ay, reach_of, t.accent, thick);
    const std::string full =
        look.learned ? format("%d, %d", static_cast<int>(pair.sine), static_cast<int>(pair.cosine))
                     : tr("position.dial.tokens", {turn_text(wavelength)});
    const std::string& shorter = look.learned ? full : turn_text(wavelength);
    const std::string text = text_size(fonts().mono_small, full).x + scaled(4) <= step ? full : shorter;
    if (text_size(fonts().mono_small, text).x <= step)
      draw_text(canvas, fonts().mono_small,
                ImVec2(centre.x - text_size(fonts().mono_small, text).x / 2, corner.y + side), t.text_dim,
                text);
    ImGui::SetCursorScreenPos(corner);
    if (hit_area(("###position_clock_" + std::to_string(i)).c_str(), ImVec2(step, side)))
      look.dim = pair.sine;
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip(
          "%s", tr("position.clock.help", {std::to_string(pair.sine), std::to_string(pair.cosine),
                                           number_text(static_cast<float>(ay), 4),
                                           number_text(static_cast<float>(ax), 4), std::to_string(look.pos)})
                    .c_str());
  }
  if (reach)
    draw_reaches(frequencies, selected, ImVec2(at.x, at.y + room.y - lower), ImVec2(room.x, lower), numbers);
}

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
