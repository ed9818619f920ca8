// How a movement of the Pilot is written: by what its token stands for.
#pragma once

#include "core/base/keyed_text.h"

namespace attnscope {

/// "+6.25 cm", "90°", "0.40 open": what a token with this bin stands for as the action-th of the seven.
Text arm_text(std::size_t action, int bin);

}  // namespace attnscope
