// Text of a matrix plot: number formats, truncation, slanted labels, axes, the legend.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <initializer_list>

#include "app/look/fonts.h"
#include "app/look/imgui_compat.h"
#include "app/look/kept_text.h"
#include "app/look/label.h"
#include "app/look/pointed.h"
#include "app/look/theme.h"
#include "app/widgets/matrix_parts.h"
#include "core/base/power_text.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr const char* kMinus = "−";
constexpr const char* kEllipsis = "…";
constexpr std::int64_t kLooked = 4096;  // numbers checked to choose the number of digits

std::string with_real_minus(std::string text) {
  std::string out;
  for (const char c : text) {
    if (c == '-')
      out += kMinus;
    else
      out += c;
  }
  return out;
}

// "1.5e+06" -> "1.5e6"
std::string tidy_exponent(std::string text) {
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  std::string digits = text.substr(e + 1);
  const bool negative = digits[0] == '-';
  digits.erase(0, std::min(digits.find_first_not_of("+-0"), digits.size()));
  return text.substr(0, e + 1) + (negative ? "-" : "") + (digits.empty() ? "0" : digits);
}

bool lit(std::int64_t at, std::int64_t hover, std::int64_t from_outside, std::int64_t selected) {
  return at == hover || at == from_outside || at == selected;
}

// True when the token, head or neuron of this entry is pointed at, here or in another view.
bool pointed(const CellsPlace& place, int axis, std::int64_t at) {
  if (axis < 0 || !place.weight.empty() || axis >= static_cast<int>(place.first.size())) return false;
  return entry_pointed(place.site, axis, place.first[static_cast<std::size_t>(axis)] + at);
}

// True when a highlighted label nearby leaves no room for this one; the hovered label has priority.
bool gives_way(std::int64_t at, std::initializer_list<std::int64_t> lit_ones, float step, float room) {
  for (const std::int64_t one : lit_ones) {
    if (one == at) return false;
    if (one >= 0 && static_cast<float>(std::llabs(one - at)) * step < room) return true;
  }
  return false;
}

// The first `characters` code points.
std::string_view front_of(std::string_view text, std::size_t characters) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < characters && at < text.size(); ++i) next_code_point(text, at);
  return text.substr(0, at);
}
std::string_view back_of(std::string_view text, std::size_t characters) {
  const std::size_t length = utf8_length(text);
  return text.substr(front_of(text, length - std::min(length, characters)).size());
}

}  // namespace

std::string number_text(float value, int digits) {
  if (std::isnan(value)) return "NaN";
  if (is_masked(value)) return "−∞";
  if (std::isinf(value)) return "∞";
  if (std::fabs(value) >= 1e6f)
    return with_real_minus(tidy_exponent(format("%.*e", std::min(digits, 2), static_cast<double>(value))));
  std::string text = format("%.*f", digits, static_cast<double>(value));
  if (text[0] == '-' && text.find_first_of("123456789") == std::string::npos) text.erase(0, 1);
  return with_real_minus(text);
}

std::string short_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  const std::string out = format("%.3g", value);
  if (out.find('e') == std::string::npos) return with_real_minus(out);
  const std::string power = with_power(value, 2);
  return with_real_minus(starts_with(power, "1·") ? power.substr(std::string_view("1·").size()) : power);
}

ImVec2 text_size(ImFont* font, std::string_view text) {
  return compat::or_current(font)->CalcTextSizeA(compat::size_of(font), FLT_MAX, 0, begin_of(text),
                                                 end_of(text));
}

void draw_text(const Canvas& canvas, ImFont* font, ImVec2 at, ImU32 colour, std::string_view text) {
  canvas.text(font, at, colour, text);
}

namespace {

std::string shortened_in_middle(ImFont* font, std::string_view text, float width) {
  for (std::size_t kept = utf8_length(text); kept > 1; --kept) {
    std::string shorter(front_of(text, (kept + 1) / 2));
    shorter.append(kEllipsis).append(back_of(text, kept / 2));
    if (kept < utf8_length(text) && text_size(font, shorter).x <= width) return shorter;
  }
  std::string one = std::string(front_of(text, 1)) + kEllipsis;
  return text_size(font, one).x <= width ? one : std::string();
}

}  // namespace

std::string_view middle_truncated(ImFont* font, std::string_view text, float width) {
  if (text_size(font, text).x <= width) return text;
  static KeptTexts kept;
  return kept.get(width_key(text, compat::or_current(font), compat::size_of(font), width),
                  [&] { return shortened_in_middle(font, text, width); });
}

