// Draws a figure: a product with the result in the corner, or matrices in a row; windows over large axes,
// values fetched by the rectangle and kept per result. Refuses to decide what a step consists of
// (steps_figure.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/views/steps_figure.h"
#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"

namespace attnscope {

/// A cell of the figure.
struct FigureCell {
  int operand = -1;
  std::int64_t row = -1, col = -1;
  bool valid() const { return operand >= 0; }
  bool operator==(const FigureCell&) const = default;
};

struct FigureEvent {
  FigureCell cell;
  ImVec2 p0, p1;  ///< of the cell, on screen
  bool clicked = false, double_clicked = false;
  bool hovered() const { return cell.valid(); }
};

/// What is lit: marks per operand.
using FigureMarks = std::vector<std::vector<MatrixMark>>;

class FigurePlot {
 public:
  /// Draws inside the rectangle. `difference`: the result shows new minus old. `slide`: pixels to the right.
  FigureEvent draw(const ViewContext& context, const Figure& figure, const FigureMarks& marks,
                   ImVec2 position, ImVec2 size, bool difference);
  /// The range of colours of an operand in the last frame.
  ValueRange range(int operand) const;
  /// The rectangle of a cell on screen in the last frame; false where it was not in sight.
  bool cell_rect(const FigureCell& cell, ImVec2& p0, ImVec2& p1) const;
  /// While a number is dragged, windows stand still.
  void freeze_windows(bool frozen) { frozen_ = frozen; }
  /// Room that the figure took in the last frame.
  ImVec2 used() const { return used_; }
  bool windowed() const { return windowed_; }
  /// The result showed new minus old in the last frame; with tokens aligned.
  bool differs() const { return differs_; }
  bool aligned() const { return shifted_; }

 private:
  struct Span {
    double lo = 0, hi = 0;
  };
  struct Kept {
    std::uint64_t hash = 0;
    Tensor values;
    Range rows, cols;
    ValueRange range;
    bool differs = false, shifted = false;
  };
  struct Panel {
    ImVec2 position, size, cell;  ///< of the cells; position of the plot's corner
    float labels = 0, header = 0;
    bool row_labels = false, col_labels = true;
    MatrixEvent event;
    MatrixWindow seen;
  };
  Span& span(const FigureAxis& axis);
  double seen(const FigureAxis& axis) { return span(axis).hi - span(axis).lo; }
  const Kept& values(const ViewContext& context, const Operand& operand, bool difference);
  void place_product(const ViewContext& context, const Figure& figure, ImVec2 position, ImVec2 size);
  /// The height of a row at which every block fits below its header.
  float row_height(const Figure& figure, float height, float header);
  void place_row(const ViewContext& context, const Figure& figure, ImVec2 position, ImVec2 size);
  float place_block(const Figure& figure, const Block& block, ImVec2 at, float bottom, ImVec2 cell,
                    float header);
  void draw_operand(const ViewContext& context, const Figure& figure, std::size_t index,
                    const FigureMarks& marks, bool difference, FigureEvent& event);
  void fill_axes(const ViewContext& context, const Operand& operand, const Panel& panel,
                 MatrixPlot& plot) const;
  float number_unit(std::size_t index, const Operand& operand) const;
  static void draw_title(const Operand& operand, const Panel& panel, float unit);
  void draw_signs(const Figure& figure) const;
  void draw_guides(const Figure& figure, const FigureMarks& marks) const;
  void write_back(const Operand& operand, const MatrixWindow& before, const MatrixWindow& after);
  float label_width(const ViewContext& context, const Operand& operand);
  float column_labels(const ViewContext& context, const Operand& operand, float cell);

  std::map<std::string, Span> spans_;
  std::map<std::string, Kept> kept_;
  std::vector<Panel> panels_;
  std::vector<ValueRange> ranges_;
  std::vector<std::pair<ImVec2, std::string>> signs_;
  ImVec2 used_, legend_;
  float legend_height_ = 0;
  bool frozen_ = false, windowed_ = false, differs_ = false, shifted_ = false;
};

/// The entries of this axis are rows of a stack that sees an image.
bool has_pictures(const ViewContext& context, const Operand& operand, bool rows);
/// "token 0", the token's spelling, or a vocabulary entry's.
std::string axis_entry(const RunResult& run, int sequence, const Operand& operand, bool rows,
                       std::int64_t at);

}  // namespace attnscope
