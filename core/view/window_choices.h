// What is chosen inside a view of the window, for its figure.
#pragma once

#include <nlohmann/json.hpp>

#include "core/view/view.h"

namespace attnscope {

/// Calculator and Check: their choices and, where none is open, their page. `look`: of a session, or of the
/// window as it is.
void take_view_choices(const ViewSpec& view, const nlohmann::json& look, ViewState& state);

}  // namespace attnscope
