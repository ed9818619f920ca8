// The picture that a model looks at: a thumbnail, and a window to see it large under its patches with the
// numbers that the model gets, to open another, and to draw on a small grid of pixels. Files are read in the
// background. Refuses to resize or normalise anything itself.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "app/panels/input/input_menu.h"
#include "app/state/frame_state.h"
#include "app/state/panel.h"
#include "core/session/picture_edits.h"

namespace attnscope {

class PictureBox {
 public:
  /// Before drawing, once per frame: opens what was asked for, and takes what was read.
  void follow(const PanelContext& context, FrameState& state);
  /// Under which the painter has what the model sees; empty where it sees nothing.
  const std::string& key() const { return key_; }
  /// A square of `side` pixels at the cursor that opens the window.
  void draw_thumbnail(const PanelContext& context, float side);
  /// Opens the window in this frame.
  void ask() { ask_ = true; }
  /// `chips`: of the main stack, so that a patch that is clicked becomes the query.
  void draw_window(const PanelContext& context, FrameState& state, const std::vector<Chip>& chips);
  /// "cat.png · 32 × 32 pixels · 4 × 4 patches"
  std::string facts(const PanelContext& context) const;

 private:
  struct Read {  // a file: a picture, or numbers
    std::string path;
    std::size_t sequence = 0;
    Picture picture;
    Tensor pixels;  ///< empty: it is a picture
  };
  void show_pixels(const PanelContext& context);
  void begin_reading(const PanelContext& context, const std::string& path);
  static Result<Read> read_file(const std::string& path, std::size_t sequence, const Preprocessing& how);
  void take_reading(Session& session, const Result<Read>& read);
  // input_canvas.cpp
  void draw_canvas(const PanelContext& context, const std::vector<Chip>& chips, ImVec2 size);
  void draw_patch_lines(const PanelContext& context, ImVec2 p0, ImVec2 p1) const;
  void look(const PanelContext& context, const std::vector<Chip>& chips, ImVec2 p0, ImVec2 p1);
  void paint_at(const PanelContext& context, ImVec2 p0, ImVec2 p1);
  void show_drawing(const PanelContext& context);
  void draw_tools(const PanelContext& context, FrameState& state);
  void draw_palette();
  void draw_grids(const PanelContext& context);
  void draw_numbers(const PanelContext& context);
  void browse(FrameState& state);
  PictureGrid grid(const PanelContext& context) const;

  std::size_t sequence_ = 0;
  std::uint64_t opened_ = 0;
  Tensor seen_;  ///< what lies under key_
  std::uint64_t version_ = 0;
  std::string key_;
  float least_ = 0, largest_ = 0;  ///< of seen_
  Computed<Result<Read>> reading_;

  ImVec2 corner_;  ///< where the window hangs
  bool ask_ = false, drawing_ = false, down_ = false;
  int grid_width_ = 16;  ///< 0: as the model sees it
  int brush_ = 1, colour_ = 3;
  int stroke_ = 0, last_x_ = 0, last_y_ = 0;
  Picture drawn_;                                   ///< what is drawn on,
  PictureGrid drawn_on_;                            ///< on this grid,
  std::uint64_t drawn_of_ = 0, drawn_version_ = 0;  ///< of this version_ of what the model sees
  std::string patch_;                               ///< under the pointer
  int pixel_x_ = -1, pixel_y_ = -1;                 ///< under the pointer, of what the model sees
};

}  // namespace attnscope
