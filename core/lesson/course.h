// The numbers that the course's documents print, beside the program's own: assets/course/course.json. Each
// row has a place in the program and an expression that computes the number there.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/keyed_text.h"
#include "core/base/result.h"

namespace attnscope {

struct CourseRow {
  std::string id;       ///< "004-17"; its texts are "course.004-17" and, where the two differ, "....why"
  std::string chapter;  ///< "004"
  std::string place;    ///< as attnscope's arguments: "--view calculator", "scene:nine_steps --view mask"
  std::string model;    ///< that the expression reads; nine_steps where none is named
  std::string expression;
  double printed = 0;    ///< as the document prints it
  double tolerance = 0;  ///< of the digits that it prints
  double right = 0;      ///< what the program is to compute
  Text concept_text() const { return Text::of("course." + id); }
};
struct CourseAnswer {
  CourseRow row;
  double program = 0;
  bool agrees = false;  ///< with what is printed
  bool stated = false;  ///< the program computes what the row says is right
  Text why;             ///< where it does not agree
};

/// The rows of a table. Errors: no JSON, a field that lacks or has another type; `name` is for errors.
Result<std::vector<CourseRow>> read_course(std::string_view json, const std::string& name);
/// The course that ships.
Result<std::vector<CourseRow>> course_rows();
/// Computes every row. Errors: a model that is not there, an expression that does not fit it.
Result<std::vector<CourseAnswer>> compute_course(const std::vector<CourseRow>& rows);

}  // namespace attnscope
