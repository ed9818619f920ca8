// Groups of a recording with fixed names.
#pragma once

namespace attnscope {

/// Hints about mouse actions: shown on screen only, left out of files.
inline constexpr const char* kHintGroup = "hint";

}  // namespace attnscope