FittedText fitted_text(ImFont* font, std::string_view text, float width) {
  constexpr float kLeastLetters = 0.75f;
  const float size = compat::size_of(font), whole = text_size(font, text).x;
  if (whole <= width) return {text, size, whole};
  if (const float share = width / whole; share >= kLeastLetters) return {text, size * share, width};
  const std::string_view shown = middle_truncated(font, text, width);
  return {shown, size, text_size(font, shown).x};
}

void draw_slanted(const Canvas& canvas, ImFont* font, ImVec2 at, ImU32 colour, std::string_view text) {
  canvas.climbing_text(font, at, colour, text, kSlantSine, kSlantCosine);
}

void draw_axis_picture(Painter& painter, const Canvas& canvas, const MatrixAxis& axis, std::int64_t entry,
                       ImVec2 p0, float side) {
  const std::int64_t patch = axis.pictures ? axis.pictures->patch(entry) : -1;
  if (patch < 0 || side < 3 * ui_scale()) return;
  const auto cols = static_cast<float>(axis.pictures->cols), rows = static_cast<float>(axis.pictures->rows);
  const auto col = static_cast<float>(patch % axis.pictures->cols),
             row = static_cast<float>(patch / axis.pictures->cols);
  canvas.picture(painter, axis.pictures->key, p0, ImVec2(p0.x + side, p0.y + side),
                 ImVec2(col / cols, row / rows), ImVec2((col + 1) / cols, (row + 1) / rows));
}

