// Draws a figure: a product with the result in the corner, or matrices in a row; windows for large
// axes, values read by rectangle and cached per run. The content of a figure is decided in
// steps_figure.h.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/look/kept_text.h"
#include "app/views/steps_figure.h"
#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"

namespace attnscope {

constexpr float kStepsPicture = 26.f;  ///< width of a patch picture beside a label, units

/// A cell of the figure.
struct FigureCell {
  int operand = -1;
  std::int64_t row = -1, col = -1;
  bool valid() const { return operand >= 0; }
  bool operator==(const FigureCell&) const = default;
};

struct FigureEvent {
  FigureCell cell;
  ImVec2 p0, p1;  ///< of the cell, screen pixels
  bool clicked = false, double_clicked = false;
  bool hovered() const { return cell.valid(); }
};

inline const Operand& operand_of(const Figure& figure, int id) {
  return figure.operands[static_cast<std::size_t>(id)];
}

/// Matrices side by side: in one line; with the last block in a second line; or also with the single column
/// at the end of the first line moved to the second.
enum class DenseLines : std::uint8_t { one, two, two_lower };

struct DenseSizes;  // steps_dense.cpp

/// Options of the compact layout.
struct DenseWay {
  DenseLines lines = DenseLines::one;
  float stretch = 1.f;  ///< at most this many times the size of the room
  bool tight = false;   ///< smaller gaps and labels
  float colours = 0;    ///< > 0: cells show colours only, at least this many units wide
  bool digits = false;  ///< the result's cells show numbers; no legend
};

/// Marks per operand.
using FigureMarks = std::vector<std::vector<MatrixMark>>;

class FigurePlot {
 public:
  /// Draws inside the rectangle. `difference`: the result shows new minus old. `travel` below 1: matrices are
  /// this far on their way from their place in the previous figure.
  FigureEvent draw(const ViewContext& context, const Figure& figure, const FigureMarks& marks,
                   ImVec2 position, ImVec2 size, bool difference, float travel = 1);
  /// Colour range of an operand in the last frame.
  ValueRange range(int operand) const;
  /// Rectangle of a cell in the last frame, screen pixels; false if it was not visible.
  bool cell_rect(const FigureCell& cell, ImVec2& p0, ImVec2& p1) const;
  /// Rectangle of rows `row` to `rows` of a matrix, screen pixels; false if none is visible.
  bool cells_rect(int operand, std::int64_t row, std::int64_t rows, std::int64_t cols, ImVec2& p0,
                  ImVec2& p1) const;
  /// Colour of a value in an operand's cells; colour of the operand.
  ImU32 cell_colour(int operand, float value) const;
  ImU32 operand_colour(int operand) const;
  /// Divisor of its numbers in the last frame: small gradients have a unit in the title.
  float number_unit(std::size_t index, const Operand& operand) const;
  /// Positions of matrices in the last frame by content: the next figure animates from there.
  struct Stood {
    std::string what;
    ImVec2 p0, cell;  ///< of the first visible cell
  };
  std::vector<Stood> standing(const Figure& figure) const;
  void come_from(std::vector<Stood> places) { from_ = std::move(places); }
  /// Keeps windows unchanged while a value is dragged.
  void freeze_windows(bool frozen) { frozen_ = frozen; }
  /// Size of the figure in the last frame, without its legend, pixels.
  ImVec2 used() const { return used_; }
  /// Position of its legend in the last frame, screen pixels.
  ImVec2 legend() const { return legend_; }
  /// Size of the figure with its legend, pixels; larger than the room: scrolls.
  ImVec2 whole() const { return whole_; }
  /// True if every cell would show its number in a room of this size; `scrolled`: or in a scrolling
  /// figure.
  bool shows_numbers(const ViewContext& context, const Figure& figure, ImVec2 size, bool difference,
                     bool scrolled = false);
  /// Nothing scrolls, cells become as small as the room makes them: their row stands large below.
  void keep_whole(bool whole) { whole_in_room_ = whole; }
  /// In a room of this size the result's cells have room for digits as large as those of that row.
  bool has_large_cells(const ViewContext& context, const Figure& figure, ImVec2 size, bool difference);
  /// Resets zoom and pan.
  void reset_windows() { spans_.clear(), ++spans_version_; }
  bool windowed() const { return windowed_; }
  /// The result showed new minus old in the last frame; with aligned tokens.
  bool differs() const { return differs_; }
  bool aligned() const { return shifted_; }

