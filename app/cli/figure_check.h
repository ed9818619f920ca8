// attnscope-cli figure --check.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace attnscope::cli {

/// Places the views of these models ("labs": the labs'), of all that ship and the labs where none is named,
/// and prints what does not fit, is cut or covers something else. Errors: there is such a place.
Status check_figures(const std::vector<std::string>& names, bool json);

}  // namespace attnscope::cli
