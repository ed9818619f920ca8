// Draws a figure: a product with the result in the corner, or matrices in a row; windows over large axes,
// values fetched by the rectangle and kept per result. Refuses to decide what a step consists of
// (steps_figure.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/look/kept_text.h"
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

inline const Operand& operand_of(const Figure& figure, int id) {
  return figure.operands[static_cast<std::size_t>(id)];
}

/// Matrices side by side: in one line; the last block in a second one; below, too, the column of numbers that
/// would end the first line.
enum class DenseLines : std::uint8_t { one, two, two_lower };

struct DenseSizes;  // steps_dense.cpp

/// How matrices stand side by side where cells are small.
struct DenseWay {
  DenseLines lines = DenseLines::one;
  float stretch = 1.f;  ///< at most so many times as large as the room
  bool tight = false;   ///< what stands between and beside them gives way
  float colours = 0;    ///< > 0: cells show colours alone and are at least so many units wide
  bool digits = false;  ///< but the result's hold a number; then no legend is needed
};

/// What is lit: marks per operand.
using FigureMarks = std::vector<std::vector<MatrixMark>>;

class FigurePlot {
 public:
  /// Draws inside the rectangle. `difference`: the result shows new minus old. `slide`: pixels to the right.
  /// `travel` below 1: matrices that the figure before showed are that far on their way from there.
  FigureEvent draw(const ViewContext& context, const Figure& figure, const FigureMarks& marks,
                   ImVec2 position, ImVec2 size, bool difference, float travel = 1);
  /// The range of colours of an operand in the last frame.
  ValueRange range(int operand) const;
  /// The rectangle of a cell on screen in the last frame; false where it was not in sight.
  bool cell_rect(const FigureCell& cell, ImVec2& p0, ImVec2& p1) const;
  /// The rows of a matrix from `row` on, on screen; false where none is in sight.
  bool cells_rect(int operand, std::int64_t row, std::int64_t rows, std::int64_t cols, ImVec2& p0,
                  ImVec2& p1) const;
  /// The colour of a number in an operand's cells, and the operand's own.
  ImU32 cell_colour(int operand, float value) const;
  ImU32 operand_colour(int operand) const;
  /// What its numbers were divided by in the last frame: small gradients have a unit in the title.
  float number_unit(std::size_t index, const Operand& operand) const;
  /// Where matrices stood in the last frame, by what they show: a figure that follows begins there.
  struct Stood {
    std::string what;
    ImVec2 p0, cell;  ///< of the first cell that was seen
  };
  std::vector<Stood> standing(const Figure& figure) const;
  void come_from(std::vector<Stood> places) { from_ = std::move(places); }
  /// While a number is dragged, windows stand still.
  void freeze_windows(bool frozen) { frozen_ = frozen; }
  /// Room that the figure took in the last frame, without its legend.
  ImVec2 used() const { return used_; }
  /// Where its legend stood in the last frame, on screen.
  ImVec2 legend() const { return legend_; }
  /// All that the figure takes, its legend too: what is larger than the room scrolls.
  ImVec2 whole() const { return whole_; }
  /// True where every cell of the figure would show its number in this room; `scrolled`: or in one that
  /// scrolls.
  bool shows_numbers(const ViewContext& context, const Figure& figure, ImVec2 size, bool difference,
                     bool scrolled = false);
  /// Back to what a fresh figure shows.
  void reset_windows() { spans_.clear(), ++spans_version_; }
  bool windowed() const { return windowed_; }
  /// The result showed new minus old in the last frame; with tokens aligned.
  bool differs() const { return differs_; }
  bool aligned() const { return shifted_; }

