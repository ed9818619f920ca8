// A matrix on the screen: heatmap by the Painter, numbers in the cells when they fit, labelled axes, hover
// and selection, masked cells hatched. The one way every view draws a matrix. Refuses to make numbers: it
// shows what it is given.
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

/// Small pictures for the entries of an axis: patches of one picture that the painter holds.
struct AxisPictures {
  std::string key;                     ///< in the painter
  int rows = 1, cols = 1;              ///< of patches in the picture
  std::vector<std::int64_t> patch_of;  ///< of each entry; -1: it has none
  /// -1 where the entry has none.
  std::int64_t patch(std::int64_t entry) const {
    return entry >= 0 && entry < static_cast<std::int64_t>(patch_of.size())
               ? patch_of[static_cast<std::size_t>(entry)]
               : -1;
  }
};

struct MatrixAxis {
  std::string title;                ///< "query (who looks)"; empty: none
  ImU32 colour = 0;                 ///< of title and lit labels; 0 = dim text
  std::vector<std::string> labels;  ///< one per row or column; empty: indices are drawn where they fit
  std::function<std::string(std::int64_t)> label_of;  ///< instead of `labels`, for axes too long to spell out
  bool show_labels = true;                       ///< false: neither labels nor indices, and no room for them
  std::shared_ptr<const AxisPictures> pictures;  ///< beside the labels; null: none
};

/// An outline around cells; row or col < 0 covers that whole axis.
struct MatrixMark {
  std::int64_t row = -1, col = -1;
  ImU32 colour = 0;  ///< 0 = accent
  std::int64_t rows = 1, cols = 1;
  float thickness = 2.f;  ///< units
};

/// The part of a large matrix that is seen, in cells (zoom and pan); {0,0,0,0} = all.
struct MatrixWindow {
  double row0 = 0, col0 = 0, row1 = 0, col1 = 0;
  bool all() const { return row1 <= row0 || col1 <= col0; }
};

struct MatrixPlot {
  std::string key;  ///< texture name, unique on screen
  Tensor values;    ///< [rows, cols]; -inf = masked
  HeatStyle style;
  MatrixAxis rows, cols;
  bool large_numbers = false;  ///< larger digits where the cells have room: on a projector
  bool show_numbers = true;
  bool masked_numbers = true;  ///< false: masked cells are hatched without "−∞" (a pattern's are 0)
  int digits = 4;              ///< after the point, where they fit
  float number_unit = 1.f;     ///< numbers are written in multiples of it; the title must say so
  float max_cell = 100.f;      ///< largest cell width in units; height follows `aspect`
  float aspect = 0.6f;         ///< cell height / width where cells are large
  std::int64_t lit_row = -1, lit_col = -1;            ///< lit from outside (what a hovered result came from)
  std::int64_t selected_row = -1, selected_col = -1;  ///< pinned cell
  ImU32 frame_colour = 0;                             ///< outline of lit rows and columns; 0 = accent
  MatrixWindow* window = nullptr;                     ///< given: wheel zooms, drag pans, double click resets
  bool double_click_resets = true;                    ///< false: the asker knows what a double click means
  /// `values` may be a part of a larger matrix: labels, window, marks and events count in the larger one.
  std::int64_t first_row = 0, first_col = 0;
  std::int64_t total_rows = 0, total_cols = 0;  ///< 0: those of `values`
  ImVec2 cell{0, 0};                            ///< size of a cell in pixels, so that plots line up; 0 = fit
  float row_label_width = -1;                   ///< pixels kept for the row labels; < 0: what they need
  float col_label_height = -1;  ///< pixels kept for title and column labels; < 0: what they need
  std::vector<MatrixMark> marks;
  std::span<const MatrixMark> lent_marks;  ///< more of them, in the memory of the asker
  CellsPlace place;                        ///< what its cells are, for whoever points at them
};

struct MatrixEvent {
  ImVec2 p0, p1;                    ///< of the cells, on screen
  std::int64_t row = -1, col = -1;  ///< under the pointer, or -1
  bool clicked = false, double_clicked = false;
  bool numbers = false;  ///< the cells are large enough to be read
  bool hovered() const { return row >= 0; }
};

