// The page of models that add a table of positions (learned or sinusoidal), and of the formula where a model
// adds none: the surface, the waves, and the rotation that moves an encoding. Refuses to pass the formula's
// values off as the model's.
#pragma once

#include "app/views/position_surface.h"
#include "app/views/view.h"
#include "app/widgets/deferred.h"
#include "app/widgets/matrix_plot.h"
#include "core/lens/positions.h"

namespace attnscope {

/// What the page draws; made off the UI thread.
struct PositionTable {
  Tensor table;      ///< [pos, dim]
  Tensor sinusoids;  ///< the formula at the same size
  Tensor columns;    ///< table transposed and packed: [dim, pos]
  Tensor formula;    ///< sinusoids transposed and packed
  ValueRange range;  ///< of the table
};

class TablePage {
 public:
  void draw(const ViewContext& context, ImVec2 at, ImVec2 room);

 private:
  enum class Page { waves, shift };
  void follow(const ViewContext& context);
  void play(const ViewContext& context);
  void draw_controls(float width);
  void draw_heat(const ViewContext& context, ImVec2 at, ImVec2 room);
  void draw_pages(const ViewContext& context, ImVec2 at, ImVec2 room);
  void draw_waves(ImVec2 controls, ImVec2 at, ImVec2 room);
  void draw_shift(ImVec2 controls, ImVec2 at, ImVec2 room);

  Deferred<PositionTable> made_;
  std::shared_ptr<const PositionTable> data_;
  std::uint64_t subject_ = 0;  ///< model and stack that are shown
  bool learned_ = false, formula_only_ = false;
  bool halves_ = false;  ///< all sines, then all cosines
  Page page_ = Page::waves;
  bool hills_ = false, compare_ = false, playing_ = false;
  SurfaceView eye_;
  MatrixWindow window_;
  std::int64_t width_ = 0;  // of the formula, where the model adds nothing
  std::int64_t dim_ = -1, pos_ = 3, distance_ = 5;
  float cells_width_ = 0;  // of the surface, pixels: the waves below are as wide
  float walked_ = 0;       // tokens, while playing
};

}  // namespace attnscope
