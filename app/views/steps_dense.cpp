// Compact layout: matrices side by side, with the smallest cells for a number or colour, in one or two lines.
#include <algorithm>
#include <array>
#include <utility>

#include "app/look/fonts.h"
#include "app/look/theme.h"
#include "app/views/steps_plot.h"

namespace attnscope {
namespace {

constexpr float kOverhang = 20;  // units: overhang of a slanted label over the column beside it
// Of a compact line, units: row labels at most, a column of numbers at least, a sign, a gap.
struct DenseParts {
  float labels, column, sign, gap;
};
constexpr DenseParts kDense{200, 40, 22, 6}, kTight{60, 36, 20, 3};
// Cells with colours only, units: widths to try, and the minimum height.
constexpr float kColourWidths[] = {10, 8, 6, 5, 4, 3, 2, 1, 0.5f, 0.25f};
constexpr float kNarrowColour = 3, kLeastBesideDigits = 3, kWidestColour = 40, kLeastSeen = 1,
                kColourHeight = 3, kLeastInOneLine = 5;

}  // namespace

/// An operand in a line.
struct DenseEntry {
  int id = 0;
  const std::string* sign = nullptr;  ///< sign in front of it; null: none
  bool more = false;                  ///< its block continues after it
  bool single_next = false;           ///< followed by a single column
  bool below = false;  ///< starts the second line; its columns are as wide as the first matrix's
};
/// Two lines; the second may be empty.
using DensePlan = std::array<std::vector<DenseEntry>, 2>;

namespace {

bool is_single(const Figure& figure, int id) { return operand_of(figure, id).col.key == "one"; }

// The first line is empty if the figure cannot be laid out in this way.
DensePlan dense_plan(const Figure& figure, DenseLines how) {
  const bool upright = std::any_of(figure.blocks.begin(), figure.blocks.end(),
                                   [](const Block& block) { return block.vertical; });
  const std::size_t blocks = figure.blocks.size(), second = how == DenseLines::one ? blocks : blocks - 1;
  DensePlan lines;
  if (upright || blocks == 0 || second == 0) return lines;
  for (std::size_t b = 0; b < blocks; ++b)
    for (const int id : figure.blocks[b].operands) {
      const bool front = id == figure.blocks[b].operands.front();
      const std::string& sign = figure.blocks[b].sign;
      auto& line = lines[b < second ? 0 : 1];
      if (!line.empty()) line.back().single_next = is_single(figure, id);
      line.push_back({id, front && !sign.empty() ? &sign : nullptr, id != figure.blocks[b].operands.back(),
                      false, front && b == second});
    }
  if (how != DenseLines::two_lower) return lines;
  if (lines[0].size() < 2 || lines[1].empty() || !is_single(figure, lines[0].back().id)) return {};
  DenseEntry single = lines[0].back();
  lines[0].pop_back();
  lines[0].back().more = false;
  single.sign = std::exchange(lines[1].front().sign, nullptr);
  single.more = true;
  lines[1].insert(lines[1].begin(), single);
  return lines;
}

}  // namespace

/// Result of place_dense(), pixels; for both lines if there are two.
struct DenseSizes {
  DensePlan lines;
  float labels = 0;  ///< width of the row labels
  float header = 0;  ///< height above the first line: column labels and titles
  float below = 0;   ///< space between the lines
  float line = 0;    ///< height of small text
  float sign = 0;    ///< width of a sign
  bool two = false;
  std::array<float, 2> rows{};               ///< number of rows
  std::array<float, 2> ch{};                 ///< height of a cell
  std::array<std::vector<ImVec2>, 2> cells;  ///< for each entry: width of a cell, and gap after it
};

float FigurePlot::dense_need(const ViewContext& context, const Operand& operand, const DenseWay& way) {
  if (way.colours > 0 && !(way.digits && operand.is_result)) return way.colours * ui_scale();
  return least_number_cell(values(context, operand, difference_).range.least < 0).x;
}

float FigurePlot::names_above(const ViewContext& context, const Figure& figure, std::size_t blocks,
                              float grow, const DenseWay& way) {
  float names = 0;
  for (std::size_t b = 0; b < blocks; ++b)
    for (const int id : figure.blocks[b].operands) {
      const Operand& operand = operand_of(figure, id);
      names = std::max(names, column_labels(context, operand, dense_need(context, operand, way) * grow));
    }
  return names;
}

bool FigurePlot::place_colours(const ViewContext& context, const Figure& figure, ImVec2 position,
                               ImVec2 size) {
  const float line_cell = panels_.empty() ? 0.f : panels_.front().cell.x;       // with the current layout
  const bool pictures = has_pictures(context, figure.operands.front(), false);  // column labels with pictures
  if (pictures && line_cell >= kNarrowColour * ui_scale()) return false;
  const auto stands = [&](DenseLines lines, float colours, bool digits) {
    return place_dense(context, figure, position, size, {lines, 1.f, false, colours, digits}) ||
           place_dense(context, figure, position, size, {lines, 1.f, true, colours, digits});
  };
  constexpr DenseLines kLines[] = {DenseLines::one, DenseLines::two, DenseLines::two_lower};
  for (const DenseLines lines : kLines)
    for (const float colours : kColourWidths)
      if (context.workspace.presenting && colours >= kLeastBesideDigits && stands(lines, colours, true))
        return true;
  for (const float colours : kColourWidths)  // low cells in two lines are harder to read than one line
    if (whole_in_room_ && !context.workspace.presenting && colours >= kLeastInOneLine &&
        line_cell < colours * ui_scale() && stands(DenseLines::one, colours, false))
      return true;
  if (whole_in_room_ && !context.workspace.presenting && line_cell >= kLeastInOneLine * ui_scale())
    return false;
  for (const float colours : kColourWidths) {
    if (line_cell >= colours * ui_scale()) return false;
    for (const DenseLines lines : kLines)
      if (stands(lines, colours, false)) return true;
  }
  return false;
}

bool FigurePlot::place_dense(const ViewContext& context, const Figure& figure, ImVec2 position, ImVec2 size,
                             const DenseWay& way) {
  const DenseParts& parts = way.tight ? kTight : kDense;
  const float unit = ui_scale(), line = text_size(fonts().small, "X").y, stretch = way.stretch;
  const DensePlan lines = dense_plan(figure, way.lines);
  if (lines[0].empty()) return false;
  const bool two = way.lines != DenseLines::one, colours = way.colours > 0;
  const float legend = way.digits ? 8 : kLegend;
  const auto need = [&](int id) { return dense_need(context, operand_of(figure, id), way); };
  const int first = lines[0].front().id;
  const float head = need(first);
  const auto cell = [&](const DenseEntry& entry, float grow) {
    if (!is_single(figure, entry.id)) return (entry.below && !colours ? head : need(entry.id)) * grow;
    const float title = text_size(fonts().small, operand_of(figure, entry.id).title).x;  // title of a column
    return std::max(parts.column * unit, title + parts.gap * unit);
  };
  // The last label of a narrow matrix may extend over the single column beside it.
  const auto gap = [&](const DenseEntry& entry) {
    const bool before_single = colours && !is_single(figure, entry.id) && entry.single_next;
    return (before_single ? std::max(parts.gap, kOverhang - 4) : parts.gap) * unit;
  };
  // Width of a line apart from the cells of its matrices, and minimum width of the cells.
  float labels = 0;
  for (const int at : {0, two ? 1 : 0}) {
    const Operand& named = operand_of(figure, lines[static_cast<std::size_t>(at)].front().id);
    const float pictured = has_pictures(context, named, true) ? kStepsPicture : 0.f;
    labels = std::max(labels, std::min(label_width(context, named), (parts.labels + pictured) * unit));
  }
  float fixed[2] = {labels, labels + legend * unit}, needed[2] = {0, 0}, rows[2] = {0, 0};
  const int last = lines[0].back().id;
  const bool slants = column_labels(context, operand_of(figure, last), need(last)) > 2 * line;
  const float slanted = slants && !is_single(figure, last)
                            ? last_label_overhang(context, operand_of(figure, last), need(last))
                            : 0;
  fixed[0] += two ? slanted : std::max(legend * unit, slanted);
  for (const int at : {0, 1})
    for (const DenseEntry& entry : lines[static_cast<std::size_t>(at)]) {
      if (entry.sign && at == 0) fixed[at] += parts.sign * unit;
      if (entry.more) fixed[at] += gap(entry);
      const auto count = static_cast<float>(seen(operand_of(figure, entry.id).col));
      (is_single(figure, entry.id) ? fixed : needed)[at] += count * cell(entry, 1);
      rows[at] = std::max(rows[at], static_cast<float>(seen(operand_of(figure, entry.id).row)));
    }
  const auto fits = [&](float width, int at) {
    return std::max((width - fixed[at]) / std::max(needed[at], 1.f), 0.f);
  };
  const auto fit = [&](float width) {
    return two ? std::min(fits(width, 0), fits(width, 1)) : fits(width, 0);
  };
  if (fit(size.x * stretch) < 1) return false;
  float grow[2] = {std::max(1.f, fit(size.x)), 0};
  grow[1] = grow[0];
  if (colours)  // each line uses the available width
    for (const int at : {0, two ? 1 : 0})
      grow[at] = std::max(1.f, std::min(fits(size.x, at), kWidestColour / way.colours));
  const float below = line + 12 * unit;  // between the lines: a title
  const float header =
      line + 4 * unit + names_above(context, figure, figure.blocks.size() - (two ? 1 : 0), grow[0], way);
  const float digits = least_number_cell(false).y, coloured = std::min(kColourHeight * unit, digits);
  const float least[2] = {colours && (two || !way.digits) ? coloured : digits,
                          colours && !way.digits ? coloured : digits};  // the result is in the last line
  const float words = header + (two ? below : 0);
  const float all = std::max(rows[0] * least[0] + rows[1] * least[1], 1.f);
  if (size.y * stretch - words < all) return false;
  const float rest = size.y - words - (stretch > 1 ? ImGui::GetStyle().ScrollbarSize + 8 * unit : 0);
  const float even = rest / std::max(rows[0] + rows[1], 1.f),
              most = std::max(head * grow[0] * 0.62f, 24 * unit);
  float ch[2] = {std::clamp(even, least[0], std::max(most, least[0])), 0};
  ch[1] = std::clamp(even, least[1], std::max(most, least[1]));
  if (even < least[1] && two)  // the result's minimum height is taken from its inputs
    ch[0] = std::max(least[0], (rest - rows[1] * ch[1]) / std::max(rows[0], 1.f));
  DenseSizes sizes{lines,          labels, header, below, line, parts.sign * unit, two, {rows[0], rows[1]},
                   {ch[0], ch[1]}, {}};
  for (const std::size_t at : {0, 1})
    for (const DenseEntry& entry : lines[at]) sizes.cells[at].emplace_back(cell(entry, grow[at]), gap(entry));
  put_dense(figure, position, sizes, way);
  return true;
}

// Assigns a panel to every operand, line by line.
void FigurePlot::put_dense(const Figure& figure, ImVec2 position, const DenseSizes& sizes,
                           const DenseWay& way) {
  const float unit = ui_scale(), line = sizes.line, header = sizes.header, below = sizes.below;
  const float labels = sizes.labels;
  const auto &rows = sizes.rows, &ch = sizes.ch;
  const bool two = sizes.two;
  panels_.assign(figure.operands.size(), {});
  signs_.clear();
  float x = position.x, y = position.y, right = 0;
  for (const bool lower : {false, true}) {
    if (lower) x = position.x, y = position.y + header + rows[0] * ch[0];
    const float top = lower ? below : header, tall = ch[lower ? 1 : 0];
    const auto& entries = sizes.lines[lower ? 1 : 0];
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const DenseEntry& entry = entries[i];
      const ImVec2 cell = sizes.cells[lower ? 1 : 0][i];  // cell width, and gap after it
      const Operand& operand = operand_of(figure, entry.id);
      if (entry.sign)
        signs_.emplace_back(ImVec2(lower ? position.x + labels / 2 : x + sizes.sign / 2,
                                   y + (lower ? below - line * 0.7f : top + rows[0] * tall / 2)),
                            *entry.sign);
      if (entry.sign && !lower) x += sizes.sign;
      Panel& panel = panels_[static_cast<std::size_t>(entry.id)];
      panel.row_labels = i == 0;
      panel.labels = panel.row_labels ? labels : 0, panel.col_labels = !lower;
      panel.cell = ImVec2(cell.x, tall);
      const float title = line + 4 * unit;
      const float lowered = is_single(figure, entry.id) && top > 2.5f * title ? top - title : 0.f;
      panel.header = top - lowered;
      panel.position = ImVec2(x, y + lowered);
      panel.size = ImVec2(panel.labels + panel.cell.x * static_cast<float>(seen(operand.col)),
                          panel.header + tall * static_cast<float>(seen(operand.row)));
      x += panel.size.x + (entry.more ? cell.y : 0);
    }
    right = std::max(right, x);
    if (!two) break;
  }
  windowed_ = any_windowed(figure);
  used_ =
      ImVec2(right - position.x, y - position.y + (two ? below + rows[1] * ch[1] : header + rows[0] * ch[0]));
  const float top = two ? y + below : position.y + header;
  legend_ = way.digits ? position : ImVec2(x + 22 * unit, top - line - 6 * unit);
  legend_height_ = way.digits ? 0.f : std::max(90 * unit, position.y + used_.y - legend_.y);
}

void FigurePlot::place_row(const ViewContext& context, const Figure& figure, ImVec2 position, ImVec2 size) {
  place_line(context, figure, position, size);
  if (numbers_fit(context, figure)) return;
  for (const DenseLines lines : {DenseLines::one, DenseLines::two, DenseLines::two_lower})
    for (const bool tight : {false, true})
      if (place_dense(context, figure, position, size, {lines, 1.f, tight})) return;
  const bool still = fits_always(context);
  for (const DenseLines lines : {DenseLines::two, DenseLines::one})
    for (const bool tight : {false, true})
      if (!still && figure.extra == Figure::Extra::none &&
          place_dense(context, figure, position, size, {lines, 1.3f, tight}))
        return;
  panels_.assign(figure.operands.size(), {});
  signs_.clear();
  place_line(context, figure, position, size);
  const bool narrow = panels_.front().cell.x < kNarrowColour * ui_scale();
  const bool placed = place_colours(context, figure, position, size);
  if (placed ? panels_.front().cell.x >= kLeastSeen * ui_scale() : !narrow) return;
  panels_.assign(figure.operands.size(), {});
  signs_.clear();
  place_line(context, figure, position, size, true);
}

}  // namespace attnscope
