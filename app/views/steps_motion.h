// The motion that explains a step: the numbers of its result come flying out of the cells that explain()
// names, row by row, and what is not there yet is covered. Everything follows from provenance and from where
// the figure stands; nothing is staged by hand. Refuses a clock: it draws the moment that it is given.
#pragma once

#include <vector>

#include "app/views/steps_plot.h"

namespace attnscope {

/// A number on its way from a cell of the figure to a cell of the result.
struct MotionFlight {
  FigureCell from, to;
  float begin = 0, end = 1;  ///< of the time in which the result comes to be
  float value = 0;           ///< of the cell that it leaves; of a product: what it adds
  float before = 0;          ///< of a product: the factor that goes to the other one
  bool joins = false;        ///< it first meets the factor that it is multiplied with
  FigureCell other;          ///< that factor
};

/// When the numbers of a figure come to be. Times run from 0 to 1.
struct MotionPlan {
  std::vector<MotionFlight> flights;
  std::int64_t rows = 1;  ///< of the result: row r is complete at (r + 1) / rows
  bool by_rows = true;    ///< false: every number flies by itself, and lands at the end of its flight
};

/// The plan of a figure, from the explanations of cells of its result; a few hundred flights at most.
MotionPlan plan_motion(const Trace& trace, const Figure& figure);

/// The plan of a figure of gradients: in a product the rows that meet the columns, else what each matrix adds
/// to the cell at the same place.
MotionPlan plan_gradient_motion(const Trace& trace, const Figure& figure);

/// Share of the motion in which what is on the stage already goes to its new places.
constexpr float kTravelShare = 0.3f;
/// What is in the air at `time`, 0..1 of the whole motion, over a figure that was just drawn; and covers
/// over what is not there yet. Nothing from 1 on.
void draw_motion(const MotionPlan& plan, const Figure& figure, const FigurePlot& plot, float time);

}  // namespace attnscope
