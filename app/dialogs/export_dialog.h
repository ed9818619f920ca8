// Export dialog (Ctrl+E): a picture of the window or the stage at one to three times its size, the figure on
// the stage as SVG, or the figure alone as picture or data (app/state/shown_figure.h). Only sets
// state.export_request; the file is made after the frame (shell/picture.h).
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

class ExportDialog {
 public:
  void draw(FrameState& state);

 private:
  void ask_where(FrameState& state);
  void choose_format(const FrameState& state);
  void choose_part(const FrameState& state);
  void choose_scale(bool figure);
  /// `still`: of a picture that does not move.
  void choose_page(bool still = true);
  bool choose_walk(const FrameState& state);
  /// Draws what can be chosen for this form; false where it cannot be written.
  bool choose(const FrameState& state);
  ExportRequest request() const;

  std::string path_, walk_;
  ExportChoice chosen_;
  bool all_forms_ = false;  ///< beside the easy window, too
};

}  // namespace attnscope
