// attnscope-cli heads, rollout: the role of each head in a run, and attention rollout through all blocks.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/answer_table.h"
#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/head_ranking.h"
#include "core/lens/rollout.h"
#include "core/session/document.h"
#include "core/session/measure_text.h"

namespace attnscope::cli {
namespace {

struct HeadOptions {
  std::string model, by, measure, path = "rollout", attention;
  std::int64_t at = -1;
  bool json = false, smallest = false;
  SequenceOptions text, against;
};

// Adds the effect of ablating each head on the measure.
Status add_effects(const OpenedModel& opened, const std::shared_ptr<const Trace>& run,
                   const LogitMeasure& measure, std::vector<RankedHead>& heads) {
  TRY(const Selector steps, Selector::parse("*blocks.*.z"));
  TRY(Sweep sweep, Sweep::ablation(opened.model, run, measure, steps, {"head"}, {}));
  TRY_OK(sweep.fill());
  std::vector<double> values;
  for (const SweepCell& cell : sweep.cells()) values.push_back(cell.value);
  take_effects(heads, sweep.cells(), values, sweep.base());
  return Done{};
}

// What the vocabulary could not spell of both texts.
std::vector<std::string> unknown_of(const HeadOptions& options) {
  std::vector<std::string> out = options.text.unknown();
  const auto& more = options.against.unknown();
  std::copy_if(more.begin(), more.end(), std::back_inserter(out), [&](const std::string& piece) {
    return std::find(out.begin(), out.end(), piece) == out.end();
  });
  return out;
}

void print_heads(const OpenedModel& opened, const std::vector<RankedHead>& heads, const Trace& run,
                 const HeadOptions& options) {
  const bool as_json = options.json;
  nlohmann::json rows = nlohmann::json::array();
  for (const RankedHead& head : heads) {
    nlohmann::json scores = nlohmann::json::object();
    std::string line;
    for (int i = 0; i < kHeadScoreCount; ++i) {
      const auto score = static_cast<HeadScore>(i);
      if (std::isnan(head.of(score))) continue;
      const std::string name(head_score_name(score));
      scores[name] = json_number(head.of(score));
      line += format("  %s %.3f", name.c_str(), head.of(score));
    }
    nlohmann::json row = {
        {"step", to_text(head.pattern)}, {"head", head.head}, {"scores", std::move(scores)}};
    Role role = Role::self;
    if (head.roles.strongest(role)) row["role"] = role_name(role);
    const std::string place = to_text(Cell{head.pattern, {{"head", head.head}}});
    if (!as_json) std::printf("%-34s%s\n", place.c_str(), line.c_str());
    rows.push_back(std::move(row));
  }
  if (!as_json) return;
  nlohmann::json out = {{"heads", std::move(rows)}};
  put_edits(out, run.edits);
  put_unknown(out, unknown_of(options));
  out["run"] = run_json(opened, options.model);
  out["run"]["inputs"]["text"] = input_json(opened, run);
  print_json(out);
}

Status run_heads(const HeadOptions& options) {
  HeadScore by = options.measure.empty() ? HeadScore::previous : HeadScore::effect;
  if (!options.by.empty()) {
    TRY(by, parse_head_score(options.by));
  }
  TRY(const RunModel opened, open_to_run(options.model));
  TRY(const std::shared_ptr<const Trace> run, options.text.run_one(opened));
  HeadQuestion question;
  std::optional<LogitMeasure> measure;
  if (!options.measure.empty()) {
    TRY_OK(check_runs(opened));
    TRY(measure.emplace(), measure_of(opened, options.measure, options.at, *run));
    question = antecedent_of(*run, *measure);
  }
  TRY(const Request against, options.against.request());
  if (!against.empty()) {
    TRY(question.before, options.against.run_one(opened));
  }
  std::vector<RankedHead> heads = head_scores(*run, question);
  if (measure) TRY_OK(add_effects(opened, run, *measure, heads));
  rank_heads(heads, by, !options.smallest);
  print_heads(opened, heads, *run, options);
  return Done{};
}

Result<AttentionPlace> place_of(const Trace& trace, const std::string& name) {
  const Stack own = trace.config().stack;
  for (const AttentionPlace& place : attention_places(trace)) {
    const bool cross = place.part == Part::cross;
    if (name.empty() ? place.stack == own && !cross
        : cross      ? name == "cross"
                     : std::string(stack_prefix(place.stack)) == name + ".")
      return place;
  }
  return fail(Code::not_found, "error.lens.no_pattern", {in_quotes(name)});
}

Status run_rollout(const HeadOptions& options) {
  AttentionPath path = AttentionPath::rollout;
  for (const AttentionPath one : {AttentionPath::raw, AttentionPath::flow})
    if (options.path == path_name(one)) path = one;
  TRY(const RunModel opened, open_to_run(options.model));
  TRY(const std::shared_ptr<const Trace> run, options.text.run_one(opened));
  TRY(const AttentionPlace place, place_of(*run, options.attention));
  const std::int64_t last =
      place.stack == run->config().stack ? prediction_row(*run) : run->rows(place.stack) - 1;
  const std::int64_t row = options.at < 0 ? last : options.at;
  TRY(const PathRows found, attention_path(*run, place, path, row));
  const std::int64_t keys = found.weights.size(1);
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t block = 0; block < found.layers.size(); ++block) {
    std::vector<float> weights;
    for (std::int64_t key = 0; key < keys; ++key)
      weights.push_back(found.weights.at(static_cast<std::int64_t>(block), key));
    rows.push_back({{"block", found.layers[block]}, {"weights", weights}});
  }
  if (options.json) {
    nlohmann::json out = {{"path", path_name(path)}, {"row", row}, {"blocks", std::move(rows)}};
    put_edits(out, run->edits);
    put_unknown(out, options.text.unknown());
    out["run"] = run_json(opened, options.model);
    out["run"]["inputs"]["text"] = input_json(opened, *run);
    print_json(out);
    return Done{};
  }
  for (std::int64_t key = 0; key < keys; ++key) {
    const std::string token = row_label(opened, *run, place.keys(), key);
    std::printf("%4lld  %-16s", static_cast<long long>(key), token.c_str());
    for (std::size_t block = 0; block < found.layers.size(); ++block)
      std::printf("  %.4f",
                  unsigned_nan(static_cast<double>(found.weights.at(static_cast<std::int64_t>(block), key))));
    std::printf("\n");
  }
  return Done{};
}

}  // namespace

