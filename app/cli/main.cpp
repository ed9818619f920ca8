// attnscope-cli: the core without a window. Parses the command line, runs one command, reports an error as
// one sentence on stderr and an exit code.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "app/cli/program.h"
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
std::string what(const CLI::App& app, const CLI::ParseError& error, int argc, const char* const* argv) {
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

int run(int argc, const char* const* argv) {
  const std::string lang = wanted_language(argc, argv);  // before any message
  if (const Status known = set_language(lang); !known) return refuse("--lang: " + known.error().text());
  Program program(argc > 1 ? argv[1] : "");
  CLI::App& app = program.app;
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
  if (program.allow_outside) allow_all_files();
  if (const Status status = choose_memory_limit(program.memory_limit); !status) return report(status.error());
  if (const Status status = choose_lora(program.lora); !status) return report(status.error());
  const CommandWords words({argv + 1, argv + argc});
  if (const Status status = program.action(); !status) return report(status.error());
  if (const Status said = finish_output(); !said) return report(said.error());
  return 0;
}

}  // namespace

int run_words(const std::vector<std::string>& words) {
  std::vector<const char*> all{"attnscope-cli"};
  for (const std::string& word : words) all.push_back(word.c_str());
  int status = 1;
  const Status done = guarded(Text::of("error.work.command"),
                              [&] { status = run(static_cast<int>(all.size()), all.data()); });
  return done ? status : report(done.error());
}

}  // namespace attnscope::cli

int main(int argc, char** argv) {
  attnscope::survive_file_limits();
  return attnscope::cli::run_words({argv + 1, argv + std::max(argc, 1)});
}
