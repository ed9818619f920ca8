// Layout of a figure: positions of its matrices, and cell sizes.
#include <algorithm>

#include "app/look/fonts.h"
#include "app/look/theme.h"
#include "app/views/steps_plot.h"

namespace attnscope {
namespace {

constexpr double kMostSeen = 512;                             // visible cells per axis, at most
constexpr float kStepsPlaceCellWidth = 96, kCellHeight = 56;  // units, at most
constexpr float kInnerHeight = 40;                            // for rows of the top factor
constexpr float kMostForResult = 0.85f;                       // of the room, at the expense of its inputs
constexpr float kLeastLegend = 48, kCornerLegend = 72;        // units
constexpr float kSign = 30, kStepsPlaceGap = 10, kPlaceIndent = 6;
constexpr float kStepsPlaceColumn = 54,
                kGradientColumn = 88;  // a single column of numbers; with its unit in the title
constexpr float kTightColumn = 38, kTightSign = 20, kLineRoom = 6;
constexpr float kLeastShareOfRoom = 0.4f;  // that cells without numbers have at least
constexpr float kLeastBelowNames = 110;    // units for the rows of both factors of a product

constexpr float kLeastSingle = 15, kMostSingle = 30;  // height limits of a single row

// Stacked matrices share column labels.
bool names_once(const Figure& figure) { return figure.rule == Rule::copy || figure.rule == Rule::norm; }

float column_width(const Operand& operand, bool tight) {
  if (tight) return kTightColumn;
  return operand.gradient && operand.map == Colormap::diverging ? kGradientColumn : kStepsPlaceColumn;
}

// Divides `room` in proportion to two lengths, neither below a sixth of it nor above its preferred length;
// the first gets at most `most` of it if the other needs the rest.
std::pair<float, float> shared(float room, float one, float other, float most) {
  if (one + other <= room) return {one, other};
  float first = room * one / (one + other);
  first = std::clamp(first, std::min(one, room / 6), std::max(room - other, room * most));
  return {first, std::min(other, room - first)};
}

}  // namespace

FigurePlot::Span& FigurePlot::span(const FigureAxis& axis) {
  Span& span = spans_[axis.key + "#" + std::to_string(axis.size)];
  const double size = static_cast<double>(axis.size);
  if (span.hi <= span.lo || span.hi > size) span = {0, std::min(size, kMostSeen)};
  return span;
}

bool FigurePlot::any_windowed(const Figure& figure) {
  return std::any_of(figure.operands.begin(), figure.operands.end(), [&](const Operand& o) {
    return seen(o.row) < static_cast<double>(o.row.size) || seen(o.col) < static_cast<double>(o.col.size);
  });
}

void FigurePlot::place_product(const ViewContext& context, const Figure& figure, ImVec2 position,
                               ImVec2 size) {
  const Operand &left = figure.operands[0], &top = figure.operands[1];
  const int result = figure.result();
  const bool bias = figure.operands.size() > 3;
  const float unit = ui_scale(), line = text_size(fonts().small, "X").y, gap = 26 * unit;
  const float labels = label_width(context, left);
  const auto inner = static_cast<float>(seen(left.col)), rows = static_cast<float>(seen(left.row));
  const auto cols = static_cast<float>(seen(top.col));
  const bool corner = inner * 12 * unit >= kLegend * unit;  // the corner above the left factor has the legend
  const float wide = std::max(size.x - labels - gap - (corner ? 8 : kLegend) * unit, 40.f);
  auto [inner_w, cols_w] =
      shared(wide, inner * kStepsPlaceCellWidth * unit, cols * kStepsPlaceCellWidth * unit, 0.6f);
  const float between = line + 8 * unit + (bias ? line + 24 * unit : 0);
  const float names = column_labels(context, top, cols_w / cols);
  // Where they would leave the numbers next to nothing, the names of the columns go.
  const bool named = size.y - line - 4 * unit - names - between >= kLeastBelowNames * unit;
  const float header = line + 4 * unit + (named ? names : 0);
  const float tall = std::max(size.y - header - between, 40.f);
  auto [inner_h, rows_h] = shared(tall, inner * kInnerHeight * unit, rows * kCellHeight * unit, 0.5f);
  const float least = least_number_cell(false).y * 1.02f;
  if ((inner + rows) * least <= tall) {  // both have room for digits
    inner_h = std::clamp(inner_h, inner * least, tall - rows * least);
    rows_h = std::min(rows * kCellHeight * unit, tall - inner_h);
  } else if (rows_h < rows * least && rows * least <= tall * kMostForResult) {
    rows_h = rows * least, inner_h = std::min(inner_h, tall - rows_h);
  }
  const float digits =
      least_number_cell(values(context, operand_of(figure, result), difference_).range.least < 0).x;
  if (cols_w < cols * digits && cols * digits <= wide * kMostForResult && rows_h >= rows * least)
    cols_w = cols * digits, inner_w = std::min(inner_w, wide - cols_w);
  // Limits the aspect of cells.
  const float cw = std::min(cols_w / cols, std::max(rows_h / rows * 4, 26 * unit));
  const float ch = std::min(rows_h / rows, std::max(cw * 0.62f, 24 * unit));
  const float iw = std::min(inner_w / inner, std::max(cw, 24 * unit)),
              ih = std::min(inner_h / inner, std::max(ch, 22 * unit));
  const float x = position.x + labels + inner * iw + gap, y = position.y + header + inner * ih + between;
  Panel& a = panels_[0];
  // Its columns are numbered where the corner above is empty and a number fits over each.
  const bool numbered = !corner && left.col.names == FigureAxis::Names::index && ih * inner > 2 * line &&
                        iw > 2 * line && left.picked_cols.empty();
  a.labels = labels, a.row_labels = true, a.col_labels = numbered;
  a.header = line + 4 * unit + (numbered ? line + 3 * unit : 0);
  a.cell = ImVec2(iw, ch), a.position = ImVec2(position.x, y - a.header),
  a.size = ImVec2(labels + inner * iw, a.header + rows * ch);
  Panel& b = panels_[1];
  b.header = header, b.cell = ImVec2(cw, ih), b.position = ImVec2(x, position.y), b.col_labels = named,
  b.size = ImVec2(cols * cw, header + inner * ih);
  if (bias) {
    Panel& c = panels_[2];
    c.header = line + 2 * unit, c.col_labels = false, c.cell = ImVec2(cw, 20 * unit);
    c.size = ImVec2(cols * cw, c.header + 20 * unit);
    c.position = ImVec2(x, y - line - 6 * unit - c.size.y);  // above the title of the result
  }
  if (top.row.names ==
      FigureAxis::Names::token) {  // V's rows are tokens: their labels are in the free corner
    b.row_labels = true;
    b.labels = std::min(label_width(context, top), x - position.x);
    b.position.x -= b.labels, b.size.x += b.labels;
  }
  Panel& r = panels_[static_cast<std::size_t>(result)];
  r.cell = ImVec2(cw, ch), r.col_labels = false;
  r.header = 0, r.position = ImVec2(x, y), r.size = ImVec2(cols * cw, rows * ch);
  legend_ = ImVec2(x + cols * cw + 24 * unit,
                   std::max(position.y, std::min(y - line - 6 * unit, position.y + size.y - 96 * unit)));
  legend_height_ = std::clamp(rows * ch + line + 6 * unit, 90 * unit,
                              std::max(90 * unit, position.y + size.y - legend_.y));
  used_ = ImVec2(x + cols * cw - position.x, y + rows * ch - position.y);
  if (corner) {
    // As high as the top factor, above the left one's title; beside the top one's row labels.
    const float above = y - position.y - header - 4 * unit, beside = inner * iw + gap - panels_[1].labels;
    legend_ = ImVec2(position.x + labels, position.y + header - line - 6 * unit);
    legend_height_ = std::min(std::clamp(above - between - 4 * unit, 60 * unit, 150 * unit), above);
    if (legend_height_ < kLeastLegend * unit || beside < kCornerLegend * unit) legend_height_ = 0;
  }
  windowed_ = inner < static_cast<float>(left.col.size) || rows < static_cast<float>(left.row.size) ||
              cols < static_cast<float>(top.col.size);
}

// Places the panels of a block; returns its width, pixels. `bottom` > 0: lower edge of the last panel.
float FigurePlot::place_block(const Figure& figure, const Block& block, ImVec2 at, float bottom, ImVec2 cell,
                              float header, bool tight) {
  const float unit = ui_scale();
  float x = at.x, y = at.y, widest = 0, height = 0;
  for (const int id : block.operands) {
    const Operand& operand = figure.operands[static_cast<std::size_t>(id)];
    Panel& panel = panels_[static_cast<std::size_t>(id)];
    const bool column = operand.col.key == "one", row = operand.row.key == "one";
    panel.cell = ImVec2(column ? std::max(cell.x, column_width(operand, tight) * unit) : cell.x,
                        row ? std::min(std::max(cell.y, kLeastSingle * unit), kMostSingle * unit) : cell.y);
    const bool later = block.vertical && id != block.operands.front() && names_once(figure);
    panel.header = later ? text_size(fonts().small, "X").y + 4 * unit : header;
    panel.col_labels = !later;
    const float width = panel.cell.x * static_cast<float>(seen(operand.col)),
                tall = panel.cell.y * static_cast<float>(seen(operand.row));
    // A column's title is directly above it, below slanted labels of the matrix beside it.
    const float title = text_size(fonts().small, "X").y + 4 * unit;
    const float lower = column && !block.vertical && panel.header > 2.5f * title ? panel.header - title : 0.f;
    panel.header -= lower;
    panel.indent = lower > 0 ? kPlaceIndent * unit : 0;
    panel.position = ImVec2(x, y + lower);
    panel.size = ImVec2(panel.labels + width, panel.header + tall);
    if (block.vertical)
      y += panel.size.y + 8 * unit;
    else
      x += panel.size.x + kStepsPlaceGap * unit;
    widest = std::max(widest, panel.size.x);
    height = std::max(height, panel.position.y + panel.size.y - at.y);
  }
  if (bottom > 0)
    for (const int id : block.operands)
      panels_[static_cast<std::size_t>(id)].position.y += bottom - at.y - height;
  used_.y = std::max(used_.y, std::max(height, bottom - at.y));
  return block.vertical ? widest : x - kStepsPlaceGap * unit - at.x;
}

float FigurePlot::row_height(const Figure& figure, float height, float header) {
  const float unit = ui_scale(), line = text_size(fonts().small, "X").y;
  float ch = kCellHeight * unit;
  for (const Block& block : figure.blocks) {
    float rows = 0, heads = 0, singles = 0;
    for (const int id : block.operands) {
      const Operand& operand = figure.operands[static_cast<std::size_t>(id)];
      const auto count = static_cast<float>(seen(operand.row));
      const bool later = id != block.operands.front() && names_once(figure);
      if (!block.vertical) {
        rows = std::max(rows, count), heads = header + 8 * unit;
        continue;
      }
      heads += (later ? line + 4 * unit : header) + 8 * unit;
      if (operand.row.key == "one")
        singles += 1;
      else
        rows += count;
    }
    // Single rows are as high as the others, within limits.
    const float even = (height - heads) / std::max(rows + singles, 1.f);
    const float single = std::clamp(even, kLeastSingle * unit, kMostSingle * unit);
    ch = std::min(ch, (height - heads - singles * single) / std::max(rows, 1.f));
  }
  return ch;
}

// Which panels have row labels; returns what they take of the width.
float FigurePlot::place_row_labels(const Figure& figure, float width) {
  const auto label = [&](int id) {
    Panel& panel = panels_[static_cast<std::size_t>(id)];
    panel.labels = width, panel.row_labels = true;
  };
  label(figure.blocks[0].operands[0]);
  if (figure.blocks[0].vertical)
    std::for_each(figure.blocks[0].operands.begin(), figure.blocks[0].operands.end(), label);
  // Stacked heads need row labels again if the heads before were side by side.
  float again = 0;
  for (std::size_t b = 1; b < figure.blocks.size(); ++b) {
    const Block& block = figure.blocks[b];
    if (!block.vertical || figure.rule == Rule::norm) continue;
    std::for_each(block.operands.begin(), block.operands.end(), label);
    again = width;
  }
  return width + again;
}

void FigurePlot::place_line(const ViewContext& context, const Figure& figure, ImVec2 position, ImVec2 size,
                            bool tight) {
  const float unit = ui_scale(), line = text_size(fonts().small, "X").y,
              for_sign = tight ? kTightSign : kSign;
  float fixed = (tight ? kLineRoom : kLegend) * unit, cols = 0, singles = 0, single_width = 0;
  const Operand& first = figure.operands[static_cast<std::size_t>(figure.blocks[0].operands[0])];
  windowed_ = any_windowed(figure);
  for (const Block& block : figure.blocks) {
    float widest = 0, sum = 0, columns = 0;
    for (const int id : block.operands) {
      const Operand& operand = figure.operands[static_cast<std::size_t>(id)];
      const auto count = static_cast<float>(seen(operand.col));
      if (operand.col.key == "one")
        columns += column_width(operand, tight) * unit, singles += 1;
      else
        sum += count, widest = std::max(widest, count);
    }
    cols += block.vertical ? widest : sum;
    single_width += columns;
    fixed += columns + (block.sign.empty() ? 0 : for_sign * unit) +
             (block.vertical ? 0 : static_cast<float>(block.operands.size() - 1) * kStepsPlaceGap * unit);
  }
  const float left = size.x - fixed - place_row_labels(figure, label_width(context, first));
  const auto cell_width = [&](float room) {
    float out = room / std::max(cols, 1.f);
    // Single columns are as wide as the others if those are wider.
    if (out > kStepsPlaceColumn * unit)
      out = std::max((room + single_width) / (cols + singles), kStepsPlaceColumn * unit);
    return std::clamp(out, 0.01f, kStepsPlaceCellWidth * unit);
  };
  float cw = cell_width(left);
  // No legend stands right of the last matrix: the slanted name of its last column does.
  const Operand& last = figure.operands[static_cast<std::size_t>(figure.blocks.back().operands.back())];
  if (tight && last.col.key != "one" && column_labels(context, last, cw) > 2 * line)
    cw = cell_width(left - std::max(0.f, last_label_overhang(context, last, cw) - kLineRoom * unit));
  if (!fits_always(context))
    cw = std::max(cw, std::min(kLeastColour * unit, size.x * kLeastShareOfRoom / std::max(cols, 1.f)));
  const bool column_first = first.col.key == "one" && figure.blocks[0].operands.size() > 1;
  const Operand& named =
      column_first ? figure.operands[static_cast<std::size_t>(figure.blocks[0].operands[1])] : first;
  float header = line + 4 * unit + column_labels(context, named, cw);
  const auto cell_height = [&] {
    return std::clamp(row_height(figure, size.y, header), 0.01f, std::max(cw * 0.62f, 36 * unit));
  };
  float titled = 26 * unit;  // a matrix of one column is as wide as its title
  for (const Operand& operand : figure.operands)
    if (operand.col.key != "one")
      titled = std::max(titled, (text_size(fonts().small, operand.title).x + kStepsPlaceGap * unit) /
                                    std::max(1.f, static_cast<float>(seen(operand.col))));
  const auto width_at = [&](float height) { return std::min(cw, std::max(height * 4, titled)); };
  // Narrower cells may slant the names of their columns, which then need more room above.
  header = std::max(header, line + 4 * unit + column_labels(context, named, width_at(cell_height())));
  const float ch = cell_height();
  const ImVec2 cell(width_at(ch), ch);
  used_ = {};
  float x = position.x, bottom = 0;
  for (const Block& block : figure.blocks) {
    const float sign_at = x + for_sign * unit / 2;
    if (!block.sign.empty()) x += for_sign * unit;
    const float width = place_block(figure, block, ImVec2(x, position.y), 0, cell, header, tight);
    if (figure.rule == Rule::norm && block.vertical) bottom = used_.y;
    x += width;
    if (!block.sign.empty()) signs_.emplace_back(ImVec2(sign_at, 0), block.sign);
  }
  if (bottom > 0) place_block(figure, figure.blocks[0], position, position.y + bottom, cell, header, tight);
  const float middle =
      bottom > 0
          ? position.y + bottom - ch * static_cast<float>(seen(first.row)) / 2
          : position.y + header + std::min(used_.y - header, ch * static_cast<float>(seen(first.row))) / 2;
  for (auto& sign : signs_) sign.first.y = middle;
  legend_ = ImVec2(x + 22 * unit, position.y + std::max(0.f, header - line - 6 * unit));
  legend_height_ =
      std::clamp(used_.y - header + line + 6 * unit, 90 * unit, std::max(90 * unit, size.y - header));
  used_.x = x - position.x;
  if (tight) legend_ = position, legend_height_ = 0;
}

}  // namespace attnscope
