// The chips of Ask's pages that say which places are changed, and what they become.
#pragma once

#include "app/views/view.h"

namespace attnscope {

class ChipRow;

/// Which places, in groups of how many, and what they become.
void draw_ask_places(const ViewContext& context, ChipRow& line);

}  // namespace attnscope
