// attnscope-cli probe: linear probes on the residual stream, layer by layer.
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "core/base/words.h"
#include "core/session/probing.h"

namespace attnscope::cli {
namespace {

struct ProbeOptions {
  std::string model, what = "token";
  int texts = 240;
  bool json = false;
};

Status run_probe(const ProbeOptions& options) {
  Probed what = Probed::token;
  for (const Probed one : {Probed::position, Probed::antecedent})
    if (options.what == probed_name(one)) what = one;
  TRY(const RunModel opened, open_to_run(options.model));
  TRY(const ProbeAnswer found, probe(opened, opened.model, what, options.texts));
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
  print_json({{"what", probed_name(what)},
              {"depths", depths},
              {"guessing", found.guessing},
              {"classes", found.classes},
              {"fitted_rows", found.fitted_rows},
              {"held_out_rows", found.held_out_rows},
              {"run", run_json(opened, options.model)}});
  return Done{};
}

}  // namespace

void add_probe(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("probe", tr("cli.probe"));
  const auto options = std::make_shared<ProbeOptions>();
  command->add_option("MODEL", options->model, tr(kModelHelp))->required();
  command->add_option("--what", options->what, tr("cli.probe.what"))
      ->check(CLI::IsMember({"token", "position", "antecedent"}));
  command->add_option("--texts", options->texts, tr("cli.probe.texts"))->transform(whole(8, 100000));
  command->add_flag("--json", options->json, tr("cli.ask.json"));
  command->callback([options, &action] { action = [options] { return run_probe(*options); }; });
}

}  // namespace attnscope::cli