void add_heads(CLI::App& app, Action& action) {
  const auto add = [&](const char* name, Status (*run)(const HeadOptions&), const auto& more) {
    CLI::App* command = app.add_subcommand(name, tr(std::string("cli.") + name));
    const auto options = std::make_shared<HeadOptions>();
    command->add_option("MODEL", options->model, tr(kModelHelp))->required();
    options->text.add_to(*command, false);
    command->add_flag("--json", options->json, tr("cli.ask.json"));
    more(*command, *options);
    command->callback([options, run, &action] { action = [options, run] { return run(*options); }; });
  };
  add("heads", run_heads, [](CLI::App& command, HeadOptions& options) {
    options.against.add_to(command, false, "against-");
    command.add_option("--by", options.by, tr("cli.heads.by"));
    command.add_option("--measure", options.measure, tr("cli.heads.measure"));
    command.add_option("--at", options.at, tr("cli.ask.at"))->transform(whole(0, 1 << 30));
    command.add_flag("--smallest", options.smallest, tr("cli.heads.smallest"));
  });
  add("rollout", run_rollout, [](CLI::App& command, HeadOptions& options) {
    command.add_option("--path", options.path, tr("cli.rollout.path"))
        ->check(CLI::Validator(one_word_of({"raw", "rollout", "flow"}), ""));
    command.add_option("--attention", options.attention, tr("cli.rollout.attention"))
        ->check(CLI::Validator(one_word_of({"enc", "dec", "vision", "cross"}), ""));
    command.add_option("--at", options.at, tr("cli.rollout.at"))->transform(whole(0, 1 << 30));
  });
}

}  // namespace attnscope::cli
