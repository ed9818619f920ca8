// Editing on the stage: a text field over a cell (double click, or Enter on the pinned cell), and Shift +
// drag. What an edit does is decided in app/widgets/cell_edit.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/views/steps_plot.h"
#include "app/views/view.h"
#include "app/widgets/cell_field.h"

namespace attnscope {

/// The editable value behind a cell of a figure.
struct EditTarget {
  Cell cell;                        ///< of a step,
  std::string weight;               ///< or of a weight
  std::vector<std::int64_t> index;  ///< on the axes of the step or weight
  float value = 0;
};
std::optional<EditTarget> edit_target(const RunResult& run, int sequence, const Figure& figure,
                                      const FigureCell& cell);
/// Outlines of edits that cover cells of the operand, and of cells with a note.
std::vector<MatrixMark> document_marks(const ViewContext& context, const Operand& operand);
/// Queues the edit.
void send_edit(const ViewContext& context, const EditTarget& target, float value, const std::string& gesture);

/// The context menu of a cell of a step or weight.
void offer_step_menu(const ViewContext& context, const Operand& operand, const FigureCell& cell);

class StepsEditor {
 public:
  /// Opens the text field over an editable cell.
  void open(const ViewContext& context, const Figure& figure, const FigureCell& cell);
  /// Handles Shift + drag starting on `event`, and draws the text field. True while a value is being edited.
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
  FigureCell typed_;  ///< the cell below the text field
  std::optional<Drag> drag_;
  int gestures_ = 0;
};

}  // namespace attnscope
