// Groups of a recording that readers know by name.
#pragma once

namespace attnscope {

/// What says what can be done with the pointer: it is on the screen only, files leave it out.
inline constexpr const char* kHintGroup = "hint";
/// What is larger than its room and scrolls: the room's edge cuts it.
inline constexpr const char* kScrollGroup = "scrolls";
/// What is higher than its room and scrolls up and down: no edge on its left or right cuts it.
inline constexpr const char* kScrollsDown = "scrolls down";

}  // namespace attnscope
