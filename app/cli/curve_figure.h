// Rows of an answer as curves over one axis, in a figure's file (SVG, PDF, PNG, or data).
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/figure/figure.h"

namespace attnscope::cli {

struct CurvePlot {
  Text title;
  figure::PlotMark plot;
};
/// The ink of the i-th curve; behind the last one they begin anew.
figure::Ink curve_ink(std::size_t i);
/// Errors: before a long run, a form that is none.
Status check_curve_path(const std::string& path);
/// Two plots beside each other where there are several.
Status write_curves(const std::string& path, const Text& title, const std::vector<CurvePlot>& plots);

}  // namespace attnscope::cli
