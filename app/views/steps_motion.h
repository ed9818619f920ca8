// Animation of a step: values move from the input cells that explain() returns to the cells of the result,
// row by row; cells whose values have not arrived are covered. Derived from provenance and layout only,
// nothing is scripted. Draws one moment; the clock is app/state/motion.h.
#pragma once

#include <vector>

#include "app/views/steps_plot.h"

namespace attnscope {

/// A value moving from a cell of the figure to a cell of the result.
struct MotionFlight {
  FigureCell from, to;
  float begin = 0, end = 1;  ///< share of the plan's time, 0..1
  float value = 0;           ///< of the source cell; of a product: its contribution
  float before = 0;          ///< of a product: the factor that moves to the other one
  bool joins = false;        ///< a product: it first moves to the other factor
  FigureCell other;          ///< cell of that factor
};

/// The schedule of all moving values of a figure. Times are 0..1.
struct MotionPlan {
  std::vector<MotionFlight> flights;
  std::int64_t rows = 1;  ///< of the result: row r is complete at (r + 1) / rows
  bool by_rows = true;    ///< false: all values move at once, each arriving at the end of its flight
};

/// The plan of a figure, from explanations of cells of its result; at most a few hundred flights.
MotionPlan plan_motion(const Trace& trace, const Figure& figure);

/// The plan of a figure of gradients: for a product rows meeting columns, otherwise the contribution of each
/// matrix to the cell at the same place.
MotionPlan plan_gradient_motion(const Trace& trace, const Figure& figure);

/// Share of the animation in which matrices move from the previous figure to their new positions.
constexpr float kTravelShare = 0.3f;
/// Draws the moving values at `time` (0..1 of the animation) over a figure that was just drawn, and covers
/// cells whose values have not arrived. Nothing for time >= 1.
void draw_motion(const MotionPlan& plan, const Figure& figure, const FigurePlot& plot, float time);

}  // namespace attnscope
