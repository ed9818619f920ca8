// The course in the window (Learn > Course): what the documents print beside what the program computes, a
// chapter at a time; a click on a row goes to its place in the program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/look/kept_text.h"
#include "app/shell/options.h"
#include "app/state/frame_state.h"
#include "app/widgets/table.h"
#include "core/base/computed.h"
#include "core/lesson/course.h"

namespace attnscope {

class CourseWindow {
 public:
  /// Opens when state.show_course is set; draws while open. Once per frame: a place of another model is gone
  /// to when that is open. `run`: the newest one, or null.
  void draw(FrameState& state, const RunResult* run);

 private:
  void draw_rows(FrameState& state, float width);
  void draw_why(float width);
  void go(FrameState& state, const CourseRow& row);
  Table table(float width) const;

  Computed<Result<std::vector<CourseAnswer>>> made_;
  std::vector<CourseAnswer> answers_;  ///< of all chapters
  std::string chapter_, chosen_;       ///< shown; id of the row whose reason is shown
  Kept<Table> table_;
  std::optional<Options> pending_;  ///< of a place whose model is being opened
};

}  // namespace attnscope