namespace {

void draw_row_pictures(Painter& painter, const Canvas& canvas, const MatrixPlot& plot,
                       const MatrixLayout& layout, ImVec2 position) {
  const float unit = ui_scale(), side = std::min(kPictureSide * unit, layout.cell.y - 1);
  const auto last = static_cast<std::int64_t>(std::ceil(layout.seen.row1));
  for (auto row = static_cast<std::int64_t>(layout.seen.row0); row < last; ++row) {
    const float y = layout.corner(static_cast<double>(row) + 0.5, 0).y;
    if (y < layout.cells0.y || y > layout.cells1.y) continue;
    draw_axis_picture(
        painter, canvas, plot.rows, row,
        ImVec2(position.x + layout.cells0.x - kPictureGap * unit - side, position.y + y - side / 2), side);
  }
}

void draw_column_pictures(Painter& painter, const Canvas& canvas, const MatrixPlot& plot,
                          const MatrixLayout& layout, ImVec2 position) {
  const float unit = ui_scale(), side = std::min(kPictureSide * unit, layout.cell.x - 1);
  const auto last = static_cast<std::int64_t>(std::ceil(layout.seen.col1));
  for (auto col = static_cast<std::int64_t>(layout.seen.col0); col < last; ++col) {
    const float x = layout.corner(0, static_cast<double>(col) + 0.5).x;
    if (x < layout.cells0.x || x > layout.cells1.x) continue;
    draw_axis_picture(
        painter, canvas, plot.cols, col,
        ImVec2(position.x + x - side / 2, position.y + layout.cells0.y - kPictureGap * unit - side), side);
  }
}

void draw_row_labels(const Canvas& canvas, const MatrixPlot& plot, const MatrixLayout& layout,
                     ImVec2 position, std::int64_t hover) {
  ImFont* font = label_font(plot.rows);
  const float pictures = picture_room(plot.rows);
  const float room = layout.cells0.x - 8 * ui_scale() - pictures, line = text_size(font, "X").y;
  if (room < 6) return;
  const auto last = static_cast<std::int64_t>(std::ceil(layout.seen.row1));
  for (auto row = static_cast<std::int64_t>(layout.seen.row0); row < last; ++row) {
    const bool is_lit =
        lit(row, hover, plot.lit_row, plot.selected_row) || pointed(plot.place, plot.place.row_axis, row);
    if (row % layout.row_stride != 0 && !is_lit) continue;
    if (layout.row_stride > 1 &&
        gives_way(row, {hover, plot.lit_row, plot.selected_row}, layout.cell.y, 0.85f * line))
      continue;
    const float y = layout.corner(static_cast<double>(row) + 0.5, 0).y;
    if (y < layout.cells0.y || y > layout.cells1.y) continue;
    const std::string label = axis_label(plot.rows, row);
    const FittedText text = fitted_text(font, label, room);
    const ImU32 colour = is_lit ? (plot.rows.colour ? plot.rows.colour : theme().text) : theme().text_dim;
    const float right = position.x + layout.cells0.x - 8 * ui_scale() - pictures;
    const ImVec2 at(right - text.width, position.y + y - line / 2);
    if (is_lit && layout.row_stride > 1)
      canvas.fill_rect(ImVec2(right - room, at.y), ImVec2(right + 2, at.y + line), theme().ground);
    canvas.text(font, at, colour, text.text, text.size);
  }
}

void draw_column_labels(const Canvas& canvas, const MatrixPlot& plot, const MatrixLayout& layout,
                        ImVec2 position, std::int64_t hover) {
  ImFont* font = label_font(plot.cols);
  const float line = text_size(font, "X").y, unit = ui_scale();
  const auto last = static_cast<std::int64_t>(std::ceil(layout.seen.col1));
  for (auto col = static_cast<std::int64_t>(layout.seen.col0); col < last; ++col) {
    const bool is_lit =
        lit(col, hover, plot.lit_col, plot.selected_col) || pointed(plot.place, plot.place.col_axis, col);
    if (col % layout.col_stride != 0 && !is_lit) continue;
    if (plot.cols.pictures && plot.cols.pictures->patch(col) >= 0) continue;  // its picture is the label
    const float x = layout.corner(0, static_cast<double>(col) + 0.5).x;
    if (x < layout.cells0.x || x > layout.cells1.x) continue;
    const float room =
        layout.slanted ? kLongestSlanted * unit : layout.cell.x * static_cast<float>(layout.col_stride);
    const std::string label = axis_label(plot.cols, col);
    const FittedText text = fitted_text(font, label, room);
    const ImU32 colour = is_lit ? (plot.cols.colour ? plot.cols.colour : theme().text) : theme().text_dim;
    const float y = position.y + layout.cells0.y;
    if (layout.slanted) {
      draw_slanted(canvas, font, ImVec2(position.x + x, y - line * 0.45f), colour,
                   middle_truncated(font, label, room));
      continue;
    }
    const float width = text.width;
    const ImVec2 at(position.x + x - width / 2, y - line - 3 * unit);
    if (is_lit && layout.col_stride > 1)
      canvas.fill_rect(ImVec2(at.x - 3, at.y), ImVec2(at.x + width + 3, at.y + line), theme().ground);
    canvas.text(font, at, colour, text.text, text.size);
  }
}

// Column title above the cells, row title to the left of them if it fits. Otherwise both are moved left, and
// truncated, so that they end inside the window.
void draw_axis_titles(const Canvas& canvas, const MatrixPlot& plot, const MatrixLayout& layout,
                      ImVec2 position) {
  ImFont* const font = fonts().small;
  const float unit = ui_scale(), left = position.x + layout.cells0.x;
  const float end = ImGui::GetWindowDrawList()->GetClipRectMax().x - 4 * unit;
  const auto draw = [&](const MatrixAxis& axis, float x, float room) {
    if (axis.title.empty()) return;
    draw_text(canvas, font, ImVec2(x, position.y), axis.colour ? axis.colour : theme().text_dim,
              middle_truncated(font, axis.title, room));
  };
  const float cols = text_size(font, plot.cols.title).x, rows = text_size(font, plot.rows.title).x;
  if (plot.rows.title.empty()) return draw(plot.cols, left, cols);
  if (plot.cols.title.empty()) return draw(plot.rows, left, rows);
  if (layout.cells0.x >= rows + 8 * unit) {
    draw(plot.rows, left - rows - 8 * unit, rows);
    return draw(plot.cols, left, cols);
  }
  const float gap = 12 * unit, x = std::max(position.x, std::min(left, end - cols - gap - rows));
  const float half = (end - x - gap) / 2;
  const float first = std::min(cols, std::max(half, end - x - gap - rows));
  draw(plot.cols, x, first);
  draw(plot.rows, x + first + gap, std::max(0.f, end - x - gap - first));
}

}  // namespace

void draw_axes(Painter& painter, const Canvas& canvas, const MatrixPlot& plot, const MatrixLayout& layout,
               ImVec2 position, std::int64_t hover_row, std::int64_t hover_col) {
  if (plot.rows.show_labels && plot.rows.pictures) draw_row_pictures(painter, canvas, plot, layout, position);
  if (plot.cols.show_labels && plot.cols.pictures)
    draw_column_pictures(painter, canvas, plot, layout, position);
  if (plot.rows.show_labels) draw_row_labels(canvas, plot, layout, position, hover_row);
  if (plot.cols.show_labels) draw_column_labels(canvas, plot, layout, position, hover_col);
  draw_axis_titles(canvas, plot, layout, position);
}

