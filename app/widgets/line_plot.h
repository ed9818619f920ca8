// Line plot with ticks on both axes: the one widget for every curve y(x). Plots the points as given: no
// smoothing, no interpolation of missing values.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

namespace attnscope {

struct LineSeries {
  std::vector<ImVec2> points;  ///< data units, x ascending
  ImU32 colour = 0;
  std::string label;    ///< in the legend; empty: no entry
  bool dashed = false;  ///< drawn as dashes
  bool dots = false;    ///< a dot at every point, where they are far enough apart
  bool line = true;     ///< false: dots only
  float pixel = 0;      ///< dots are squares this wide, in data units of x
  bool level = false;   ///< one value everywhere, which the label states: the readout leaves it out
};

struct LinePlot {
  std::string key;  ///< ImGui ID
  float x0 = 0, x1 = 1, y0 = 0, y1 = 1;
  float left = -1;        ///< pixels reserved for the y labels; < 0: as wide as they are
  bool log_x = false;     ///< x0 > 0
  bool counts_x = false;  ///< x is an integer: ticks at whole numbers only
  bool log_y = false;     ///< y0 > 0; points <= 0 are left out
  std::string x_title;
  std::string title;       ///< bold, over the plot, before the legend
  float legend_inset = 0;  ///< pixels kept free right of the legend
  std::vector<LineSeries> series;
  std::vector<float> x_marks, y_marks;  ///< accent lines across the plot
  ImU32 mark_colour = 0;                ///< of these lines; 0: the warning colour
  bool readout = false;  ///< on hover: a vertical line, and the value of every labelled series there
  std::string x_name;    ///< name of x in the readout: "step"
  bool large = false;    ///< letters of the easy window
};

struct LineEvent {
  bool hovered = false, clicked = false;
  float x = 0;  ///< under the mouse pointer, data units
};

/// Draws into the rectangle at `at` of `size` pixels, labels included.
LineEvent draw_line_plot(const LinePlot& plot, ImVec2 at, ImVec2 size);
/// What stands beside the line of a readout at `x`: the name of x, and a line for every labelled series that
/// is no level. Empty where there is none.
std::string readout_text(const LinePlot& plot, float x);
/// y range that holds every point (with log_y: every point above 0), with a small margin.
void fit_y(LinePlot& plot);
/// One line with a dot at each of its points (one at least), as wide and as high as they are.
LinePlot dotted_plot(const char* key, const std::vector<ImVec2>& points, ImU32 colour);

}  // namespace attnscope
