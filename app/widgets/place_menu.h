// What can be done with a number without changing anything: copied, gone to, explained, watched, saved. Part
// of the menu behind the right button. Refuses edits: edit_menu.h.
#pragma once

#include "app/widgets/commands.h"

namespace attnscope {

/// A row of buttons for a place of the run; the popup that they stand in closes when one is pressed.
void draw_place_menu(const RunResult& run, int sequence, const Place& place, Workspace& workspace,
                     Commands& commands);

}  // namespace attnscope
