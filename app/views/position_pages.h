// Figures of one table of positions: clocks, the rotation as matrices, dot products, similarity, and a head
// that looks back. Refuses to keep the table: it draws what it is given.
#pragma once

#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"
#include "core/lens/position_lab.h"

namespace attnscope {

/// What the page draws; made off the UI thread.
struct PositionTable {
  std::uint64_t key = 0;
  Tensor table;      ///< [pos, dim]
  Tensor sinusoids;  ///< the formula at the same size
  Tensor columns;    ///< table transposed and packed: [dim, pos]
  Tensor formula;    ///< sinusoids transposed and packed
  Tensor similar;    ///< [pos, pos]
  Tensor counter;    ///< [bit, pos]
  ValueRange range;  ///< of the table
};

/// Which table is shown, and where one looks in it.
struct PositionLook {
  bool learned = false;  ///< not the formula
  bool formula_only = false;
  bool halves = false;  ///< all sines, then all cosines
  double base = 10000;
  std::int64_t width = 0;  ///< of the formula, where the model adds nothing
  std::int64_t dim = -1, pos = 3, distance = 5;
  float sharpness = 1.f;  ///< of the head that looks back
};

class PositionPages {
 public:
  void draw_clocks(const PositionTable& data, PositionLook& look, ImVec2 at, ImVec2 room) const;
  void draw_shift(const ViewContext& context, const PositionTable& data, const PositionLook& look, ImVec2 at,
                  ImVec2 room);
  void draw_dots(const PositionTable& data, PositionLook& look, ImVec2 at, ImVec2 room);
  void draw_similarity(const ViewContext& context, const PositionTable& data, PositionLook& look, ImVec2 at,
                       ImVec2 room);
  void draw_back(const ViewContext& context, const PositionTable& data, const PositionLook& look, ImVec2 at,
                 ImVec2 room);

 private:
  struct Shown {
    std::uint64_t key = 0;
    Shift made;
    Tensor rotation;                       ///< R(k), whole
    Tensor corner, before, moved, actual;  ///< of the dimensions that are shown
  } shift_;
  std::uint64_t dots_key_ = 0, back_key_ = 0;
  std::vector<ImVec2> dots_;
  Tensor back_;
  double on_target_ = 0;
};

/// How far each of these pairs tells positions apart: a bar from the distance that moves its hand by a
/// twelfth of a turn to the one after which it stands where it stood, on a logarithmic axis.
void draw_reaches(const std::vector<double>& frequencies, std::int64_t selected, ImVec2 at, ImVec2 room);

/// Columns of a grid of `count` squares that makes them as large as the room allows, and their side.
int best_columns(int count, ImVec2 room, float line, float most, float& side);

}  // namespace attnscope
