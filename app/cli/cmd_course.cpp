// attnscope-cli course: what the course's documents print beside what the program computes.
#include <algorithm>
#include <nlohmann/json.hpp>

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

Status run_course(const CourseOptions& options) {
  TRY(const std::vector<CourseRow> rows, course_rows());
  TRY(const std::vector<CourseAnswer> answers, compute_course(rows));
  nlohmann::json all = nlohmann::json::array();
  std::vector<std::string> wrong;
  const bool check = options.what == "check";
  for (const CourseAnswer& one : answers) {
    const std::string concept_text = one.row.concept_text().str(), why = one.why.str();
    if (!one.stated) wrong.push_back(one.row.id);
    if (options.json)
      all.push_back({{"id", one.row.id},
                     {"chapter", one.row.chapter},
                     {"concept", concept_text},
                     {"place", one.row.place},
                     {"printed", one.row.printed},
                     {"program", one.program},
                     {"agrees", one.agrees},
                     {"why", why}});
    else if (!check || !one.stated)
      std::printf("%-9s %-16s %-16s %s%s%s\n", one.row.id.c_str(), format("%.10g", one.row.printed).c_str(),
                  format("%.10g", one.program).c_str(), concept_text.c_str(),
                  why.empty() ? "" : "\n          ", why.c_str());
  }
  if (options.json)
    print_json({{"rows", all}});
  else
    std::printf("%s\n", tr("cli.course.count",
                           {std::to_string(answers.size()),
                            std::to_string(std::count_if(answers.begin(), answers.end(),
                                                         [](const auto& one) { return !one.agrees; }))})
                            .c_str());
  if (wrong.empty()) return Done{};
  return fail(Code::out_of_range, "error.cli.course", {join(wrong, ", ")});
}

}  // namespace

void add_course(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("course", tr("cli.course"));
  const auto options = std::make_shared<CourseOptions>();
  command->add_option("check", options->what, tr("cli.course.check"))->check(CLI::IsMember({"check"}));
  command->add_flag("--json", options->json, tr("cli.json"));
  command->callback([options, &action] { action = [options] { return run_course(*options); }; });
}

}  // namespace attnscope::cli
