// attnscope-cli steps: prints the catalog of steps.
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/step/catalog.h"

namespace attnscope::cli {
namespace {

// "attn.q" -> "blocks.L.attn.q"
std::string name_of(const Step& step) {
  return (step.part == Part::model ? "" : "blocks.L.") + std::string(step.text);
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  for (std::string& word : split(text, ' '))
    if (!word.empty()) out.push_back(std::move(word));
  return out;
}

nlohmann::json to_json(const Step& step) {
  return {{"name", name_of(step)},     {"axes", words(step.axes)},      {"derived", step.derived},
          {"title", step_title(step)}, {"formula", step_formula(step)}, {"sentence", step_sentence(step)},
          {"torch", step.torch},       {"inputs", words(step.inputs)},  {"aliases", words(step.aliases)}};
}

Status print_steps(bool json) {
  if (json) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Step& step : catalog()) rows.push_back(to_json(step));
    print_json({{"rows", std::move(rows)}, {"run", run_json()}});
    return Done{};
  }
  for (const Step& step : catalog()) {
    std::printf("%-24s [%s]%s\n    %s. %s\n    %s\n", name_of(step).c_str(),
                join(words(step.axes), ", ").c_str(), step.derived ? " derived" : "",
                std::string(step_title(step)).c_str(), std::string(step_sentence(step)).c_str(),
                std::string(step_formula(step)).c_str());
  }
  return Done{};
}

}  // namespace

void add_steps(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("steps", tr("cli.steps"));
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, tr("cli.json"));
  command->callback([json, &action] { action = [json] { return print_steps(*json); }; });
}

}  // namespace attnscope::cli
