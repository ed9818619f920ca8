// The part of the context menu that changes nothing: copy a number, go to it, explain, watch, save it. Edits
// are in edit_menu.h.
#pragma once

#include "app/widgets/commands.h"

namespace attnscope {

/// A row of buttons for a place of the run; pressing one closes the popup that contains them.
void draw_place_menu(const RunResult& run, int sequence, const Place& place, Workspace& workspace,
                     Commands& commands);

}  // namespace attnscope
