#include "app/cli/program.h"

#include <algorithm>

#include "core/arch/memory_limit.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/about.h"
#include "core/system/arguments.h"

namespace attnscope::cli {

namespace {

struct AddedCommands {
  std::vector<std::string_view> names;
  void (*add)(CLI::App& app, Action& action);
};

constexpr std::string_view kTellsAll = "guide";  // the flags of every command

// In the order of the help.
const std::vector<AddedCommands>& declared_commands() {
  static const std::vector<AddedCommands> table{{{"steps"}, add_steps},
                                                {{"trace"}, add_trace},
                                                {{"generate"}, add_generate},
                                                {{"tokenize"}, add_tokenize},
                                                {{"info"}, add_info},
                                                {{"calc"}, add_calc},
                                                {{"ablate"}, add_ablate},
                                                {{"patch"}, add_patch},
                                                {{"attribute"}, add_attribute},
                                                {{"merge"}, add_merge},
                                                {{"heads", "rollout"}, add_heads},
                                                {{"strongest"}, add_strongest},
                                                {{"path"}, add_path},
                                                {{"why"}, add_why},
                                                {{"circuit"}, add_circuit},
                                                {{"circuits"}, add_circuits},
                                                {{"weights"}, add_weights},
                                                {{"probe"}, add_probe},
                                                {{"checkpoints"}, add_checkpoints},
                                                {{"compare"}, add_compare},
                                                {{"rerun"}, add_rerun},
                                                {{"direction"}, add_direction},
                                                {{"steer"}, add_steer},
                                                {{"save"}, add_save},
                                                {{"bench"}, add_bench},
                                                {{"lab"}, add_lab},
                                                {{"train"}, add_train},
                                                {{"lesson"}, add_lesson},
                                                {{"figure"}, add_figure},
                                                {{"try"}, add_try},
                                                {{"report"}, add_report},
                                                {{"course"}, add_course},
                                                {{"guide"}, add_guide},
                                                {{"serve"}, add_serve}};
  return table;
}

bool adds(const AddedCommands& row, std::string_view name) {
  return std::find(row.names.begin(), row.names.end(), name) != row.names.end();
}

}  // namespace

Program::Program(std::string_view first) : app(tr("cli.title")) {
  app.name("attnscope-cli");
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", tr("cli.help"));
  app.set_version_flag("--version", about_text(), tr("cli.version"));
  app.fallthrough();  // the limit may be before or after the command
  app.add_option("--memory-limit", memory_limit, tr("cli.memory_limit"))
      ->type_name("SIZE")
      ->check(CLI::Validator(memory_size, ""));
  app.add_option("--lora", lora, tr("cli.lora"))->type_name("DIR[:STRENGTH]");
  app.add_flag("--allow-outside", allow_outside, tr("cli.allow_outside"));
  app.add_option("--lang", language_, tr("cli.lang", {join(languages(), ", ")}))->type_name("L");
  const bool known = std::any_of(declared_commands().begin(), declared_commands().end(),
                                 [&](const AddedCommands& row) { return adds(row, first); });
  for (const AddedCommands& row : declared_commands())
    if (!known || first == kTellsAll || adds(row, first)) row.add(app, action);
  translate_help(app);
}

}  // namespace attnscope::cli
