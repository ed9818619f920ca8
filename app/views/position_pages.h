// Figures of one table of position encodings: clocks, the shift as rotation matrices, dot products,
// similarity, and a head that attends to an earlier position. The table is an argument; caches only results.
#pragma once

#include <span>

#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"
#include "core/lens/position_lab.h"

namespace attnscope {

/// Data of the pages; computed by a background job.
struct PositionTable {
  std::uint64_t key = 0;
  Tensor table;      ///< [pos, dim]
  Tensor sinusoids;  ///< the sinusoidal formula at the same size
  Tensor columns;    ///< table transposed and contiguous: [dim, pos]
  Tensor formula;    ///< sinusoids transposed and contiguous
  Tensor similar;    ///< [pos, pos]
  Tensor counter;    ///< [bit, pos]
  ValueRange range;  ///< of the table's values
};

/// Which table is shown, and the selected dimension and positions.
struct PositionLook {
  bool learned = false;  ///< a learned table, not the formula
  bool formula_only = false;
  bool halves = false;  ///< layout: all sines, then all cosines
  double base = 10000;
  std::int64_t width = 0;  ///< of the formula, for models without a table
  std::int64_t dim = -1, pos = 3, distance = 5;
  float sharpness = 1.f;  ///< of the head that attends backwards
};

class PositionPages {
 public:
  void draw_clocks(const PositionTable& data, PositionLook& look, ImVec2 at, ImVec2 room) const;
  void draw_shift(const ViewContext& context, const PositionTable& data, const PositionLook& look, ImVec2 at,
                  ImVec2 room);
  void draw_dots(const ViewContext& context, const PositionTable& data, PositionLook& look, ImVec2 at,
                 ImVec2 room);
  void draw_similarity(const ViewContext& context, const PositionTable& data, PositionLook& look, ImVec2 at,
                       ImVec2 room);
  void draw_back(const ViewContext& context, const PositionTable& data, const PositionLook& look, ImVec2 at,
                 ImVec2 room);

 private:
  struct Shown {
    std::uint64_t key = 0;
    Shift made;
    Tensor rotation;                       ///< R(k), complete
    Tensor corner, before, moved, actual;  ///< of the visible dimensions
  } shift_;
  std::uint64_t dots_key_ = 0, back_key_ = 0;
  std::vector<ImVec2> dots_;
  Tensor back_;
  double on_target_ = 0;
};

/// Range of distances each frequency pair resolves: a bar from a twelfth of a turn to a full turn (its
/// period), on a logarithmic axis. `pairs`: their numbers; empty: 0, 1, ...
void draw_reaches(const std::vector<double>& frequencies, std::int64_t selected, ImVec2 at, ImVec2 room,
                  std::span<const std::int64_t> pairs = {});

/// Number of columns, and side, that make `count` squares as large as the room allows.
int best_columns(int count, ImVec2 room, float line, float most, float& side);

}  // namespace attnscope
