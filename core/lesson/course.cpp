#include "core/lesson/course.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/arch/shipped.h"
#include "core/base/assets.h"
#include "core/base/power_text.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lesson/expression.h"
#include "core/session/document.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

constexpr const char* kCourse = "assets/course/course.json";
constexpr const char* kUsualModel = "scene:nine_steps";
constexpr const char* kFull = " --level full";  // the easy window has no views
constexpr double kSame = 1e-4;                  // relative: four digits of a run in float32
constexpr int kToldDigits = 4;                  // of a number in a sentence
constexpr double kGrouped = 1e15;               // whole numbers below it are written with all digits

// The --edit of a row's place, where that is of the model that its expressions read.
std::vector<std::string> edits_of(const CourseRow& row) {
  std::istringstream in(row.place);
  std::vector<std::string> out;
  bool own = false, next = false;
  for (std::string word; in >> word; next = word == "--edit") {
    own = own || word == row.model;
    if (next) out.push_back(word);
  }
  return own ? out : std::vector<std::string>();
}

// The run of a model or scene with the input that it comes with, and with these edits.
Result<RunResult> run_of(const std::string& model, const std::vector<std::string>& edits) {
  TRY(OpenedModel opened, open_shipped(model));
  RunResult out;
  out.document = new_document(std::make_shared<const OpenedModel>(std::move(opened)));
  for (const std::string& text : edits) {
    TRY(auto edit, parse_edit(text));
    put_edit(out.document, std::move(edit));
  }
  TRY(out.traces, run_all(out.document, {}, {}));
  return out;
}

bool within(double a, double b, double tolerance) {
  return std::abs(a - b) <= std::max(tolerance, kSame * std::abs(b));
}

// Throws json::exception; `field` is what was read then.
CourseRow read_row(const Json& one, const char*& field, std::string& id) {
  CourseRow row;
  id = row.id = one.at(field = "id").get<std::string>();
  row.chapter = row.id.substr(0, row.id.find('-'));
  row.of = one.value(field = "of", std::string());
  row.place = one.at(field = "place").get<std::string>();
  const bool lesson = row.place.find("--lesson") != std::string::npos;
  if (!row.place.empty() && !lesson) row.place += kFull;
  row.model = one.value(field = "model", std::string(kUsualModel));
  row.values = one.value(field = "values", std::vector<std::string>());
  row.holds = one.value(field = "holds", std::string());
  row.half = one.value(field = "half", false);
  if (!one.contains("program") && row.is_concept()) return row;
  CourseNumber number;
  number.expression = one.at(field = "program").get<std::string>();
  number.printed = one.at(field = "printed").get<double>();
  number.right = one.at(field = "right").get<double>();
  number.tolerance = one.value(field = "tolerance", 0.0);
  row.number = std::move(number);
  return row;
}

Result<double> course_value(const std::string& text, const RunResult& run) {
  TRY(const Expression expression, Expression::parse(text));
  return expression.number({run, nullptr, 0, {}});
}

}  // namespace

std::string course_number(double value, int digits) {
  const bool whole = value == std::floor(value) && std::abs(value) < kGrouped;
  if (whole && value >= 0) return format_count(static_cast<std::int64_t>(value));
  const std::string out = format("%.*g", digits, value);
  return out.find('e') == std::string::npos ? out : with_power(value, digits - 1);
}

const std::vector<std::string>& course_chapters() {
  static const std::vector<std::string> kChapters{"000", "001", "002", "003", "004", "more"};
  return kChapters;
}

Result<std::vector<CourseRow>> read_course(std::string_view text, const std::string& name) {
  const Json read = Json::parse(text, nullptr, false);
  if (!read.is_object() || !read.contains("rows") || !read["rows"].is_array())
    return fail(Code::bad_format, "error.lesson.course", {in_quotes(name), "rows"});
  std::vector<CourseRow> out;
  for (const Json& one : read["rows"]) {
    const char* field = "id";
    std::string id;
    const auto lacks = [&] {
      return fail(Code::bad_format, "error.lesson.course", {in_quotes(name), id + "/" + field});
    };
    try {
      out.push_back(read_row(one, field, id));
    } catch (const Json::exception&) {
      return lacks();
    }
    const CourseRow& row = out.back();
    const bool known = row.is_concept() || std::any_of(out.begin(), out.end(), [&](const CourseRow& other) {
                         return other.is_concept() && other.id == row.of;
                       });
    field = "of";
    if (!known) return lacks();
  }
  return out;
}

Result<std::vector<CourseRow>> course_rows() { return read_course(asset(kCourse), kCourse); }

Result<std::vector<CourseAnswer>> compute_course(const std::vector<CourseRow>& rows) {
  std::map<std::string, RunResult> runs;
  std::vector<CourseAnswer> out;
  for (const CourseRow& row : rows) {
    const std::vector<std::string> edits = edits_of(row);
    const std::string of = row.model + " " + join(edits, " ");
    if (!runs.contains(of)) {
      TRY(RunResult run, run_of(row.model, edits));
      runs.emplace(of, std::move(run));
    }
    const RunResult& run = runs.at(of);
    CourseAnswer answer;
    answer.row = row;
    std::vector<Text> numbers;
    for (const std::string& value : row.values) {
      TRY(const double number, course_value(value, run));
      numbers.emplace_back(course_number(number, kToldDigits));
    }
    if (row.is_concept()) answer.sentence = Text::of("course." + row.id + ".says", std::move(numbers));
    if (row.half) answer.half = Text::of("course." + row.id + ".half");
    if (!row.holds.empty()) {
      TRY(const double holds, course_value(row.holds, run));
      answer.stated = holds != 0;
    }
    if (row.number) {
      TRY(answer.program, course_value(row.number->expression, run));
      answer.agrees = within(*answer.program, row.number->printed, row.number->tolerance);
      answer.stated = answer.stated && within(*answer.program, row.number->right, 0);
      if (!answer.agrees) answer.why = Text::of("course." + row.id + ".why");
    }
    out.push_back(std::move(answer));
  }
  return out;
}

}  // namespace attnscope
