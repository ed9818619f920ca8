// The answer of a sweep as a heatmap: rows are blocks (the last on top), columns heads, tokens or parts.
// Exact values as they stand; estimates veiled and hatched until the exact value takes their place. Refuses
// numbers of its own: every cell is one of the sweep's.
#pragma once

#include <string>
#include <vector>

#include "app/look/kept_text.h"
#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"

namespace attnscope {

/// Which cell of a sweep stands where.
struct SweepGrid {
  std::vector<Site> rows;           ///< top first; of parts: the attention of each block
  std::vector<std::int64_t> heads;  ///< of each row; -1: a row is no head of its own
  std::vector<Slot> parts;          ///< columns that are parts of a block; empty: heads or positions
  std::vector<bool> cross;          ///< of each of them: the part is cross-attention
  std::string over;                 ///< "head", "pos", or empty
  std::int64_t group = 1;           ///< neurons of a column
  std::int64_t cols = 0;
  std::vector<std::int64_t> cell;  ///< of the sweep, [row, col]; -1: none

  static SweepGrid of(const Sweep& sweep);
  std::int64_t at(std::int64_t row, std::int64_t col) const {
    return cell[static_cast<std::size_t>(row * cols + col)];
  }
  /// The measure, or its change, [rows, cols]: exact where it is known, else estimated, else masked.
  Tensor values(const SweepAnswer& answer, bool change) const;
};

/// What a cell of a sweep is, in words: "block 0, head 2", "block 1, position 10 “tired”".
std::string place_words(const OpenedModel& opened, const SweepAnswer& answer, const SweepCell& cell);
/// "block 1", "encoder 0", "cross 1"; "block 1 · 3" for a head.
std::string sweep_row_label(const ModelConfig& config, const Site& site, std::int64_t head = -1);

class AskGrid {
 public:
  /// Draws the newest answer into the rectangle at `at`; a click puts a cell's edit, or takes it back. The y
  /// of what follows.
  float draw(const ViewContext& context, const SweepAnswer& answer, ImVec2 at, ImVec2 size);
  /// Pixels that the answer needs to be read: every number in its cell.
  ImVec2 readable(const SweepAnswer& answer);
  /// The colours of the newest picture.
  const HeatStyle& style() const { return style_; }

 private:
  void follow(const SweepAnswer& answer, bool change);
  float labels_width(const SweepAnswer& answer) const;
  void set_axes(const ViewContext& context, const SweepAnswer& answer, MatrixPlot& plot) const;
  void mark_edits(const ViewContext& context, const SweepAnswer& answer, MatrixPlot& plot) const;
  void draw_estimates(const SweepAnswer& answer, const MatrixPlot& plot, ImVec2 at, ImVec2 size) const;
  static void explain(const ViewContext& context, const SweepAnswer& answer, std::size_t cell);
  static void toggle(const ViewContext& context, const SweepAnswer& answer, std::size_t cell);

  std::shared_ptr<const Sweep> sweep_;
  std::uint64_t seen_ = 0;  ///< SweepAnswer::change
  bool change_ = true;
  SweepGrid grid_;
  Tensor values_;
  HeatStyle style_;
  MatrixWindow window_;
  Kept<MatrixPlot> plot_;  ///< with the names of its rows and columns
};

/// The sign of an estimate, beside its word in the legend.
void draw_estimate_swatch(ImVec2 p0, ImVec2 p1);

}  // namespace attnscope
