// The image input of a model: a thumbnail, and a window that shows it large with its patches and pixel
// values, opens another file, or edits it on a small pixel grid. Files are read by a background job. Resizing
// and normalising are done in core.
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
  /// Before drawing, once per frame: starts reading the requested file, and takes the result.
  void follow(const PanelContext& context, FrameState& state);
  /// Painter key of the model's input image; empty if there is none.
  const std::string& key() const { return key_; }
  /// A square of `side` pixels; the window opens below it.
  void draw_plain(const PanelContext& context, ImVec2 at, float side, bool lit = false);
  /// The same at the ImGui cursor; a click opens the window.
  void draw_thumbnail(const PanelContext& context, float side);
  /// Opens the window in this frame.
  void ask() { ask_ = true; }
  /// `chips` of the main stack: clicking a patch makes its row the query.
  void draw_window(const PanelContext& context, FrameState& state, const std::vector<Chip>& chips);
  /// "cat.png · 32 × 32 pixels · 4 × 4 patches"
  std::string facts(const PanelContext& context) const;

 private:
  static constexpr float kToolWidth = 268;  ///< units

  struct Read {  // content of a file: an image, or pixel values
    std::string path;
    std::size_t sequence = 0;
    Picture picture;
    Tensor pixels;  ///< empty for an image
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
  /// `seen`: with the picture as the model sees it.
  void draw_tools(const PanelContext& context, FrameState& state, bool seen);
  void draw_palette();
  void draw_grids(const PanelContext& context);
  void draw_numbers(const PanelContext& context);
  void browse(FrameState& state);
  PictureGrid grid(const PanelContext& context) const;

  std::size_t sequence_ = 0;
  std::uint64_t opened_ = 0;
  Tensor seen_;  ///< the tensor uploaded as key_
  std::uint64_t version_ = 0;
  std::string key_;
  float least_ = 0, largest_ = 0;  ///< value range of seen_
  Computed<Result<Read>> reading_;

  ImVec2 corner_;  ///< upper left corner of the window
  bool ask_ = false, drawing_ = false, down_ = false;
  int grid_width_ = 16;  ///< 0: the model's own resolution
  int brush_ = 1, colour_ = 3;
  int stroke_ = 0, last_x_ = 0, last_y_ = 0;
  Picture drawn_;                                   ///< the canvas
  PictureGrid drawn_on_;                            ///< its grid
  std::uint64_t drawn_of_ = 0, drawn_version_ = 0;  ///< version_ of the input that it was made from
  std::string patch_;                               ///< text of the patch under the mouse pointer
  int pixel_x_ = -1, pixel_y_ = -1;                 ///< pixel of the input under the mouse pointer
};

}  // namespace attnscope
