// Export (Ctrl+E): a picture of the whole window or of the stage alone, at one to three times its size; or
// the figure on the stage as SVG. Refuses to take the picture itself: it leaves a request for the program
// around the frame.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

class ExportDialog {
 public:
  void draw(FrameState& state);

 private:
  void ask_where(FrameState& state);
  void choose_part(const FrameState& state);
  std::string path_;
  int scale_ = 1;
  bool stage_only_ = false;
};

}  // namespace attnscope
