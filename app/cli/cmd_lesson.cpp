// attnscope-cli lesson: lists the lessons, and checks that every page of a lesson works.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lesson/audit.h"
#include "core/lesson/class_view.h"
#include "core/lesson/lesson_file.h"
#include "core/lesson/worksheet.h"
#include "core/system/atomic_file.h"
#include "core/view/view.h"

namespace attnscope::cli {
namespace {

std::string title_of(const Lesson& lesson) { return tr(lesson_key(lesson, "title")); }

Status list_lessons(bool as_json) {
  TRY(const std::vector<Lesson> lessons, shipped_lessons());
  nlohmann::json out = nlohmann::json::array();
  for (const Lesson& lesson : lessons) {
    nlohmann::json pages = nlohmann::json::array();
    for (const Page& page : lesson.pages)
      pages.push_back(
          {{"id", page.id}, {"title", tr(page_key(lesson, page, "title"))}, {"ask", ask_name(page.ask)}});
    out.push_back(
        {{"id", lesson.id}, {"number", lesson.number}, {"title", title_of(lesson)}, {"pages", pages}});
    if (!as_json)
      std::printf("%3d  %-18s %2zu  %s\n", lesson.number, lesson.id.c_str(), lesson.pages.size(),
                  title_of(lesson).c_str());
  }
  if (as_json) print_json({{"rows", std::move(out)}, {"run", run_json()}});
  return Done{};
}

/// A lesson by its id (shipped) or file.
Result<Lesson> one_lesson(const std::string& name) {
  std::error_code ignored;
  const bool file = ends_with(name, ".json") || std::filesystem::exists(name, ignored);
  return file ? read_lesson(name) : shipped_lesson(name);
}

/// The same, or all shipped lessons for "all".
Result<std::vector<Lesson>> lessons_named(const std::string& name) {
  if (name == "all") return shipped_lessons();
  TRY(Lesson lesson, one_lesson(name));
  return std::vector<Lesson>{std::move(lesson)};
}

// What the easy window says of a page in words and tables: its figure, as text. Pages of the full window have
// other figures, whose pictures a test looks through.
std::string words_of_figure(const Lesson&, const Page& page, const ExpressionScope& scope) {
  const nlohmann::json& look = page.state.look();
  if (!look.is_object() || look.value("level", std::string()) != "easy") return {};
  const auto view = find_view(page_view(page));
  if (!view) return {};
  ViewState state = first_state(*scope.run.document.opened, scope.run.traces.front());
  state.level = Level::easy;
  const nlohmann::json cursor = look.value("cursor", nlohmann::json::object());
  state.layer = cursor.value("layer", state.layer);
  state.head = cursor.value("head", state.head);
  state.row = cursor.value("query", state.row);
  state.page = known_page(**view, state, look.value("station", std::string()));
  const auto figure = draw_view(**view, state);
  return figure ? figure::as_text(*figure) : std::string();
}

Status check_lessons(const std::string& name) {
  TRY(const std::vector<Lesson> lessons, lessons_named(name));
  for (const Lesson& lesson : lessons) {
    TRY(const AuditResult found, audit_lesson(lesson, words_of_figure));
    std::puts(
        tr("cli.lesson.works", {lesson.id, std::to_string(found.pages), std::to_string(found.asks)}).c_str());
  }
  return Done{};
}

Status print_lesson(const std::string& name, bool answers, const std::string& out) {
  TRY(const Lesson lesson, one_lesson(name));
  TRY(const std::string html, worksheet_html(lesson, answers));
  return write_file(out, html);
}

// Who is where, then the pages that fewest got right.
Status print_class(const std::string& folder, bool as_json) {
  TRY(const ClassView seen, read_class(folder));
  for (const Error& one : seen.unread) std::fprintf(stderr, "attnscope-cli: %s\n", one.text().c_str());
  if (as_json) {
    nlohmann::json learners = nlohmann::json::array(), pages = nlohmann::json::array();
    for (const ClassMember& one : seen.members)
      learners.push_back({{"learner", one.learner},
                          {"lesson", one.lesson},
                          {"page", one.page},
                          {"when", one.when},
                          {"right", one.right},
                          {"tried", one.tried},
                          {"stuck", one.stuck}});
    for (const ClassPage& one : seen.pages)
      pages.push_back({{"lesson", one.lesson},
                       {"page", one.page},
                       {"tried", one.tried},
                       {"right", one.right},
                       {"tries", one.tries}});
    print_json({{"rows", learners},
                {"learners", std::move(learners)},
                {"pages", std::move(pages)},
                {"run", run_json()}});
    return Done{};
  }
  print_row({tr("class.learner"), tr("class.right"), tr("class.where"), tr("class.when"), tr("class.stuck")});
  for (const ClassMember& one : seen.members)
    print_row({one.learner, tr("lessons.done", {std::to_string(one.right), std::to_string(one.tried)}),
               one.lesson + "/" + one.page, one.when, join(one.stuck, " ")});
  std::printf("\n%s\n", tr("class.hardest"));
  for (const ClassPage& one : seen.pages)
    print_row({one.lesson + "/" + one.page,
               tr("lessons.done", {std::to_string(one.right), std::to_string(one.tried)}),
               format("%.1f", one.tries)});
  return Done{};
}

}  // namespace

void add_lesson(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("lesson", tr("cli.lesson"));
  command->require_subcommand(1);
  CLI::App* list = command->add_subcommand("list", tr("cli.lesson.list"));
  const auto as_json = std::make_shared<bool>(false);
  list->add_flag("--json", *as_json, tr("cli.json"));
  list->callback([as_json, &action] { action = [as_json] { return list_lessons(*as_json); }; });
  CLI::App* check = command->add_subcommand("check", tr("cli.lesson.check"));
  const auto name = std::make_shared<std::string>();
  check->add_option("LESSON", *name, tr("cli.lesson.name"))->required();
  check->callback([name, &action] { action = [name] { return check_lessons(*name); }; });
  CLI::App* print = command->add_subcommand("print", tr("cli.lesson.print"));
  const auto answers = std::make_shared<bool>(false);
  const auto out = std::make_shared<std::string>();
  print->add_option("LESSON", *name, tr("cli.lesson.one"))->required();
  print->add_flag("--answers", *answers, tr("cli.lesson.answers"));
  print->add_option("--out", *out, tr("cli.lesson.out"))->type_name("F.html")->required();
  CLI::App* classes = command->add_subcommand("class", tr("cli.lesson.class"));
  const auto folder = std::make_shared<std::string>();
  classes->add_option("FOLDER", *folder, tr("cli.lesson.folder"))->required();
  classes->add_flag("--json", *as_json, tr("cli.json"));
  classes->callback([=, &action] { action = [=] { return print_class(*folder, *as_json); }; });
  print->callback([=, &action] { action = [=] { return print_lesson(*name, *answers, *out); }; });
}

}  // namespace attnscope::cli
