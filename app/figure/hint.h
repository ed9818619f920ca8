// The group of what says what can be done with the pointer: it is on the screen only, files leave it out.
#pragma once

namespace attnscope {

inline constexpr const char* kHintGroup = "hint";

}  // namespace attnscope