 private:
  static constexpr float kLegend = 106;  ///< units, to its right end
  struct Span {
    double lo = 0, hi = 0;
  };
  struct Seen {  // of an operand
    Tensor values;
    Range rows, cols;
    ValueRange range;
    bool differs = false, shifted = false;
  };
  struct Panel {
    ImVec2 position, size, cell;  ///< of the cells; position of the plot's corner
    float labels = 0, header = 0;
    float indent = 0;  ///< of the title, off the slanted names beside it
    bool row_labels = false, col_labels = true;
    MatrixEvent event;
    MatrixWindow seen;
  };
  void travel_to(const Figure& figure, float travel);
  Span& span(const FigureAxis& axis);
  double seen(const FigureAxis& axis) { return span(axis).hi - span(axis).lo; }
  bool any_windowed(const Figure& figure);  ///< some axis is shown in part
  const Seen& values(const ViewContext& context, const Operand& operand, bool difference);
  void place_product(const ViewContext& context, const Figure& figure, ImVec2 position, ImVec2 size);
  /// The height of a row at which every block fits below its header.
  float row_height(const Figure& figure, float height, float header);
  void place_row(const ViewContext& context, const Figure& figure, ImVec2 position, ImVec2 size);
  /// `tight`: without a legend, and what stands between the matrices gives way.
  void place_line(const ViewContext& context, const Figure& figure, ImVec2 position, ImVec2 size,
                  bool tight = false);
  /// Matrices side by side in cells that just hold a number, or a colour. False, and nothing is placed, where
  /// the room is not enough.
  void put_dense(const Figure& figure, ImVec2 position, const DenseSizes& sizes, const DenseWay& way);
  bool place_dense(const ViewContext& context, const Figure& figure, ImVec2 position, ImVec2 size,
                   const DenseWay& way);
  /// The same in the widest cells that show colours alone: where a line of them is too narrow, and on a
  /// projector, where the result keeps its numbers and its inputs give way. False: nothing is placed.
  bool place_colours(const ViewContext& context, const Figure& figure, ImVec2 position, ImVec2 size);
  /// The least width of a cell of a matrix.
  float dense_need(const ViewContext& context, const Operand& operand, const DenseWay& way);
  /// Height of the names over the columns of the first blocks, in cells that are `grow` times as wide as
  /// they need.
  float names_above(const ViewContext& context, const Figure& figure, std::size_t blocks, float grow,
                    const DenseWay& way);
  void place(const ViewContext& context, const Figure& figure, ImVec2 position, ImVec2 size, bool difference);
  void place_best(const ViewContext& context, const Figure& figure, ImVec2 size);
  void place_in(const ViewContext& context, const Figure& figure, ImVec2 room);
  bool numbers_fit(const ViewContext& context, const Figure& figure);
  float place_block(const Figure& figure, const Block& block, ImVec2 at, float bottom, ImVec2 cell,
                    float header, bool tight);
  void draw_operand(const ViewContext& context, const Figure& figure, std::size_t index,
                    const FigureMarks& marks, bool difference, FigureEvent& event);
  struct AxisNames;
  static void fill_axis(const AxisNames& names, const Panel& panel, MatrixAxis& axis);
  static void draw_title(const Operand& operand, const Panel& panel, float unit);
  void draw_signs(const Figure& figure) const;
  void draw_guides(const Figure& figure, const FigureMarks& marks) const;
  void write_back(const Operand& operand, const MatrixWindow& before, const MatrixWindow& after);
  float label_width(const ViewContext& context, const Operand& operand);
  float column_labels(const ViewContext& context, const Operand& operand, float cell);

  std::map<std::string, Span> spans_;
  std::map<std::string, Kept<Seen>> seen_;
  /// Where everything stands when the figure's corner is at 0, and what that followed from.
  struct Placed {
    std::uint64_t figure = 0, run = 0, spans = 0;
    ImVec2 size;
    float unit = 0;
    bool difference = false, told = false;
    std::vector<Panel> panels;
    std::vector<std::pair<ImVec2, std::string>> signs;
    ImVec2 used, whole, legend;
    float legend_height = 0;
    bool windowed = false;
  };
  Placed placed_;
  std::uint64_t spans_version_ = 0;
  std::vector<Panel> panels_;
  std::vector<MatrixPlot> plots_;  ///< of the operands, since they were placed
  std::vector<ValueRange> ranges_;
  std::vector<HeatStyle> styles_;  ///< of the operands
  std::vector<ImU32> colours_;
  std::vector<Stood> from_;
  std::vector<std::pair<ImVec2, std::string>> signs_;
  ImVec2 used_, whole_, legend_;
  float legend_height_ = 0;
  bool frozen_ = false, windowed_ = false, differs_ = false, shifted_ = false, difference_ = false;
};

/// The entries of this axis are rows of a stack that sees an image.
bool has_pictures(const ViewContext& context, const Operand& operand, bool rows);
/// "token 0", the token's spelling, or a vocabulary entry's.
std::string axis_entry(const RunResult& run, int sequence, const Operand& operand, bool rows,
                       std::int64_t at);

}  // namespace attnscope
