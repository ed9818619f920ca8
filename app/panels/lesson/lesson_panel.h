// The lesson beside the stage: where one is, what is told, what is asked with its control, hints, the way on;
// and the list of all lessons. Refuses to know what a right answer is (core/lesson/check.h).
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// Least width of the panel, in units.
inline constexpr float kLessonWidth = 352.f;

/// Draws into the current child window.
void draw_lesson_panel(FrameState& state);
/// The words of the page under a presented figure, with what is asked: whether there are any, how much of the
/// screen's height they take, and the words themselves.
bool presents_words(const FrameState& state);
float presented_words_height(const FrameState& state);
void draw_presented_words(FrameState& state, ImVec2 min, ImVec2 max);
/// Lesson or inspector: two chips over the panel.
void draw_lesson_switch(FrameState& state);
/// The list of lessons, where it is asked for: what was done of each, the learner's name, CSV.
void draw_lesson_list(FrameState& state);
/// Covers the cells that a page hides and lights what it points at, over everything that was drawn.
void draw_lesson_overlay(FrameState& state);

}  // namespace attnscope
