// The lesson panel beside the stage: page, text, question with its controls, hints, buttons; and the list of
// all lessons. Answers are checked in core/lesson/check.h.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// Minimum width of the panel, units.
inline constexpr float kLessonWidth = 352.f;

/// Draws into the current child window.
void draw_lesson_panel(FrameState& state);
/// The text and question of the page below a presented figure: whether there are any, their height in pixels,
/// and drawing them.
bool presents_words(const FrameState& state);
float presented_words_height(const FrameState& state);
void draw_presented_words(FrameState& state, ImVec2 min, ImVec2 max);
/// Two chips above the panel: lesson or inspector.
void draw_lesson_switch(FrameState& state);
/// The list of lessons, if it is open: progress in each, the learner's name, CSV export.
void draw_lesson_list(FrameState& state);
/// Covers the cells that a page hides and highlights what it points at. After everything else was drawn.
void draw_lesson_overlay(FrameState& state);

}  // namespace attnscope
