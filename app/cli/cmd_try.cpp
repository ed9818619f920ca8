// attnscope-cli try: the things to try of what is shipped, each played: what is claimed, and what the runs
// give.
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "core/base/percent.h"
#include "core/base/words.h"
#include "core/session/try_this.h"

namespace attnscope::cli {
namespace {

struct TryOptions {
  std::string model = "model:storyteller";
  bool json = false;
};

nlohmann::json answers_json(const std::vector<TryAnswer>& answers) {
  nlohmann::json out = nlohmann::json::array();
  for (const TryAnswer& answer : answers) out.push_back({{"word", answer.word}, {"share", answer.share}});
  return out;
}

nlohmann::json try_json(const TryThis& thing, const TryOutcome& outcome, const std::string& text) {
  nlohmann::json tokens = nlohmann::json::array();
  for (const TryThis::NewToken& token : thing.tokens)
    tokens.push_back({{"pos", token.pos}, {"from", token.from}, {"word", token.word}, {"enc", token.enc}});
  return {{"id", thing.id},
          {"sentence", thing.sentence.str()},
          {"text", text},
          {"tokens", tokens},
          {"edits", thing.edits},
          {"masks", thing.masks},
          {"view", thing.view},
          {"at", thing.at},
          {"claim", {{"before", thing.before}, {"after", thing.after}}},
          {"before", answers_json(outcome.before)},
          {"after", answers_json(outcome.after)},
          {"true", outcome.true_claim}};
}

void print_answers(const std::vector<TryAnswer>& answers) {
  for (const TryAnswer& answer : answers)
    std::printf("     %-12s %s\n", answer.word.c_str(), percent_text(answer.share).c_str());
}

Status run_try_command(const TryOptions& options) {
  TRY(OpenedModel given, open_to_run(options.model));
  TRY_OK(check_runs(given));
  const auto opened = std::make_shared<const OpenedModel>(std::move(given));
  TRY(const std::vector<TryThis> things, things_to_try(*opened));
  if (things.empty() || opened->lora.acts())
    return fail(Code::not_found, "error.cli.try_none", {in_quotes(options.model)});
  const Sequence read = new_document(opened).sequences.front();
  const std::string& text = read.source_text.empty() ? read.text : read.source_text;
  nlohmann::json all = nlohmann::json::array();
  std::vector<std::string> wrong;
  for (const TryThis& thing : things) {
    TRY(const TryOutcome outcome, play_try(opened, thing));
    if (!outcome.true_claim) wrong.push_back(thing.id);
    if (options.json) {
      all.push_back(try_json(thing, outcome, text));
      continue;
    }
    std::printf("%s\n  %s\n", thing.sentence.str().c_str(), outcome.sentence.str().c_str());
    print_answers(outcome.before);
    std::printf("  ->\n");
    print_answers(outcome.after);
  }
  if (options.json) print_json({{"rows", std::move(all)}, {"run", run_json(*opened, options.model)}});
  if (wrong.empty()) return Done{};
  return fail(Code::out_of_range, "error.cli.try_false", {join(wrong, ", ")});
}

}  // namespace

void add_try(CLI::App& app, Action& action) {
  const auto [command, options] = new_command(app, action, "try", tr("cli.try"), run_try_command);
  command->add_option("MODEL", options->model, tr(kModelHelp))->capture_default_str();
  command->add_flag("--json", options->json, tr("cli.json"));
}

}  // namespace attnscope::cli
