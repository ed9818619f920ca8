// attnscope-cli probe: linear probes on the residual stream, layer by layer.
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "app/cli/probe_options.h"
#include "app/cli/prompt_runs.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/probe_prompts.h"

namespace attnscope::cli {
namespace {

struct ProbeOptions {
  std::string model, what = "token";
  int texts = 240;
  std::int64_t at = -1;
  bool json = false;
  DataOptions data;
};

}  // namespace

Result<ProbeAnswer> probe_data(const DataOptions& chosen, const std::string& what, std::int64_t at,
                               const RunModel& opened, nlohmann::json& run) {
  const SequenceOptions none;
  PromptRuns data(chosen.choice(), opened, none, none);
  TRY_OK(data.prepare());
  TRY(const ProbeAnswer found,
      probe_prompts(data, what, at, nullptr, [&](const PromptRun& of_line) { data.tell(of_line); }));
  run["data"] = data.json();
  return found;
}

namespace {

Status run_probe(const ProbeOptions& options) {
  nlohmann::json run;
  TRY(const RunModel opened, open_to_run(options.model));
  EditedModel edited;
  std::optional<ProbeAnswer> answer;
  if (options.data.given()) {
    if (options.at >= 0 && (options.what == "token" || options.what == "position"))
      return fail(Code::bad_format, "error.cli.probe_at");
    TRY(answer, probe_data(options.data, options.what, options.at, opened, run));
  } else {
    const auto what = value_of_name(options.what, kProbedNames);
    if (!what) return fail(Code::not_found, "error.cli.probe_what", {in_quotes(options.what)});
    TRY(edited, edited_model(opened));
    TRY(answer, probe(opened, edited.model, *what, options.texts, {}, edited.of_runs));
    edited.edits.insert(edited.edits.end(), edited.of_runs.begin(), edited.of_runs.end());
  }
  const ProbeAnswer& found = *answer;
  run.update(run_json(opened, options.model));
  nlohmann::json depths = nlohmann::json::array();
  for (const ProbeDepth& depth : found.depths) {
    depths.push_back({{"step", to_text(depth.site)}, {"fitted", depth.fitted}, {"held_out", depth.held_out}});
    if (!options.json)
      std::printf("%-28s %.4f  (fitted %.4f)\n", to_text(depth.site).c_str(), unsigned_nan(depth.held_out),
                  unsigned_nan(depth.fitted));
  }
  if (!options.json) {
    std::printf("%s\n", tr("cli.probe.guessing",
                           {std::to_string(found.guessing), std::to_string(found.classes),
                            std::to_string(found.fitted_rows), std::to_string(found.held_out_rows)})
                            .c_str());
    return Done{};
  }
  nlohmann::json out = {{"what", options.what},
                        {"rows", depths},
                        {"depths", depths},
                        {"guessing", found.guessing},
                        {"classes", found.classes},
                        {"fitted_rows", found.fitted_rows},
                        {"held_out_rows", found.held_out_rows},
                        {"run", run}};
  put_edits(out, edited.edits);
  print_json(out);
  return Done{};
}

}  // namespace

void add_probe(CLI::App& app, Action& action) {
  const auto [command, options] = new_command(app, action, "probe", tr("cli.probe"), run_probe);
  command->add_option("MODEL", options->model, tr(kModelHelp))->required();
  command->add_option("--what", options->what, tr("cli.probe.what"));
  options->data.add_to(*command);
  CLI::Option* const data = command->get_option("--data");
  command->add_option("--at", options->at, tr("cli.probe.at"))->transform(whole(0, 1 << 30))->needs(data);
  command->add_option("--texts", options->texts, tr("cli.probe.texts"))
      ->transform(whole(8, 100000))
      ->excludes(data);
  command->add_flag("--json", options->json, tr("cli.ask.json"));
}

}  // namespace attnscope::cli
