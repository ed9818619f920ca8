// Matrices side by side, in cells that just hold a number, in one line or two.
#include <algorithm>
#include <array>
#include <utility>

#include "app/look/fonts.h"
#include "app/look/theme.h"
#include "app/views/steps_plot.h"

namespace attnscope {
namespace {

constexpr float kSlanted = 20;  // what the last slanted label takes beyond its column
// Of a dense line, units: labels of rows at most, a column of numbers at least, a sign, a gap.
struct DenseParts {
  float labels, column, sign, gap;
};
constexpr DenseParts kDense{200, 40, 22, 6}, kTight{60, 36, 20, 3};

struct DenseEntry {
  int id = 0;
  const std::string* sign = nullptr;  ///< before it; null: none
  bool more = false;                  ///< its block goes on behind it
  bool below = false;  ///< begins what stands below: its columns are as wide as the first matrix's
};
using DensePlan = std::array<std::vector<DenseEntry>, 2>;

bool is_single(const Figure& figure, int id) { return operand_of(figure, id).col.key == "one"; }

// Nothing in the first line where the figure cannot stand so.
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
      lines[b < second ? 0 : 1].push_back({id, front && !sign.empty() ? &sign : nullptr,
                                           id != figure.blocks[b].operands.back(), front && b == second});
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

float FigurePlot::names_above(const ViewContext& context, const Figure& figure, std::size_t blocks,
                              float grow) {
  float names = 0;
  for (std::size_t b = 0; b < blocks; ++b)
    for (const int id : figure.blocks[b].operands) {
      const Operand& operand = operand_of(figure, id);
      const bool negative = values(context, operand, difference_).range.least < 0;
      names = std::max(names, column_labels(context, operand, least_number_cell(negative).x * grow));
    }
  return names;
}

bool FigurePlot::place_dense(const ViewContext& context, const Figure& figure, ImVec2 position, ImVec2 size,
                             DenseLines how, float stretch, bool tight) {
  const DenseParts& parts = tight ? kTight : kDense;
  const float unit = ui_scale(), line = text_size(fonts().small, "X").y;
  const DensePlan lines = dense_plan(figure, how);
  if (lines[0].empty()) return false;
  const bool two = how != DenseLines::one;
  const auto need = [&](int id) {
    return least_number_cell(values(context, operand_of(figure, id), difference_).range.least < 0).x;
  };
  const int first = lines[0].front().id;
  const float head = need(first);
  const auto cell = [&](const DenseEntry& entry, float grow) {
    if (!is_single(figure, entry.id)) return (entry.below ? head : need(entry.id)) * grow;
    const float title = text_size(fonts().small, operand_of(figure, entry.id).title).x;  // over it alone
    return std::max(parts.column * unit, title + parts.gap * unit);
  };
  // What a line takes beside the cells of its matrices, and what those need.
  const float labels = std::min(label_width(context, operand_of(figure, first)), parts.labels * unit);
  float fixed[2] = {labels, labels + kLegend * unit}, needed[2] = {0, 0}, rows[2] = {0, 0};
  const int last = lines[0].back().id;
  const bool slants = column_labels(context, operand_of(figure, last), need(last)) > 2 * line;
  fixed[0] += (!two ? kLegend : slants && !is_single(figure, last) ? kSlanted : 0) * unit;
  for (const int at : {0, 1})
    for (const DenseEntry& entry : lines[static_cast<std::size_t>(at)]) {
      if (entry.sign && at == 0) fixed[at] += parts.sign * unit;
      if (entry.more) fixed[at] += parts.gap * unit;
      const auto count = static_cast<float>(seen(operand_of(figure, entry.id).col));
      (is_single(figure, entry.id) ? fixed : needed)[at] += count * cell(entry, 1);
      rows[at] = std::max(rows[at], static_cast<float>(seen(operand_of(figure, entry.id).row)));
    }
  const auto fits = [&](float width) {
    const float above = std::max((width - fixed[0]) / std::max(needed[0], 1.f), 0.f);
    return two ? std::min(above, (width - fixed[1]) / std::max(needed[1], 1.f)) : above;
  };
  if (fits(size.x * stretch) < 1) return false;
  const float grow = std::max(1.f, fits(size.x));
  const float below = line + 12 * unit;  // between the lines: a title
  const float header =
      line + 4 * unit + names_above(context, figure, figure.blocks.size() - (two ? 1 : 0), grow);
  const float least = least_number_cell(false).y;
  const float words = header + (two ? below : 0), all = std::max(rows[0] + rows[1], 1.f);
  if ((size.y * stretch - words) / all < least) return false;
  const float rest = size.y - words - (stretch > 1 ? ImGui::GetStyle().ScrollbarSize + 8 * unit : 0);
  const float ch = std::clamp(rest / all, least, std::max(head * grow * 0.62f, 24 * unit));
  panels_.assign(figure.operands.size(), {});
  signs_.clear();
  float x = position.x, y = position.y, right = 0;
  for (const bool lower : {false, true}) {
    if (lower) x = position.x, y = position.y + header + rows[0] * ch;
    const float top = lower ? below : header;
    const auto& entries = lines[lower ? 1 : 0];
    for (const DenseEntry& entry : entries) {
      const Operand& operand = operand_of(figure, entry.id);
      if (entry.sign)
        signs_.emplace_back(ImVec2(lower ? position.x + labels / 2 : x + parts.sign * unit / 2,
                                   y + (lower ? below - line * 0.7f : top + rows[0] * ch / 2)),
                            *entry.sign);
      if (entry.sign && !lower) x += parts.sign * unit;
      Panel& panel = panels_[static_cast<std::size_t>(entry.id)];
      panel.row_labels = &entry == &entries.front();
      panel.labels = panel.row_labels ? labels : 0, panel.col_labels = !lower;
      panel.cell = ImVec2(cell(entry, grow), ch);
      const float title = line + 4 * unit;
      const float lowered = is_single(figure, entry.id) && top > 2.5f * title ? top - title : 0.f;
      panel.header = top - lowered;
      panel.position = ImVec2(x, y + lowered);
      panel.size = ImVec2(panel.labels + panel.cell.x * static_cast<float>(seen(operand.col)),
                          panel.header + ch * static_cast<float>(seen(operand.row)));
      x += panel.size.x + (entry.more ? parts.gap * unit : 0);
    }
    right = std::max(right, x);
    if (!two) break;
  }
  windowed_ = any_windowed(figure);
  used_ = ImVec2(right - position.x, y - position.y + (two ? below + rows[1] * ch : header + rows[0] * ch));
  const float top = two ? y + below : position.y + header;
  legend_ = ImVec2(x + 22 * unit, top - line - 6 * unit);
  legend_height_ = std::max(90 * unit, position.y + used_.y - legend_.y);
  return true;
}

}  // namespace attnscope
