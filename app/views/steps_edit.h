// Changing numbers on the stage: a field over the cell (double click, or Enter on the pinned cell), and Shift
// + drag. What a change means is decided in app/widgets/cell_edit.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/views/steps_plot.h"
#include "app/views/view.h"
#include "app/widgets/cell_field.h"

namespace attnscope {

/// The number that a cell of a figure stands for, when it can be changed.
struct EditTarget {
  Cell cell;                        ///< of a step
  std::string weight;               ///< or of a weight
  std::vector<std::int64_t> index;  ///< on the source's axes
  float value = 0;
};
std::optional<EditTarget> edit_target(const RunResult& run, int sequence, const Figure& figure,
                                      const FigureCell& cell);
/// Outlines around what edits cover of a matrix of a figure, and around cells that somebody wrote a note to.
std::vector<MatrixMark> document_marks(const ViewContext& context, const Operand& operand);
/// Sends the change.
void send_edit(const ViewContext& context, const EditTarget& target, float value, const std::string& gesture);

class StepsEditor {
 public:
  /// Opens the field over a cell that can be changed.
  void open(const ViewContext& context, const Figure& figure, const FigureCell& cell);
  /// Follows Shift + drag that begins on `event`, and draws the field. True while a number is being changed.
  bool update(const ViewContext& context, const Figure& figure, const FigureEvent& event, FigurePlot& plot);
  void close() { field_.close(); }
  bool busy() const { return drag_.has_value(); }
  bool editing() const { return field_.is_open(); }

 private:
  struct Drag {
    EditTarget target;
    std::string gesture;
    float per_pixel = 0, moved = 0;
  };
  bool draw_field(const ViewContext& context, const Figure& figure, const FigurePlot& plot);
  CellField field_;
  FigureCell typed_;  ///< that the field is over
  std::optional<Drag> drag_;
  int gestures_ = 0;
};

}  // namespace attnscope
