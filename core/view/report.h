// A report: one HTML file of what is open, for people who do not have the program: what was run, its notes,
// figures, the answer as a table, and the proof sheet. It names no other file and needs no network.
#pragma once

#include "core/session/document.h"
#include "core/view/view.h"

namespace attnscope {

/// `views`: whose figures it has, in order; those that the run cannot show are left out with their reason. In
/// the language of the moment. Errors: none of the figures could be drawn.
Result<std::string> report_html(const Document& document, const ViewState& state,
                                const std::vector<std::string>& views);

}  // namespace attnscope