 private:
  static constexpr float kLegend = 106;     ///< units, up to its right edge
  static constexpr float kLeastColour = 3;  ///< units: minimum width of cells without numbers
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
    ImVec2 position, size, cell;  ///< rectangle of the cells; position of the plot's corner
    float labels = 0, header = 0;
    float indent = 0;  ///< of the title, right of slanted labels
    bool row_labels = false, col_labels = true;
    MatrixEvent event;
    MatrixWindow seen;
  };
  void travel_to(const Figure& figure, float travel);
  Span& span(const FigureAxis& axis);
  double seen(const FigureAxis& axis) { return span(axis).hi - span(axis).lo; }
  bool any_windowed(const Figure& figure);  ///< some axis is partly visible
  const Seen& values(const ViewContext& context, const Operand& operand, bool difference);
  void place_product(const ViewContext& context, const Figure& figure, ImVec2 position, ImVec2 size);
  /// Height of a row so that every block fits below its header, pixels.
  float row_height(const Figure& figure, float height, float header);
  void place_row(const ViewContext& context, const Figure& figure, ImVec2 position, ImVec2 size);
  /// `tight`: without a legend, with smaller gaps.
  float place_row_labels(const Figure& figure, float width);
  void place_line(const ViewContext& context, const Figure& figure, ImVec2 position, ImVec2 size,
                  bool tight = false);
  /// Matrices side by side in cells just large enough for a number, or a colour. Returns false, and places
  /// nothing, if the room is too small.
  void put_dense(const Figure& figure, ImVec2 position, const DenseSizes& sizes, const DenseWay& way);
  bool place_dense(const ViewContext& context, const Figure& figure, ImVec2 position, ImVec2 size,
                   const DenseWay& way);
  /// The same with colours only: if numbers do not fit on a line; in presenter mode the result keeps its
  /// numbers, the inputs do not. Returns false, and places nothing, if it does not fit.
  bool place_colours(const ViewContext& context, const Figure& figure, ImVec2 position, ImVec2 size);
  /// Minimum width of a cell of a matrix, pixels.
  float dense_need(const ViewContext& context, const Operand& operand, const DenseWay& way);
  /// Height of the column labels of the first blocks, for cells `grow` times as wide as their
  /// minimum.
  float names_above(const ViewContext& context, const Figure& figure, std::size_t blocks, float grow,
                    const DenseWay& way);
  void place(const ViewContext& context, const Figure& figure, ImVec2 position, ImVec2 size, bool difference);
  void place_best(const ViewContext& context, const Figure& figure, ImVec2 size);
  void place_in(const ViewContext& context, const Figure& figure, ImVec2 room);
  bool numbers_fit(const ViewContext& context, const Figure& figure);
  /// Figures that never scroll: those with their row below, of lessons, of the presenter.
  bool fits_always(const ViewContext& context) const;
  float place_block(const Figure& figure, const Block& block, ImVec2 at, float bottom, ImVec2 cell,
                    float header, bool tight);
  void draw_operand(const ViewContext& context, const Figure& figure, std::size_t index,
                    const FigureMarks& marks, bool difference, FigureEvent& event);
  struct AxisNames;
  static void fill_axis(const AxisNames& names, const Panel& panel, MatrixAxis& axis);
  void draw_title(const Operand& operand, const Panel& panel, float unit) const;
  void draw_signs(const Figure& figure) const;
  void draw_guides(const Figure& figure, const FigureMarks& marks) const;
  void write_back(const Operand& operand, const MatrixWindow& before, const MatrixWindow& after);
  void measure_names(const ViewContext& context, const Figure& figure);
  float width_beside_pictures(const ViewContext& context, const Operand& operand, Range at);
  float names_width(const ViewContext& context, const Operand& operand, bool rows, Range at,
                    std::int64_t step);
  float label_width(const ViewContext& context, const Operand& operand);
  float column_labels(const ViewContext& context, const Operand& operand, float cell);
  /// Pixels from the beginning of a panel's title to the next thing at its height.
  float title_room(const Panel& panel) const;
  /// Pixels by which the slanted label of the last column reaches beyond the cells, which are `cell` wide.
  float last_label_overhang(const ViewContext& context, const Operand& operand, float cell);

  std::map<std::string, Span> spans_;
  std::map<std::string, Kept<Seen>> seen_;
  Kept<std::map<std::string, float>> names_;        ///< widths of names, by operand and axis
  std::map<std::string, float>* widths_ = nullptr;  ///< of the layout being made
  /// Cached layout for a figure at (0, 0), and its inputs.
  struct Placed {
    std::uint64_t figure = 0, run = 0, spans = 0;
    ImVec2 size;
    float unit = 0;
    bool difference = false, told = false, whole_in_room = false;
    std::vector<Panel> panels;
    std::vector<std::pair<ImVec2, std::string>> signs;
    ImVec2 used, whole, legend;
    float legend_height = 0;
    bool windowed = false;
  };
  Placed placed_;
  std::uint64_t spans_version_ = 0;
  std::vector<Panel> panels_;
  std::vector<MatrixPlot> plots_;  ///< plots of the operands, since they were placed
  std::vector<ValueRange> ranges_;
  std::vector<HeatStyle> styles_;  ///< styles of the operands
  std::vector<ImU32> colours_;
  std::vector<Stood> from_;
  std::vector<std::pair<ImVec2, std::string>> signs_;
  ImVec2 used_, whole_, legend_;
  float legend_height_ = 0;
  bool frozen_ = false, windowed_ = false, differs_ = false, shifted_ = false, difference_ = false;
  bool whole_in_room_ = false;
};

/// True if entries of this axis are rows of a stack with image input.
bool has_pictures(const ViewContext& context, const Operand& operand, bool rows);
/// Label of an entry: "token 0", the token's text, or a vocabulary entry.
std::string axis_entry(const RunResult& run, int sequence, const Operand& operand, bool rows,
                       std::int64_t at);

}  // namespace attnscope
