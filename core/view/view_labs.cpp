// A lab's picture as a figure.
#include <algorithm>
#include <cmath>

#include "core/view/view.h"

namespace attnscope {
namespace {

using figure::Ink, figure::WordsMark;

Ink ink_of(LabInk ink) {
  switch (ink) {
    case LabInk::blue: return Ink::query;
    case LabInk::red: return Ink::key;
    case LabInk::green: return Ink::value;
    case LabInk::amber: return Ink::warning;
    case LabInk::purple: return Ink::mlp;
    case LabInk::dim: break;
  }
  return Ink::dim;
}

struct MarkOf {
  bool easy = false;  ///< tables take the room that there is
  figure::Mark operator()(const LabPlot& plot) const {
    figure::PlotMark out;
    out.x_title = plot.x_title, out.log_x = plot.log_x, out.log_y = plot.log_y;
    out.square = plot.square, out.x_range = plot.x, out.y_range = plot.y;
    out.x_marks = plot.x_marks, out.y_marks = plot.y_marks;
    for (const LabSeries& one : plot.series)
      out.series.push_back({one.name, one.points, ink_of(one.ink), one.dashed, one.dots || one.points_only,
                            !one.points_only, one.pixel});
    return out;
  }
  figure::Mark operator()(const LabMatrix& matrix) const {
    figure::MatrixMark out;
    out.values = matrix.values, out.digits = matrix.digits;
    out.rows = {matrix.row_labels, -1, Ink::query};
    out.cols = {matrix.col_labels, -1, Ink::key};
    if (matrix.scale == LabMatrix::Scale::signed_values) out.scale = figure::Scale::diverging;
    double largest = matrix.scale == LabMatrix::Scale::share ? 1 : 0;
    for (std::int64_t row = 0; row < matrix.values.size(0); ++row)
      for (std::int64_t col = 0; col < matrix.values.size(1); ++col)
        if (const auto value = static_cast<double>(matrix.values.at(row, col)); std::isfinite(value))
          largest = std::max(largest, std::abs(value));
    out.most = matrix.range > 0 ? matrix.range : largest;
    return out;
  }
  figure::Mark operator()(const LabBars& bars) const {
    figure::TableMark out;
    out.most = bars.most, out.tall = out.wide = easy;
    for (const LabBars::Bar& bar : bars.bars) {
      out.rows.push_back({{bar.name, bar.shown}, bar.value, {}, bar.ink == LabInk::amber});
      if (bars.most <= 0) out.most = std::max(out.most, bar.value);
      if (std::isfinite(bar.value)) out.least = std::min(out.least, bar.value);
    }
    if (out.least < 0)  // to the left of where nothing is, in the colour of what is taken away
      for (figure::TableMark::Row& row : out.rows) row.from = 0;
    return out;
  }
  figure::Mark operator()(const LabTable& table) const {
    figure::TableMark out;
    out.header = table.header, out.tall = easy;
    for (std::size_t row = 0; row < table.rows.size(); ++row)
      out.rows.push_back({table.rows[row], {}, {}, static_cast<int>(row) == table.lit});
    return out;
  }
};

// The title; of a matrix first with what its rows and columns are.
std::vector<Text> titles_of(const LabPiece& piece) {
  std::vector<Text> out;
  const Text title = std::visit([](const auto& what) { return what.title; }, piece.what);
  const auto* matrix = std::get_if<LabMatrix>(&piece.what);
  if (matrix && !matrix->rows.empty() && !matrix->cols.empty())
    out.push_back(Text::of("figure.matrix", {title, matrix->rows, matrix->cols}));
  if (!title.empty()) out.push_back(title);
  return out;
}

Result<LabPicture> lab_picture(const ViewState& state) {
  return state.lab_picture ? *state.lab_picture : compute(*state.lab, state.values);
}

Result<ViewDrawing> draw_labs(const ViewState& state) {
  TRY(const LabPicture picture, lab_picture(state));
  std::vector<std::vector<figure::PartBox>> rows;
  for (std::size_t at = 0; at < picture.pieces.size(); ++at) {
    const LabPiece& piece = picture.pieces[at];
    if (state.level == Level::easy ? piece.in_full : piece.in_easy) continue;
    if (rows.empty() || piece.begins_row) rows.emplace_back();
    rows.back().push_back(
        figure::leaf({"piece" + std::to_string(at),
                      std::visit(MarkOf{state.level == Level::easy}, piece.what), 1, titles_of(piece), ""}));
  }
  const Text name = Text::of(state.lab->key + ".title");
  std::vector<figure::PartBox> body;
  for (std::vector<figure::PartBox>& row : rows) body.push_back(figure::either(std::move(row)));
  ViewDrawing out{{name}, {picture.notice}, figure::column(std::move(body))};
  if (state.level == Level::full && !picture.formula.empty())
    out.below = figure::words("formula", WordsMark::As::formula, {picture.formula}, 1);
  return out;
}

}  // namespace

ViewSpec view_labs() { return {"labs", 90, false, false, draw_labs}; }

}  // namespace attnscope
