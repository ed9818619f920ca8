// The question of a lesson's page: its controls, verdict and hints; beside the stage and below a presented
// figure. Answers are checked in core/lesson/check.h.
#pragma once

#include <string>

#include "app/state/frame_state.h"

namespace attnscope {

/// Text in the reading font, wrapped.
void reading_text(const std::string& text, ImU32 colour, bool bold = false);
/// Empty space of this height, units.
void gap(float units);
/// The question of the open page, in the current child window.
void draw_question(FrameState& state);
/// What is said of the answer, and where one may look further: apart from the question, which stands still.
void draw_verdict(FrameState& state);
/// The button that checks what was answered; nothing where a click answers, or nothing is asked.
void draw_check_button(FrameState& state);
/// Width of its widest label, pixels.
float hint_width();
/// "Hint 1 of 3", then "Show me"; nothing on a page without a question.
void draw_hint_button(FrameState& state);

}  // namespace attnscope
