// Where on the screen a thing to try is done: at a word of the text, at a cell of the picture, or along the
// row of a mask.
#pragma once

#include <optional>

#include "app/figure/figure_box.h"
#include "app/shell/try_hand.h"
#include "app/widgets/commands.h"
#include "core/session/try_this.h"

namespace attnscope {

/// `run`: of what is on the screen, before the change; `changed`: the document with it. The figure was drawn
/// in this frame. Of several cells that a change covers the largest on the screen, of a head that the picture
/// does not show the button that names it. Nothing where not even the picture is on the screen.
std::optional<HandWay> try_way(const TryThis& thing, const RunResult& run, const Document& changed,
                               const FigureBox& box, const Cursor& cursor);

}  // namespace attnscope
