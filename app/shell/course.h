// The course in the window (Lessons > The course): the concepts of the documents, a chapter at a time, each
// with where it is seen and the documents' numbers beside the program's. A click on one shows its sentence;
// from there one goes to its place.
#pragma once

#include <array>
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
  void compute(FrameState& state);
  bool draw_chapters(float width);
  void draw_rows(FrameState& state, float width, float tall);
  void draw_chosen(FrameState& state, float width);
  void go(FrameState& state, const CourseRow& row);
  static Table columns(float width, bool titles);
  TableRow row_of(const CourseAnswer& one) const;
  std::array<Table, 2> rows(float width) const;
  bool listed(const CourseAnswer& one) const;
  bool belongs(const CourseAnswer& one) const;  ///< to the chosen concept
  const CourseAnswer* answer(const std::string& id) const;

  Computed<Result<std::vector<CourseAnswer>>> made_;
  std::vector<CourseAnswer> answers_;       ///< of all chapters
  std::string chapter_, chosen_, letters_;  ///< shown; id of a concept; what is looked for
  Kept<std::array<Table, 2>> rows_;
  std::optional<Options> pending_;  ///< of a place whose model is being opened
};

}  // namespace attnscope
