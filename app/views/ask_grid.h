// The result of a sweep as a heatmap: rows are blocks (the last on top), columns heads, positions or parts;
// of paths rows are senders, columns receivers. Exact values are shown plainly; estimates dimmed and hatched
// until the exact value is known. All values are from the sweep.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/look/kept_text.h"
#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"

namespace attnscope {

/// What cells show: how far the measure moved, or the measure itself; over a data set their spread, of a
/// patch their place between the two prompts.
struct CellsShown {
  bool change = true, spread = false, normalised = false;
  bool operator==(const CellsShown&) const = default;
};

/// Which cell of a sweep is at which row and column.
struct SweepGrid {
  std::vector<Site> rows;           ///< top first; for parts: the attention of each block
  std::vector<std::int64_t> heads;  ///< of each row; -1: the row is not a head
  std::vector<Slot> parts;          ///< columns that are parts of a block; empty: heads or positions
  std::vector<bool> cross;          ///< for each part: it is cross-attention
  std::string over;                 ///< "head", "pos", or empty
  std::int64_t group = 1;           ///< neurons per column
  std::int64_t cols = 0;
  std::vector<std::int64_t> cell;               ///< index in the sweep, [row, col]; -1: none
  std::vector<std::size_t> senders, receivers;  ///< paths: by row and by column, a cell of the sweep

  static SweepGrid of(const std::vector<SweepCell>& cells);
  bool paths() const { return !receivers.empty(); }
  std::int64_t at(std::int64_t row, std::int64_t col) const {
    return cell[static_cast<std::size_t>(row * cols + col)];
  }
  /// The measure, or its change, [rows, cols]: exact if known, else the estimate, else masked; or its spread
  /// over the prompts.
  Tensor values(const SweepAnswer& answer, CellsShown show) const;
};

/// The place of a sweep's cell: "block 0, head 2", "block 1, position 10 “tired”"; of a path "head 0.2 →
/// Q 1.3".
std::string place_words(const OpenedModel& opened, const SweepAnswer& answer, const SweepCell& cell);
/// The head of a row: of cells over two axes, the first one is the head; else -1.
std::int64_t sweep_row_head(const SweepCell& cell);
std::int64_t sweep_column(const SweepGrid& grid, const SweepCell& cell);
/// "block 1", "encoder 0", "cross 1"; "block 1 · 3" for a head.
std::string sweep_row_label(const ModelConfig& config, const Site& site, std::int64_t head = -1);

class AskGrid {
 public:
  /// Draws the newest result into the rectangle at `at`; a click adds a cell's edit, or removes it; over a
  /// data set, and of paths, it chooses the cell. Returns the y below, pixels.
  float draw(const ViewContext& context, const SweepAnswer& answer, ImVec2 at, ImVec2 size);
  /// The cell of an answer over a data set, or of paths, that was clicked last.
  std::optional<std::size_t> chosen(const SweepAnswer& answer) const {
    return answer.key == chosen_of_ && chosen_ < answer.cells().size() ? std::optional(chosen_)
                                                                       : std::nullopt;
  }
  /// Size in pixels at which every cell has room for its number.
  ImVec2 readable(const ViewContext& context, const SweepAnswer& answer);
  /// The style of the newest picture.
  const HeatStyle& style() const { return style_; }
  /// Puts the edit of a cell of one run into the document, or takes it back.
  static void toggle(const ViewContext& context, const SweepAnswer& answer, std::size_t cell);
  /// Puts an edit that was made beside the frame. Once per frame.
  static void follow_edits(const ViewContext& context);

 private:
  void follow(const SweepAnswer& answer, CellsShown show);
  MatrixPlot& plot_for(const ViewContext& context, const SweepAnswer& answer);
  bool chooses(const SweepAnswer& answer) const { return answer.over_data() || grid_.paths(); }
  void set_path_axes(const OpenedModel& opened, const SweepAnswer& answer, MatrixPlot& plot) const;
  void set_axes(const ViewContext& context, const SweepAnswer& answer, MatrixPlot& plot) const;
  void mark_edits(const ViewContext& context, const SweepAnswer& answer, MatrixPlot& plot) const;
  void draw_estimates(const SweepAnswer& answer, const MatrixPlot& plot, ImVec2 at, ImVec2 size) const;
  static void explain(const ViewContext& context, const SweepAnswer& answer, std::size_t cell);

  std::shared_ptr<const Sweep> sweep_;
  std::uint64_t seen_ = 0;  ///< SweepAnswer::change at the last update
  std::size_t cells_ = 0;   ///< SweepAnswer::cells() at the last update
  CellsShown show_;
  std::size_t chosen_ = 0;
  std::uint64_t chosen_of_ = 0;  ///< SweepAnswer::key
  SweepGrid grid_;
  Tensor values_;
  HeatStyle style_;
  MatrixWindow window_;
  Kept<MatrixPlot> plot_;  ///< cached, with row and column names
};

/// The swatch of an estimate in the legend.
void draw_estimate_swatch(ImVec2 p0, ImVec2 p1);

}  // namespace attnscope
