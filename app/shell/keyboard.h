// What the keys do. One table serves the keys and the list that F1 shows. Refuses to listen while somebody
// types, or to move things behind an open dialog.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// Acts on the keys of this frame; `run` may be null.
void handle_keys(FrameState& state, const RunResult* run);

/// A line of the list of keys: the keys as printed on them, and the string key of what they do.
struct KeyLine {
  std::string keys;
  const char* words;
};
/// `views`: how many there are to be chosen by number.
std::vector<KeyLine> key_lines(std::size_t views);

}  // namespace attnscope
