// Groups of a recording that readers know by name.
#pragma once

namespace attnscope {

/// What says what can be done with the pointer: it is on the screen only, files leave it out.
inline constexpr const char* kHintGroup = "hint";

}  // namespace attnscope
