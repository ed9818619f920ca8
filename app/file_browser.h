// A window to choose a model folder or a scene to open, or where to save. Folders are read in the background,
// and what cannot be read is said in words. Refuses to change anything on the disk.
#pragma once

#include "app/frame_state.h"

namespace attnscope {

class FileBrowser {
 public:
  void draw(FrameState& state);
};

}  // namespace attnscope
