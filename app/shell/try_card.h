// The frame of the easy window's card with one thing to try.
#pragma once

#include "app/look/theme.h"

namespace attnscope {

inline constexpr float kTryCardHeight = 58.f;  ///< units, with the gap below it

/// The green frame and "Try it" at its left; `end`: its lower right corner. Returns where the words begin.
float draw_try_frame(ImVec2 at, ImVec2 end);
/// Words of one or two lines between `left` and `right`, in the middle of the card.
void draw_try_words(const char* words, float left, float right, float middle);

}  // namespace attnscope
