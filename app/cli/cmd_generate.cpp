// attnscope-cli generate: continues one sequence; an encoder-decoder answers its source.
#include <limits>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/sample/sampler.h"

namespace attnscope::cli {
namespace {

struct GenerateOptions {
  std::string model;
  int max_new_tokens = 0;
  bool json = false;
  Sampling sampling{0.f, 0, 1.f, 0};
  SequenceOptions sequences;
};

std::string text_of(const OpenedModel& opened, const std::vector<int>& ids) {
  if (opened.tokenizer) return opened.tokenizer->decode(ids);
  if (!opened.scene || opened.scene->words.empty()) return "";
  std::vector<std::string> words;
  for (const int id : ids) words.push_back(token_label(opened, id));
  return join(words, " ");
}

Status run_generate(const GenerateOptions& options) {
  TRY(const OpenedModel opened, open_to_run(options.model));
  TRY(const std::vector<Input> given, options.sequences.read(opened));
  if (given.size() != 1) {
    return fail(Code::out_of_range, "error.cli.generate_one", {given.size()});
  }
  const Input& prompt = given[0];
  RunOptions run;
  TRY(const Edits edits, options.sequences.read_edits(opened));
  run.edits = edits_for(edits, 0);
  TRY(const Generated made, generate(*opened.model, prompt, options.max_new_tokens, options.sampling, run));
  TRY_OK(check_reached(made.unreached));
  const std::string text = text_of(opened, made.ids);
  if (!made.note.empty()) std::fprintf(stderr, "attnscope-cli: %s\n", made.note.str().c_str());
  if (options.json) {
    print_json(
        {{"ids", made.ids}, {"text", text}, {"prompt_ids", prompt.ids}, {"reached_end", made.reached_end}});
    return Done{};
  }
  std::vector<std::string> ids;
  for (const int id : made.ids) ids.push_back(std::to_string(id));
  std::printf("%s\n", text.empty() ? join(ids, ",").c_str() : text.c_str());
  return Done{};
}

}  // namespace

void add_generate(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("generate", tr("cli.generate"));
  const auto options = std::make_shared<GenerateOptions>();
  command->add_option("MODEL", options->model, tr(kModelHelp))->required();
  options->sequences.add_to(*command, false);
  command->add_option("--max-new-tokens", options->max_new_tokens, tr("cli.generate.most"))
      ->required()
      ->transform(whole(0, 1 << 20));
  command->add_option("--temperature", options->sampling.temperature, tr("cli.generate.temperature"))
      ->transform(real(0, kMostTemperature));
  command->add_option("--top-k", options->sampling.top_k, tr("cli.generate.top_k"))
      ->transform(whole(0, std::numeric_limits<int>::max()));
  command->add_option("--top-p", options->sampling.top_p, tr("cli.generate.top_p"))->transform(real(0, 1));
  command->add_option("--seed", options->sampling.seed, tr("cli.generate.seed"))
      ->transform(whole(0, std::numeric_limits<std::uint64_t>::max()));
  command->add_flag("--json", options->json, tr("cli.generate.json"));
  command->callback([options, &action] { action = [options] { return run_generate(*options); }; });
}

}  // namespace attnscope::cli
