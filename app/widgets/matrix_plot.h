// A matrix on the screen: heatmap by the Painter, numbers in the cells when they fit, labelled axes, hover and
// selection, masked cells hatched. The one way every view draws a matrix. Refuses to make numbers: it shows what
// it is given.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <vector>

#include "app/gpu/painter.h"
#include "core/tensor/tensor.h"

namespace attnscope {

struct MatrixAxis {
  std::string title;                ///< "query (who looks)"; empty: none
  ImU32 colour = 0;                 ///< of title and lit labels; 0 = dim text
  std::vector<std::string> labels;  ///< one per row or column; empty: indices are drawn where they fit
};

/// The part of a large matrix that is seen, in cells (zoom and pan); {0,0,0,0} = all.
struct MatrixWindow {
  double row0 = 0, col0 = 0, row1 = 0, col1 = 0;
  bool all() const { return row1 <= row0 || col1 <= col0; }
};

struct MatrixPlot {
  std::string key;            ///< texture name, unique on screen
  std::uint64_t version = 0;  ///< of the values: RunResult::version or a hash
  Tensor values;              ///< [rows, cols]; -inf = masked
  HeatStyle style;
  MatrixAxis rows, cols;
  bool show_numbers = true;
  int digits = 4;             ///< after the point, where they fit
  float max_cell = 100.f;     ///< largest cell width in units; height follows `aspect`
  float aspect = 0.6f;        ///< cell height / width where cells are large
  std::int64_t lit_row = -1, lit_col = -1;            ///< lit from outside (what a hovered result came from)
  std::int64_t selected_row = -1, selected_col = -1;  ///< pinned cell
  ImU32 frame_colour = 0;     ///< outline of lit rows and columns; 0 = accent
  MatrixWindow* window = nullptr;  ///< given: wheel zooms, drag pans, double click resets
};

struct MatrixEvent {
  ImVec2 p0, p1;                             ///< of the cells, on screen
  std::int64_t row = -1, col = -1;           ///< under the pointer, or -1
  bool clicked = false, double_clicked = false;
  bool hovered() const { return row >= 0; }
};

/// Size that the plot would like (labels included) inside `available`; cells no larger than max_cell.
ImVec2 matrix_size(const MatrixPlot& plot, ImVec2 available);
/// Draws at `position` (screen) inside `size`, as an ImGui item called plot.key.
MatrixEvent draw_matrix(Painter& painter, const MatrixPlot& plot, ImVec2 position, ImVec2 size);

/// Range of values for a style: symmetric around 0 for signed data, [0, 1] for probabilities, from finite values.
struct ValueRange {
  float lo = 0, hi = 1;
};
ValueRange signed_range(const Tensor& values);

/// A legend with numbers for a style: vertical bar of `size` at `position`, title above.
void draw_legend(const HeatStyle& style, const std::string& title, ImVec2 position, ImVec2 size, bool vertical = true);

/// A number for a cell: real minus signs, −∞ for masked, NaN; at most `width` characters.
std::string number_text(float value, int digits);

}  // namespace attnscope
