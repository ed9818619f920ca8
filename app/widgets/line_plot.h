// Curves in a frame with numbers on both axes: one way for every view to draw y over x. Refuses to make
// numbers: it shows the points it is given.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

namespace attnscope {

struct LineSeries {
  std::vector<ImVec2> points;  ///< in data units, x growing
  ImU32 colour = 0;
  std::string label;    ///< in the legend; empty: not there
  bool dashed = false;  ///< drawn as dashes
  bool dots = false;    ///< a dot at every point where they are far enough apart
  bool line = true;     ///< false: the dots alone, wherever they are
  float pixel = 0;      ///< dots are squares this wide, in data units of x
};

struct LinePlot {
  std::string key;  ///< ImGui id
  float x0 = 0, x1 = 1, y0 = 0, y1 = 1;
  float left = -1;        ///< pixels kept for the labels of y; < 0: what they need
  bool log_x = false;     ///< x0 > 0
  bool counts_x = false;  ///< x counts something: no labels between whole numbers
  bool log_y = false;     ///< y0 > 0; points that are not above 0 are left out
  std::string x_title;
  std::string title;       ///< bold, over the plot, before the legend
  float legend_inset = 0;  ///< pixels kept free at the right end of the legend
  std::vector<LineSeries> series;
  std::vector<float> x_marks, y_marks;  ///< accent lines across the plot
  ImU32 mark_colour = 0;                ///< of these lines; 0: of warnings
  bool readout = false;  ///< under the pointer: a line, and what every labelled series has there
  std::string x_name;    ///< of x in the readout: "step"
};

struct LineEvent {
  bool hovered = false, clicked = false;
  float x = 0;  ///< under the pointer, data units
};

/// Draws into the rectangle at `at` of `size` pixels, labels included.
LineEvent draw_line_plot(const LinePlot& plot, ImVec2 at, ImVec2 size);
/// Limits of y that hold every point (with log_y: every point above 0), with a little air.
void fit_y(LinePlot& plot);

}  // namespace attnscope
