// How a movement of the Pilot is written: by what its token stands for, with the token behind it.
#pragma once

#include <string>

#include "core/base/keyed_text.h"

namespace attnscope {

/// "+6.25 cm <act_10>", "90° <act_13>", "0.40 open <act_6>": what `token` with this bin stands for as the
/// action-th of the seven.
Text arm_text(std::size_t action, int bin, const std::string& token);

}  // namespace attnscope
