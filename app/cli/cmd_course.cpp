// attnscope-cli course: what the course's documents print beside what the program computes.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lesson/course.h"

namespace attnscope::cli {
namespace {

struct CourseOptions {
  std::string what;
  bool json = false;
};

nlohmann::json course_json(const CourseAnswer& one) {
  const CourseRow& row = one.row;
  nlohmann::json out{{"id", row.id},
                     {"chapter", row.chapter},
                     {"concept", row.name().str()},
                     {"sentence", one.sentence.str()},
                     {"place", row.place},
                     {"half", one.half.str()},
                     {"printed", nullptr},
                     {"program", nullptr},
                     {"agrees", nullptr},
                     {"why", one.why.str()}};
  if (!row.is_concept()) out["of"] = row.of;
  if (!row.number) return out;
  out["printed"] = row.number->printed;
  out["program"] = *one.program;
  out["agrees"] = one.agrees;
  return out;
}

// A concept with its sentence and place; a number beside the program's.
void print_course_row(const CourseAnswer& one) {
  const CourseRow& row = one.row;
  if (row.number)
    std::printf("%-9s %-16s %-16s %s\n", row.id.c_str(), course_number(row.number->printed).c_str(),
                course_number(*one.program).c_str(), row.name().str().c_str());
  else
    std::printf("%-9s %s\n", row.id.c_str(), row.name().str().c_str());
  for (const Text* line : {&one.sentence, &one.half, &one.why})
    if (const std::string words = line->str(); !words.empty()) std::printf("          %s\n", words.c_str());
  if (row.is_concept() && !row.place.empty()) std::printf("          attnscope %s\n", row.place.c_str());
}

Status run_course(const CourseOptions& options) {
  TRY(const std::vector<CourseRow> rows, course_rows());
  TRY(const std::vector<CourseAnswer> answers, compute_course(rows));
  nlohmann::json all = nlohmann::json::array();
  std::vector<std::string> wrong;
  for (const CourseAnswer& one : answers) {
    if (!one.stated) wrong.push_back(one.row.id);
    if (options.json)
      all.push_back(course_json(one));
    else if (options.what != "check" || !one.stated)
      print_course_row(one);
  }
  const auto count = [&](const auto& is) {
    return std::to_string(std::count_if(answers.begin(), answers.end(), is));
  };
  if (options.json)
    print_json({{"rows", std::move(all)}, {"run", run_json()}});
  else
    std::printf("%s\n", tr("cli.course.count",
                           {count([](const CourseAnswer& one) { return one.row.is_concept(); }),
                            count([](const CourseAnswer& one) { return one.row.number.has_value(); }),
                            count([](const CourseAnswer& one) { return !one.agrees; })})
                            .c_str());
  if (wrong.empty()) return Done{};
  return fail(Code::out_of_range, "error.cli.course", {join(wrong, ", ")});
}

}  // namespace

void add_course(CLI::App& app, Action& action) {
  const auto [command, options] = new_command(app, action, "course", tr("cli.course"), run_course);
  command->add_option("check", options->what, tr("cli.course.check"))->check(CLI::IsMember({"check"}));
  command->add_flag("--json", options->json, tr("cli.json"));
}

}  // namespace attnscope::cli
