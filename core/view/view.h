// A view as a pure function from a state to a figure: what it shows is data (core/figure), so that the
// window, the command line, an export and a test show the same. One file per view, core/view/view_NAME.cpp,
// with one function ViewSpec view_NAME(); its texts are "figure.NAME.*" of the string tables.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/arch/open.h"
#include "core/figure/figure.h"
#include "core/lab/lab.h"
#include "core/lens/attention_places.h"
#include "core/trace/trace.h"

namespace attnscope {

/// easy: one picture, one sentence, the answer. full: all that the view has to say.
enum class Level : std::uint8_t { easy, full };

/// What a view is drawn from.
struct ViewState {
  const OpenedModel* opened = nullptr;
  std::shared_ptr<const Trace> run;  ///< null for views of no model
  AttentionPlace place;              ///< whose attention is looked at
  int layer = 0;                     ///< block
  std::int64_t head = 0;
  std::int64_t row = 0;  ///< of the main stack, or of the queries
  Level level = Level::full;
  const Lab* lab = nullptr;  ///< of the view of labs
  LabValues values;          ///< of its controls
};

struct ViewSpec {
  std::string id;     ///< "attention"
  int order = 0;      ///< in lists, smallest first
  bool model = true;  ///< it shows a run
  /// Errors: what the run lacks; a place outside of it.
  Result<figure::Figure> (*draw)(const ViewState& state) = nullptr;
};

/// From core/view/view_*.cpp, in the order of files.
const std::vector<ViewSpec>& views_by_file();
/// In their own order.
std::vector<const ViewSpec*> view_specs();
/// Errors: an unknown id (lists those that are known).
Result<const ViewSpec*> find_view(std::string_view id);
/// The state of a run that was just made: its first attention, block 0, head 0, the row of the prediction.
ViewState first_state(const OpenedModel& opened, std::shared_ptr<const Trace> run);
/// Errors: a block, head or row that the run does not have; the sentence says how many there are.
Status check_state(const ViewState& state);

// ---- pieces that views share -----------------------------------------------------------------------

/// Names of the rows of a stack.
figure::Names row_names(const ViewState& state, Stack stack, figure::Ink ink, std::int64_t looked = -1);
/// One head at a stage of the attention that is looked at, whole: names, numbers, colours.
figure::MatrixMark attention_matrix(const ViewState& state, Slot stage);
/// Its row `state.row` alone, to be drawn large: the keys ordered by weight, largest first.
figure::MatrixMark attention_row_matrix(const ViewState& state, const figure::MatrixMark& pattern);
/// The `most` likeliest outputs of a row with their probabilities, and what the others add up to. Errors: a
/// run without logits.
Result<figure::TableMark> answer_table(const ViewState& state, std::int64_t row, std::size_t most);

}  // namespace attnscope
