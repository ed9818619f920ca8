// What a page asks, with its control, the verdict and the hints that were taken: beside the stage and under a
// figure that is presented. Refuses to know what a right answer is (core/lesson/check.h).
#pragma once

#include <string>

#include "app/state/frame_state.h"

namespace attnscope {

/// A sentence of a page: "title", "text", "ask", "hint1" ...
std::string page_words(const Lesson& lesson, const Page& page, std::string_view what);
/// In the face that lessons are read in, wrapped.
void reading_text(const std::string& text, ImU32 colour, bool bold = false);
/// An empty line of this height.
void gap(float units);
/// The question of the page that is open, in the current child window.
void draw_question(FrameState& state);
/// "Hint 1 of 3", then "Show me"; nothing on a page to read.
void draw_hint_button(FrameState& state);

}  // namespace attnscope
