// Questions that are answered by drawing: a row of bars that sum to 1, and steps that are put into an order.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// The bars of the page; once they were checked, the true ones grow over them.
void draw_bars(FrameState& state);
/// The same for a curve: a point over each name.
void draw_curve(FrameState& state, const BarsAsk& ask);
/// The keys of what is drawn: which go back and on among its points, and which make one smaller and larger.
struct DrawnKeys {
  compat::Key back, on, less, more;
};
/// Takes them, and Escape; the change of the chosen point, which is draft.bar, or 0.
double take_drawn_keys(PageDraft& draft, const DrawnKeys& keys);
/// One frame of the truth growing over what was drawn, once it was checked.
void grow_truth(FrameState& state);
/// In place of what the page's run would show, until it is there; nothing where the page cannot be opened,
/// which its complaint says.
void draw_waiting(LessonPlayer& player);
/// The steps of the page as rows that can be dragged, or moved with their arrows.
void draw_order(FrameState& state);
}  // namespace attnscope