namespace {

// Size of a cell that holds ".35" (or "−1.2") in this font; digits are lower than the line height.
ImVec2 number_cell(ImFont* font, bool negative) {
  const ImVec2 character = text_size(font, "0");
  return ImVec2(character.x * (negative ? 4.f : 3.f) + 2.4f * ui_scale(), character.y * 0.78f);
}

}  // namespace

ImVec2 least_number_cell(bool negative) { return number_cell(fonts().mono_tiny, negative); }

std::string compact_number(float value) {
  const float size = std::fabs(value);
  if (!std::isfinite(value) || is_masked(value) || size >= 1e6f) return number_text(value, 0);
  std::string text = number_text(value, size >= 9.95f ? 0 : size >= 0.995f ? 1 : value == 0.f ? 0 : 2);
  if (const std::size_t zero = text.find("0."); size < 0.995f && zero != std::string::npos)
    text.erase(zero, 1);
  return text;
}

namespace {

constexpr float kDigitHeight = 0.75f;  // of a line: the space above and below digits is empty

}  // namespace

NumberFormat fitting_numbers(const MatrixPlot& plot, const MatrixLayout& layout) {
  const float unit = ui_scale();
  const ImVec2 smallest = least_number_cell(false);
  if (!plot.show_numbers || layout.cell.x < std::min(16 * unit, smallest.x) || layout.cell.y < smallest.y)
    return {};
  std::size_t whole = 1, fewest = 0;  // characters before the point; characters of "−∞" or "NaN"
  bool integers = true, negative = false;
  float most = 0;
  const std::int64_t cols = plot.values.size(1), count = std::min(plot.values.size(0) * cols, kLooked);
  for (std::int64_t i = 0; i < count; ++i) {
    const float value = plot.values.at(i / cols, i % cols) / plot.number_unit;
    if (!std::isfinite(value) || is_masked(value)) {
      fewest = std::max<std::size_t>(fewest, std::isnan(value) ? 3 : 2);
      continue;
    }
    whole = std::max(whole, std::fabs(value) >= 1e6f
                                ? 5
                                : utf8_length(number_text(std::trunc(value), 0)) + (value < 0 && value > -1));
    most = std::max(most, std::fabs(value));
    negative = negative || value < 0;
    integers = integers && value == std::floor(value) && std::fabs(value) < 1e6f;
  }
  const float room = layout.cell.x - 5 * unit;
  const int fewest_digits = most <= 1 ? 2 : 1;  // values up to 1 need two decimals: 0.0 is not useful
  for (ImFont* candidate : {fonts().formula, fonts().mono, fonts().mono_small}) {
    const bool large = candidate == fonts().formula;
    if (large && !plot.large_numbers) continue;
    const ImVec2 character = text_size(candidate, "0");
    if (character.y * (large ? kDigitHeight : 1.f) > layout.cell.y) continue;
    const auto fits = static_cast<std::size_t>(room / character.x);
    if (fits < fewest) continue;
    if (integers && fits >= whole) return {0, false, false, candidate};
    const auto digits = static_cast<int>(fits) - static_cast<int>(whole) - 1;
    if (digits >= std::min(candidate == fonts().mono ? plot.digits : fewest_digits, plot.digits))
      return {std::min(digits, plot.digits), false, false, candidate};
    const bool bare =
        candidate == fonts().mono_small && most < 1 && digits + 1 >= std::min(fewest_digits, plot.digits);
    if (bare) return {std::min(digits + 1, plot.digits), true, false, candidate};
    const ImVec2 least = number_cell(candidate, negative);
    const bool few = large && plot.short_numbers && least.x <= layout.cell.x && least.y <= layout.cell.y;
    if (few) return {0, true, true, candidate};
  }
  for (ImFont* candidate : {fonts().mono_small, fonts().mono_tiny}) {
    const ImVec2 least = number_cell(candidate, negative);
    if (layout.cell.x >= least.x && layout.cell.y >= least.y) return {0, true, true, candidate};
  }
  return {};
}

// "0.0734", "5.2·10⁻⁶"; without room for a power of ten "5.24e-6".
std::string tick_number(double value, bool room) {
  const std::string text = format("%.3g", value);
  if (!std::isfinite(value) || text.find('e') == std::string::npos) return short_number(value);
  return with_real_minus(room ? with_power(value, 1) : tidy_exponent(text));
}

}  // namespace attnscope
