#include "core/lesson/course.h"

#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/arch/shipped.h"
#include "core/base/assets.h"
#include "core/base/words.h"
#include "core/lesson/expression.h"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr const char* kCourse = "assets/course/course.json";
constexpr const char* kUsualModel = "scene:nine_steps";
constexpr double kSame = 1e-4;  // relative: four digits of a run in float32

// The run of a model or scene with the input that it comes with.
Result<RunResult> run_of(const std::string& model) {
  TRY(OpenedModel opened, open_shipped(model));
  RunResult out;
  out.document = new_document(std::make_shared<const OpenedModel>(std::move(opened)));
  TRY(out.traces, run_all(out.document, {}, {}));
  return out;
}

bool within(double a, double b, double tolerance) {
  return std::abs(a - b) <= std::max(tolerance, kSame * std::abs(b));
}

}  // namespace

Result<std::vector<CourseRow>> read_course(std::string_view text, const std::string& name) {
  const json read = json::parse(text, nullptr, false);
  if (!read.is_object() || !read.contains("rows") || !read["rows"].is_array())
    return fail(Code::bad_format, "error.lesson.course", {in_quotes(name), "rows"});
  std::vector<CourseRow> out;
  for (const json& one : read["rows"]) {
    CourseRow row;
    const char* field = "id";
    try {
      row.id = one.at("id").get<std::string>();
      row.chapter = row.id.substr(0, row.id.find('-'));
      row.place = one.at(field = "place").get<std::string>();
      row.expression = one.at(field = "program").get<std::string>();
      row.printed = one.at(field = "printed").get<double>();
      row.right = one.at(field = "right").get<double>();
      row.tolerance = one.value(field = "tolerance", 0.0);
      row.model = one.value(field = "model", std::string(kUsualModel));
    } catch (const json::exception&) {
      return fail(Code::bad_format, "error.lesson.course", {in_quotes(name), row.id + "/" + field});
    }
    out.push_back(std::move(row));
  }
  return out;
}

Result<std::vector<CourseRow>> course_rows() { return read_course(asset(kCourse), kCourse); }

Result<std::vector<CourseAnswer>> compute_course(const std::vector<CourseRow>& rows) {
  std::map<std::string, RunResult> runs;
  std::vector<CourseAnswer> out;
  for (const CourseRow& row : rows) {
    if (!runs.contains(row.model)) {
      TRY(RunResult run, run_of(row.model));
      runs.emplace(row.model, std::move(run));
    }
    CourseAnswer answer;
    answer.row = row;
    TRY(const Expression expression, Expression::parse(row.expression));
    TRY(answer.program, expression.number({runs.at(row.model), nullptr, 0, {}}));
    answer.agrees = within(answer.program, row.printed, row.tolerance);
    answer.stated = within(answer.program, row.right, 0);
    if (!answer.agrees) answer.why = Text::of("course." + row.id + ".why");
    out.push_back(std::move(answer));
  }
  return out;
}

}  // namespace attnscope
