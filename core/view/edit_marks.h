// What the edits of a run touched, as marks of a figure: the same outline in every view and level.
#pragma once

#include <string>
#include <vector>

#include "core/view/view.h"

namespace attnscope {

/// Outlines the cells of matrices and the rows of tables that an edit of `state.run` put numbers into, where
/// these name places of the run. An edit of a projection touches its heads, too; one of a score the weight
/// made of it; a mask those of its cells that were switched one by one.
void mark_edits(figure::PartBox& body, const ViewState& state);
/// An edit of the run touched a cell of this place; axes that are not named are meant whole.
bool touched(const Trace& run, const Site& site, const std::vector<AxisRange>& at);

}  // namespace attnscope
