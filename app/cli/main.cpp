// attnscope-cli: the core without a window. Parses the command line, runs one command, reports an error as
// one sentence on stderr and an exit code.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "app/cli/command.h"
#include "core/arch/memory_limit.h"
#include "core/base/caught.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/about.h"
#include "core/system/arguments.h"
#include "core/system/named_files.h"
#include "core/system/output.h"
#include "core/system/signals.h"

namespace attnscope::cli {
namespace {

int report(const Error& error) {
  std::fprintf(stderr, "attnscope-cli: %s\n", error.text().c_str());
  return 1;
}

// An unknown command is reported as such; CLI11 would report a missing command.
std::string what(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const auto named = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
  if (argc < 2 || argv[1][0] == '-' || !app.get_subcommands(named).empty()) return sentence_of(app, error);
  return tr("error.cli.no_command", {in_quotes(argv[1])});
}

// An option without a value (--out "$UNSET"), in this command or its subcommands; null: none. Options of text
// may be empty.
const CLI::Option* without_value(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const auto& values = option->results();
    if (name != "--text" && !name.ends_with("-text") &&
        std::find(values.begin(), values.end(), "") != values.end())
      return option;
  }
  for (const CLI::App* below : command.get_subcommands({}))
    if (const CLI::Option* found = without_value(*below)) return found;
  return nullptr;
}

int refuse(const std::string& sentence) {
  std::fprintf(stderr, "attnscope-cli: %s\n%s\n", sentence.c_str(), tr("error.cli.more"));
  return 2;
}

int run(int argc, char** argv) {
  const std::string lang = wanted_language(argc, argv);  // before any message
  if (const Status known = set_language(lang); !known) return refuse("--lang: " + known.error().text());
  CLI::App app{tr("cli.title")};
  app.name("attnscope-cli");
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", tr("cli.help"));
  app.set_version_flag("--version", about_text(), tr("cli.version"));
  app.fallthrough();  // the limit may be before or after the command
  std::string limit;
  app.add_option("--memory-limit", limit, tr("cli.memory_limit"))
      ->type_name("SIZE")
      ->check(CLI::Validator(memory_size, ""));
  bool allow_outside = false;
  app.add_flag("--allow-outside", allow_outside, tr("cli.allow_outside"));
  std::string read_already;
  app.add_option("--lang", read_already, tr("cli.lang", {join(languages(), ", ")}))->type_name("L");
  Action action;
  add_steps(app, action);
  add_trace(app, action);
  add_generate(app, action);
  add_tokenize(app, action);
  add_info(app, action);
  add_calc(app, action);
  add_ask(app, action);
  add_heads(app, action);
  add_path(app, action);
  add_why(app, action);
  add_circuits(app, action);
  add_probe(app, action);
  add_compare(app, action);
  add_bench(app, action);
  add_lab(app, action);
  add_train(app, action);
  add_lesson(app, action);
  add_figure(app, action);
  add_try(app, action);
  add_report(app, action);
  add_course(app, action);
  add_guide(app, action);
  translate_help(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return refuse(what(app, error, argc, argv));
    app.exit(error);  // --help, --version
    const Status said = finish_output();
    return said ? 0 : report(said.error());
  }
  if (const CLI::Option* option = without_value(app))
    return refuse(tr("error.cli.no_value", {option->get_name()}));
  if (allow_outside) allow_all_files();
  if (const Status status = choose_memory_limit(limit); !status) return report(status.error());
  if (const Status status = action(); !status) return report(status.error());
  if (const Status said = finish_output(); !said) return report(said.error());
  return 0;
}

}  // namespace
}  // namespace attnscope::cli

int main(int argc, char** argv) {
  attnscope::survive_file_limits();
  int status = 1;
  const attnscope::Status done = attnscope::guarded(attnscope::Text::of("error.work.command"),
                                                    [&] { status = attnscope::cli::run(argc, argv); });
  return done ? status : attnscope::cli::report(done.error());
}
