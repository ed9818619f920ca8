// The course: every concept of the five documents in their order, each with a sentence and its place in the
// program; and the numbers that the documents print, beside the program's own (assets/course/course.json).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/keyed_text.h"
#include "core/base/result.h"

namespace attnscope {

/// A number that a document prints, and an expression (core/lesson/expression.h) that computes it.
struct CourseNumber {
  std::string expression;
  double printed = 0;    ///< as the document prints it
  double tolerance = 0;  ///< of the digits that it prints
  double right = 0;      ///< what the program is to compute
};

/// A concept, or a number that belongs to one. Texts: "course.ID" is the name; a concept has "….says", one
/// whose place does not show all of it "….half"; a number that is not as printed has "….why".
struct CourseRow {
  std::string id;       ///< "004-17"
  std::string chapter;  ///< "004"; "more": said by the documents in passing
  std::string of;       ///< id of the concept that a number belongs to; empty: a concept
  std::string place;  ///< as attnscope's arguments: "scene:nine_steps --view mask"; empty: no place shows it
  std::string model;  ///< that the expressions read; nine_steps where none is named
  std::vector<std::string> values;  ///< expressions of the numbers in the sentence
  std::optional<CourseNumber> number;
  std::string holds;  ///< an expression that is not 0 where the sentence is true; empty: none
  bool half = false;  ///< the program does not show all of it
  bool is_concept() const { return of.empty(); }
  Text name() const { return Text::of("course." + id); }
};
struct CourseAnswer {
  CourseRow row;
  Text sentence;  ///< of a concept, with its numbers
  Text half;      ///< what the program does not show
  std::optional<double> program;
  bool agrees = true;  ///< with what is printed
  bool stated = true;  ///< the program computes what the row says is right, and what it claims holds
  Text why;            ///< where it does not agree
};

/// The rows of a table. Errors: no JSON, a field that lacks or has another type, a number of no concept;
/// `name` is for errors.
Result<std::vector<CourseRow>> read_course(std::string_view json, const std::string& name);
/// The course that ships.
Result<std::vector<CourseRow>> course_rows();
/// The chapters in their order.
const std::vector<std::string>& course_chapters();
/// Computes every row. Errors: a model that is not there, an expression that does not fit it.
Result<std::vector<CourseAnswer>> compute_course(const std::vector<CourseRow>& rows);
/// "63,045,632", "0.2628", "3.33333·10⁻⁶": grouped where it is whole, else with so many digits.
std::string course_number(double value, int digits = 6);

}  // namespace attnscope
