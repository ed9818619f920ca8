// attnscope --check-fit: every view of a model, and every step in the view of steps, drawn offscreen and
// checked for texts that are cut, over each other or shortened, and for matrices without a readable number.
#pragma once

#include "app/shell/options.h"

namespace attnscope {

/// Checks the model of the options (none: each shipped one) in their size (1280x720) and language (none:
/// all), as a window or with `present` as a presentation. Prints one line per finding, or with `json`
///   {"looked_at": N, "matrices": N, "without_digits": N, "smallest_digit": px, "findings": [
///    {"model", "view", "step", "lang", "what": "cut" | "overlap" | "shortened" | "scrolls" | "no_digits" |
///    "small",
///     "where"}]}.
/// In full Steps also: the row that is looked at has no digits, or smaller ones than 14 pixels (presented
/// 20). Exit status: 1 where there are findings or nothing could be drawn. Errors go to stderr.
int check_fit(const Options& options);

}  // namespace attnscope
