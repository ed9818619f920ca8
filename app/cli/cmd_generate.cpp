// attnscope-cli generate: continues one sequence; an encoder-decoder model generates from its source.
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/sample/beam.h"
#include "core/sample/sampler.h"
#include "core/session/told_run.h"

namespace attnscope::cli {
namespace {

struct GenerateOptions {
  std::string model;
  int max_new_tokens = 0;
  bool json = false;
  Sampling sampling{0.f, 0, 1.f, 0};
  int beams = 0;                         // 0: no beam search
  bool chooses = false, seeded = false;  // a temperature is given, a seed
  double length_penalty = 1;
  SequenceOptions sequences;
};

std::string text_of(const OpenedModel& opened, const std::vector<int>& ids) {
  if (opened.tokenizer) return opened.tokenizer->decode(ids);
  if (!opened.scene || opened.scene->words.empty()) return "";
  std::vector<std::string> words;
  for (const int id : ids) words.push_back(token_label(opened, id));
  return join(words, " ");
}

bool draws(const Sampling& sampling) {
  return sampling.temperature > 0 || sampling.top_k > 0 || sampling.top_p < 1 || sampling.min_p > 0;
}

void print_ids(const std::vector<int>& ids, const std::string& text) {
  std::vector<std::string> out;
  for (const int id : ids) out.push_back(std::to_string(id));
  std::printf("%s\n", text.empty() ? join(out, ",").c_str() : text.c_str());
}

// A row for each token that was generated; of several texts with the number and the score of each.
void put_rows(nlohmann::json& rows, const OpenedModel& opened, const Input& prompt,
              const std::vector<int>& ids, const nlohmann::json& of = nlohmann::json::object()) {
  std::int64_t pos = std::max<std::int64_t>(1, std::ssize(prompt.ids));  // behind its start token, at least
  for (const int id : ids) {
    nlohmann::json row = of;
    row["pos"] = pos++, row["id"] = id, row["text"] = token_label(opened, id);
    rows.push_back(std::move(row));
  }
}

// What was run: the prompt, how tokens were chosen, the seed.
void put_run(nlohmann::json& out, const GenerateOptions& options, const OpenedModel& opened,
             const Input& prompt) {
  nlohmann::json run = run_json(opened, options.model);
  run["inputs"]["text"] = told_input(opened, prompt);
  nlohmann::json& method = run["method"] = {{"max_new_tokens", options.max_new_tokens},
                                            {"repetition_penalty", options.sampling.repetition_penalty}};
  if (options.beams > 0) {
    method["beams"] = options.beams, method["length_penalty"] = options.length_penalty;
  } else {
    method["temperature"] = options.sampling.temperature, method["top_k"] = options.sampling.top_k;
    method["top_p"] = options.sampling.top_p, method["min_p"] = options.sampling.min_p;
    run["seed"] = options.sampling.seed;
  }
  out["run"] = std::move(run);
}

// The best hypothesis; with --json all of them.
Status search(const GenerateOptions& options, const OpenedModel& opened, const Input& prompt,
              const RunOptions& run) {
  if (draws(options.sampling) || options.seeded) return fail(Code::unsupported, "error.sample.beams_draw");
  const BeamSettings settings{options.beams, options.max_new_tokens, options.length_penalty,
                              options.sampling.repetition_penalty};
  TRY(const BeamSearch made, beam_search(*opened.model, prompt, settings, run));
  TRY_OK(check_reached(made.unreached));
  if (!made.note.empty()) std::fprintf(stderr, "attnscope-cli: %s\n", made.note.str().c_str());
  nlohmann::json beams = nlohmann::json::array(), rows = nlohmann::json::array();
  for (const BeamHypothesis& one : made.hypotheses) {
    const std::vector<int> ids = made.ids(one.node);
    put_rows(rows, opened, prompt, ids, {{"beam", beams.size()}, {"score", one.score}});
    beams.push_back({{"ids", ids}, {"text", text_of(opened, ids)}, {"score", one.score}});
  }
  const std::vector<int> best =
      made.hypotheses.empty() ? std::vector<int>{} : made.ids(made.hypotheses.front().node);
  const std::string text = text_of(opened, best);
  if (!options.json) {
    print_ids(best, text);
    return Done{};
  }
  nlohmann::json out = {
      {"ids", best}, {"text", text}, {"prompt_ids", prompt.ids}, {"beams", std::move(beams)}};
  out["rows"] = std::move(rows);
  put_edits(out, run.edits);
  put_unknown(out, options.sequences.unknown());
  put_run(out, options, opened, prompt);
  print_json(out);
  return Done{};
}

Status run_generate(const GenerateOptions& options) {
  TRY(const RunModel opened, open_to_run(options.model));
  TRY(const Request request, options.sequences.request());
  if (request.empty() && !opened.session) return fail(Code::out_of_range, "error.cli.generate_one", {0});
  TRY(const Document document, options.sequences.document(opened));
  if (document.sequences.size() != 1)
    return fail(Code::out_of_range, "error.cli.generate_one", {document.sequences.size()});
  const Input prompt = inputs_of(document).front();
  RunOptions run;
  run.edits = edits_for(document.edits, 0);
  if (options.beams > 0) return search(options, opened, prompt, run);
  if (!options.chooses && (options.seeded || draws(options.sampling)))
    return fail(Code::unsupported, "error.cli.generate_greedy");
  TRY(const Generated made, generate(*opened.model, prompt, options.max_new_tokens, options.sampling, run));
  TRY_OK(check_reached(made.unreached));
  const std::string text = text_of(opened, made.ids);
  if (!made.note.empty()) std::fprintf(stderr, "attnscope-cli: %s\n", made.note.str().c_str());
  if (!options.json) {
    print_ids(made.ids, text);
    return Done{};
  }
  nlohmann::json out = {
      {"ids", made.ids}, {"text", text}, {"prompt_ids", prompt.ids}, {"reached_end", made.reached_end}};
  put_rows(out["rows"] = nlohmann::json::array(), opened, prompt, made.ids);
  put_edits(out, run.edits);
  put_unknown(out, options.sequences.unknown());
  put_run(out, options, opened, prompt);
  print_json(out);
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
  command->add_option("--min-p", options->sampling.min_p, tr("cli.generate.min_p"))->transform(real(0, 1));
  command
      ->add_option("--repetition-penalty", options->sampling.repetition_penalty,
                   tr("cli.generate.repetition_penalty"))
      ->transform(real(0, kMostPenalty));
  CLI::Option* const beams = command->add_option("--beams", options->beams, tr("cli.generate.beams"))
                                 ->transform(whole(0, kMostBeams));
  command->add_option("--length-penalty", options->length_penalty, tr("cli.generate.length_penalty"))
      ->transform(real(-100, 100))
      ->needs(beams);
  command->add_flag("--json", options->json, tr("cli.generate.json"));
  command->callback([options, command, &action] {
    options->chooses = command->count("--temperature") > 0;
    options->seeded = command->count("--seed") > 0;
    action = [options] { return run_generate(*options); };
  });
}

}  // namespace attnscope::cli
