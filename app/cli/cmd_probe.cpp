// attnscope-cli probe: linear probes on the residual stream, layer by layer.
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "app/cli/probe_options.h"
#include "app/cli/prompt_runs.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/asked_measure.h"
#include "core/session/probing.h"

namespace attnscope::cli {
namespace {

struct ProbeOptions {
  std::string model, what = "token";
  int texts = 240;
  std::int64_t at = -1;
  bool json = false;
  DataOptions data;
};

std::optional<Probed> probed_of(const std::string& what) {
  for (const Probed one : {Probed::token, Probed::position, Probed::antecedent})
    if (what == probed_name(one)) return one;
  return std::nullopt;
}

// What a line says in a column.
Result<std::string> label_of(const DataLine& line, const std::string& column, const PromptRuns& data) {
  const auto group = line.groups.find(column);
  const std::string label = column == "answer"           ? line.answer
                            : column == "wrong"          ? line.wrong
                            : group != line.groups.end() ? group->second
                                                         : "";
  if (label.empty())
    return within(line.place(data.path()),
                  fail(Code::not_found, "error.cli.probe_column", {in_quotes(column)}));
  return label;
}

}  // namespace

// A row's own token or position, or at the row that answers what a column says.
Result<ProbeAnswer> probe_data(const DataOptions& chosen, const std::string& what, std::int64_t at,
                               const RunModel& opened, nlohmann::json& run) {
  const SequenceOptions none;
  PromptRuns data(chosen.choice(), opened, none, none);
  TRY_OK(data.prepare());
  const std::optional<Probed> of_row =
      what == "token" || what == "position" ? probed_of(what) : std::optional<Probed>();
  std::vector<ProbedRun> runs;
  std::map<std::string, int> labels;
  TRY_OK(data.through<PromptRun>(
      [&](const DataLine& line) { return data.run(line, DataSide::clean); },
      [&](const DataLine& line, const PromptRun& of_line) -> Status {
        data.tell(of_line);
        ProbedRun& one = runs.emplace_back();
        one.trace = of_line.trace;
        if (of_row) return Done{};
        TRY(const std::string label, label_of(line, what, data));
        one.asked = at >= 0 ? at : asked_row(opened, *one.trace);
        if (one.asked >= one.trace->length)
          return within(line.place(data.path()),
                        fail(Code::out_of_range, "error.cli.probe_at", {one.asked, one.trace->length}));
        one.label = labels.emplace(label, static_cast<int>(labels.size())).first->second;
        return Done{};
      }));
  run["data"] = data.json();
  return probe_runs(runs, of_row);
}

namespace {

Status run_probe(const ProbeOptions& options) {
  nlohmann::json run;
  TRY(const RunModel opened, open_to_run(options.model));
  std::optional<ProbeAnswer> answer;
  if (options.data.given()) {
    TRY(answer, probe_data(options.data, options.what, options.at, opened, run));
  } else {
    const auto what = probed_of(options.what);
    if (!what) return fail(Code::not_found, "error.cli.probe_what", {in_quotes(options.what)});
    TRY(answer, probe(opened, opened.model, *what, options.texts));
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
  print_json({{"what", options.what},
              {"depths", depths},
              {"guessing", found.guessing},
              {"classes", found.classes},
              {"fitted_rows", found.fitted_rows},
              {"held_out_rows", found.held_out_rows},
              {"run", run}});
  return Done{};
}

}  // namespace

void add_probe(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("probe", tr("cli.probe"));
  const auto options = std::make_shared<ProbeOptions>();
  command->add_option("MODEL", options->model, tr(kModelHelp))->required();
  command->add_option("--what", options->what, tr("cli.probe.what"));
  options->data.add_to(*command);
  command->add_option("--at", options->at, tr("cli.probe.at"))->transform(whole(0, 1 << 30));
  command->add_option("--texts", options->texts, tr("cli.probe.texts"))->transform(whole(8, 100000));
  command->add_flag("--json", options->json, tr("cli.ask.json"));
  command->callback([options, &action] { action = [options] { return run_probe(*options); }; });
}

}  // namespace attnscope::cli
