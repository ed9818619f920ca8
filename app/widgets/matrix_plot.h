// A matrix on the screen: heatmap by the Painter, numbers in cells that are large enough, labelled axes,
// hover and selection, masked cells hatched. The one widget with which every view draws a matrix. Values are
// shown as given.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/figure/canvas.h"
#include "app/gpu/painter.h"
#include "app/look/item_map.h"
#include "core/tensor/tensor.h"

namespace attnscope {

/// Small pictures for the entries of an axis: patches of one picture that the Painter holds.
struct AxisPictures {
  std::string key;                     ///< key in the Painter
  int rows = 1, cols = 1;              ///< number of patches in the picture
  std::vector<std::int64_t> patch_of;  ///< for each entry; -1: none
  /// -1 when the entry has no patch.
  std::int64_t patch(std::int64_t entry) const {
    return entry >= 0 && entry < static_cast<std::int64_t>(patch_of.size())
               ? patch_of[static_cast<std::size_t>(entry)]
               : -1;
  }
};

struct MatrixAxis {
  std::string title;                ///< "query (who looks)"; empty: none
  ImU32 colour = 0;                 ///< of the title and highlighted labels; 0 = dim text
  std::vector<std::string> labels;  ///< one per row or column; empty: indices are drawn if they fit
  std::function<std::string(std::int64_t)> label_of;  ///< replaces `labels` where the axis is long
  bool show_labels = true;                            ///< false: neither labels nor indices
  std::shared_ptr<const AxisPictures> pictures;       ///< beside the labels; null: none
};

/// An outline around cells; row or col < 0: the whole axis.
struct MatrixMark {
  std::int64_t row = -1, col = -1;
  ImU32 colour = 0;  ///< 0 = accent
  std::int64_t rows = 1, cols = 1;
  float thickness = 2.f;  ///< units
};

/// The visible part of a large matrix, in cells (zoom and pan); {0,0,0,0} = all.
struct MatrixWindow {
  double row0 = 0, col0 = 0, row1 = 0, col1 = 0;
  bool all() const { return row1 <= row0 || col1 <= col0; }
};

struct MatrixPlot {
  std::string key;  ///< texture name, unique on screen
  Tensor values;    ///< [rows, cols]; -inf = masked
  HeatStyle style;
  MatrixAxis rows, cols;
  bool large_numbers = false;  ///< larger digits in cells that have room: for projectors
  bool short_numbers = false;  ///< with large_numbers: fewer decimals where those would make digits smaller
  bool show_numbers = true;
  bool masked_numbers = true;  ///< false: masked cells are hatched without "−∞" (a pattern's are 0)
  int digits = 4;              ///< decimals, where they fit
  float number_unit = 1.f;     ///< numbers are divided by it; the title must contain the unit
  float max_cell = 100.f;      ///< largest cell width in units; height follows `aspect`
  float aspect = 0.6f;         ///< cell height / width where cells are large
  std::int64_t lit_row = -1, lit_col = -1;            ///< highlighted from outside (source of a result)
  std::int64_t selected_row = -1, selected_col = -1;  ///< pinned cell
  ImU32 frame_colour = 0;                             ///< outline of highlighted rows and columns; 0 = accent
  MatrixWindow* window = nullptr;                     ///< if set: wheel zooms, drag pans, double click resets
  bool double_click_resets = true;                    ///< false: the caller handles double clicks
  /// `values` may be a part of a larger matrix: labels, window, marks and events use the indices of that.
  std::int64_t first_row = 0, first_col = 0;
  std::int64_t total_rows = 0, total_cols = 0;  ///< 0: those of `values`
  ImVec2 cell{0, 0};                            ///< size of a cell in pixels, to align several plots; 0 = fit
  float row_label_width = -1;                   ///< pixels reserved for row labels; < 0: as wide as they are
  float col_label_height = -1;  ///< pixels reserved for title and column labels; < 0: as high as they are
  std::vector<MatrixMark> marks;
  std::span<const MatrixMark> lent_marks;  ///< further marks, owned by the caller
  CellsPlace place;                        ///< which numbers the cells are, for linked highlighting
};

struct MatrixEvent {
  ImVec2 p0, p1;                    ///< rectangle of the cells, screen pixels
  std::int64_t row = -1, col = -1;  ///< under the mouse pointer, or -1
  bool clicked = false, double_clicked = false;
  bool numbers = false;  ///< the cells are large enough for numbers
  bool hovered() const { return row >= 0; }
};

/// Slanted column labels rise by 50 degrees; at most so long, in units.
inline constexpr float kSlantSine = 0.766f, kSlantCosine = 0.643f, kLongestSlanted = 84.f;

/// Geometry of a plot, relative to its position; computed without ImGui state, so that it can be tested.
struct MatrixLayout {
  MatrixWindow seen;                            ///< never all(): the visible cells
  ImVec2 cells0, cells1;                        ///< rectangle of the cells
  ImVec2 cell;                                  ///< size of a cell
  bool slanted = false;                         ///< column labels are slanted
  float beyond = 0;                             ///< pixels right of the cells taken by the last slanted label
  std::int64_t row_stride = 1, col_stride = 1;  ///< every k-th label is drawn
  /// The cell under a point; false outside the cells.
  bool hit(ImVec2 point, std::int64_t& row, std::int64_t& col) const;
  /// Corner of a cell (also of row + 1, col + 1), not clamped.
  ImVec2 corner(double row, double col) const;
};
MatrixLayout matrix_layout(const MatrixPlot& plot, ImVec2 size);
/// The window shifted and shrunk to lie inside a matrix of rows x cols: for windows chosen on another matrix
/// or read from a file.
MatrixWindow inside(MatrixWindow window, std::int64_t rows, std::int64_t cols);
/// The window zoomed by `factor` (> 1: closer) so that `row`, `col` stay at their place on screen; stays
/// inside the matrix.
MatrixWindow zoomed(MatrixWindow window, double row, double col, double factor, std::int64_t rows,
                    std::int64_t cols);

/// Preferred size of the plot, labels included, within `available`; cells no larger than max_cell.
ImVec2 matrix_size(const MatrixPlot& plot, ImVec2 available);
/// Sets plot.cell so that the plot, labels included, fills `room`; no cell larger than `most`.
void fill_room(MatrixPlot& plot, ImVec2 room, ImVec2 most);
/// Draws at `position` (screen) inside `size`, as an ImGui item named plot.key.
MatrixEvent draw_matrix(Painter& painter, const MatrixPlot& plot, ImVec2 position, ImVec2 size);

/// Colour range, and the range of the values: a few outliers (at most one value in a hundred) lie outside the
/// colour range, so that they do not flatten the rest.
struct ValueRange {
  float lo = 0, hi = 1;
  float least = 0, most = 0;  ///< range of the finite values
  bool clipped() const { return least < lo || most > hi; }
};
/// Symmetric around 0.
ValueRange signed_range(const Tensor& values);
/// signed_range() of a tensor that is shown frame after frame: it is read once.
class KeptRange {
 public:
  const ValueRange& of(const Tensor& values) {
    const bool known = same_view(values_, values);
    if (!known) range_ = signed_range(values);
    if (!known) values_ = values;
    return range_;
  }