/// Where the parts of a plot lie, relative to its position; pure arithmetic, so that it can be tested.
struct MatrixLayout {
  MatrixWindow seen;                            ///< never all(): the cells that are shown
  ImVec2 cells0, cells1;                        ///< rectangle of the cells
  ImVec2 cell;                                  ///< size of one
  bool slanted = false;                         ///< column labels
  float beyond = 0;                             ///< what the last slanted one takes on the right of the cells
  std::int64_t row_stride = 1, col_stride = 1;  ///< every k-th label is drawn
  /// The cell under a point, or false outside of the cells.
  bool hit(ImVec2 point, std::int64_t& row, std::int64_t& col) const;
  /// Corner of a cell (also of row + 1, col + 1), not clamped.
  ImVec2 corner(double row, double col) const;
};
MatrixLayout matrix_layout(const MatrixPlot& plot, ImVec2 size);
/// What of a matrix a window shows: one chosen on a larger matrix, or read from a file, is moved into this
/// one.
MatrixWindow inside(MatrixWindow window, std::int64_t rows, std::int64_t cols);
/// The window zoomed by `factor` (> 1: closer) so that `row`, `col` keep their place; stays inside the
/// matrix.
MatrixWindow zoomed(MatrixWindow window, double row, double col, double factor, std::int64_t rows,
                    std::int64_t cols);

/// Size that the plot would like (labels included) inside `available`; cells no larger than max_cell.
ImVec2 matrix_size(const MatrixPlot& plot, ImVec2 available);
/// Sets the size of the cells so that the plot, labels included, fills `room`; none is larger than `most`.
void fill_room(MatrixPlot& plot, ImVec2 room, ImVec2 most);
/// Draws at `position` (screen) inside `size`, as an ImGui item called plot.key.
MatrixEvent draw_matrix(Painter& painter, const MatrixPlot& plot, ImVec2 position, ImVec2 size);

/// Range of colours, and the values' own: a few that are far larger than all others (one in a hundred at
/// most) lie outside of the colours, so that they do not flatten the rest.
struct ValueRange {
  float lo = 0, hi = 1;
  float least = 0, most = 0;  ///< of the finite values
  bool clipped() const { return least < lo || most > hi; }
};
/// Symmetric around 0.
ValueRange signed_range(const Tensor& values);
/// The same up from 0, where `share` of all values may lie outside.
ValueRange upward_range(const Tensor& values, float share = 0.01f);
/// The style's ends; a logarithmic scale and `whole` reach to the largest value instead of clipping it.
void set_range(HeatStyle& style, const ValueRange& range, bool whole = false);
/// A matrix among others: cells of the given size in signed colours, no labels of its own and no room for
/// them.
MatrixPlot bare_plot(std::string key, const Tensor& values, const ValueRange& range, ImVec2 cell);

/// A legend with numbers for a style: vertical bar of `size` at `position`, title above. Where values are
/// clipped, its ends say so and tell the values' own range.
void draw_legend(const HeatStyle& style, std::string_view title, ImVec2 position, ImVec2 size,
                 bool vertical = true);

/// The smallest cell that holds a number of two digits that count: ".35", "1.2"; `negative`: "−1.2" too.
ImVec2 least_number_cell(bool negative);
/// Two digits that count, in three signs and a minus: ".35", "1.2", "−12".
std::string compact_number(float value);
/// A number for a cell: real minus signs, −∞ for masked, ∞, NaN; from 1e6 on with an exponent.
std::string number_text(float value, int digits);
/// A number for a legend or a tick: three significant digits, real minus signs.
std::string short_number(double value);
/// The text itself, or with its middle replaced by … so that it is no wider than `width` pixels in `font`.
/// Holds as long as `text` does, or until many others were shortened: for drawing at once.
std::string_view middle_truncated(ImFont* font, std::string_view text, float width);
ImVec2 text_size(ImFont* font, std::string_view text);
/// Text of a colour at a place; `font` null: the current one.
void draw_text(const Canvas& canvas, ImFont* font, ImVec2 at, ImU32 colour, std::string_view text);

}  // namespace attnscope
