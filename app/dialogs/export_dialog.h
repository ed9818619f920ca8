// Export dialog (Ctrl+E): a picture of the window or the stage at one to three times its size, or the figure
// on the stage as SVG. Only sets state.export_request; the picture is made after the frame
// (shell/picture.h).
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