 private:
  Tensor values_;  // held, so that no other tensor stands in its place
  ValueRange range_;
};
/// The same from 0 upwards; `share` of all values may lie outside.
ValueRange upward_range(const Tensor& values, float share = 0.01f);
/// Sets the style's range; with a logarithmic scale or `whole` it reaches to the largest value, unclipped.
void set_range(HeatStyle& style, const ValueRange& range, bool whole = false);
/// A matrix inside a larger figure: cells of the given size in signed colours, no labels and no room reserved
/// for them.
MatrixPlot bare_plot(std::string key, const Tensor& values, const ValueRange& range, ImVec2 cell);

/// A colour bar with ticks for a style: bar of `size` at `position`, title above. Where values are clipped,
/// its ends are marked and show the values' own range.
void draw_legend(const HeatStyle& style, std::string_view title, ImVec2 position, ImVec2 size,
                 bool vertical = true);

/// The smallest cell that holds a number of two significant digits: ".35", "1.2"; `negative`: also "−1.2".
ImVec2 least_number_cell(bool negative);
/// Two significant digits in at most three characters and a minus: ".35", "1.2", "−12".
std::string compact_number(float value);
/// A number for a cell, `digits` decimals: U+2212 minus, −∞ for masked, ∞, NaN; from 1e6 on with an exponent.
std::string number_text(float value, int digits);
/// A number for a legend or tick: three significant digits, U+2212 minus.
std::string short_number(double value);
/// The text, or its middle replaced by … so that it is at most `width` pixels wide in `font`. Valid while
/// `text` is, or until many others were shortened: draw it at once.
std::string_view middle_truncated(ImFont* font, std::string_view text, float width);
/// A text that is at most `width` pixels wide: whole, where need be in letters of down to three quarters of
/// their size; else shortened in letters of their size. Valid as above.
struct FittedText {
  std::string_view text;
  float size = 0;  ///< of the letters, pixels
  float width = 0;
};
FittedText fitted_text(ImFont* font, std::string_view text, float width);
ImVec2 text_size(ImFont* font, std::string_view text);
/// Draws text in a colour; `font` null: the current one.
void draw_text(const Canvas& canvas, ImFont* font, ImVec2 at, ImU32 colour, std::string_view text);

}  // namespace attnscope
