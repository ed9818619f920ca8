// The pages of Ask as figures, from what the window shows: a knock-out or patch of one run, the same over a
// data set, the sum of who wrote the measure, one score split by who wrote its query and its key, the tables
// of the other pages.
#pragma once

#include "core/session/asking.h"
#include "core/view/view.h"

namespace attnscope {

/// What a page of Ask shows.
struct AskShown {
  std::shared_ptr<const SweepAnswer> sweep = {};  ///< of a page of cells
  std::string other = {};                         ///< patch: the other prompt
  bool change = true, normalised = false;         ///< what the cells show on screen
  std::optional<AskedParts> parts = {};           ///< of the page of the sum
  std::optional<ShownTable> table = {};           ///< of a page that shows one
  AskPage page = AskPage::knock_out;
  bool whole = true;  ///< false: some of the answer is still being computed, or was stopped
};

/// Mean change, mean, standard error and count of every place. `answer.data` is there.
Result<ViewDrawing> draw_asked_data(const SweepAnswer& answer);
/// Change, value and estimate of every place of one run; of a patch the normalised value, too.
Result<ViewDrawing> draw_asked_run(const ViewState& state, const AskShown& shown);
/// Every addend of the measure, and what is opened beside it; or the split score.
Result<ViewDrawing> draw_asked_parts(const ViewState& state, const AskedParts& parts);
/// The table of a page.
Result<ViewDrawing> draw_asked_table(AskPage page, const ShownTable& table);
/// A number in the sentences of these figures.
inline std::string asked_number(double value) { return figure::number_text(value, 2); }
/// Rows are blocks (and heads), each with the step that it is of; columns the last axis: "head 2", or
/// `columns` of each cell.
figure::MatrixMark place_matrix(const std::vector<SweepCell>& cells, const std::vector<double>& values,
                                figure::Scale scale, const std::vector<std::string>& columns = {});

}  // namespace attnscope
