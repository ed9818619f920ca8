// attnscope-cli save: a model with its edits and adapters, as a folder that other programs open.
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "core/arch/save_edited.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope::cli {
namespace {

struct SaveOptions {
  std::string model, out;
  std::vector<std::string> edits;
  bool json = false;
};

Status run_save(const SaveOptions& options) {
  TRY(const RunModel opened, open_to_run(options.model));
  Edits edits = opened.session ? opened.session->edits : Edits();
  for (const std::string& text : options.edits) {
    TRY(const Edits more, parse_edits(text, opened.model->config()));
    edits.insert(edits.end(), more.begin(), more.end());
  }
  TRY(const SavedModel saved, save_edited(options.out, opened, edits));
  if (saved.no_tokenizer) std::fprintf(stderr, "attnscope-cli: %s\n", tr("cli.save.no_tokenizer"));
  if (options.json) {
    nlohmann::json out = {
        {"folder", options.out}, {"files", saved.files}, {"changed_weights", saved.weights}};
    if (!saved.layout.empty()) out["layout"] = saved.layout;
    if (!saved.lora.empty()) out["lora"] = saved.lora;
    put_edits(out, edits);
    out["run"] = run_json(opened, options.model);
    print_json(out);
  } else {
    say(tr("cli.save.done",
           {quoted_path(options.out), std::to_string(saved.weights), join(saved.files, ", ")}) +
        "\n");
    if (!saved.lora.empty()) say(tr("cli.save.lora", {printable(saved.lora, kMostOfSentence)}) + "\n");
  }
  return Done{};
}

}  // namespace

void add_save(CLI::App& app, Action& action) {
  const auto [command, options] = new_command(app, action, "save", tr("cli.save"), run_save);
  command->add_option("MODEL", options->model, tr(kModelHelp))->required();
  command->add_option("--edit", options->edits, tr(kEditHelp))->allow_extra_args(false)->type_name("PLACE=V");
  command->add_option("-o,--out", options->out, tr("cli.save.out"))->required();
  command->add_flag("--json", options->json, tr("cli.json"));
}

}  // namespace attnscope::cli
