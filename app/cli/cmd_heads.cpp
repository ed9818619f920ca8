// attnscope-cli heads, rollout: the role of each head in a run, and attention rollout through all blocks.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/answer_table.h"
#include "app/cli/command.h"
#include "app/cli/prompt_runs.h"
#include "core/base/spread.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/head_ranking.h"
#include "core/lens/rollout.h"
#include "core/session/asked_measure.h"
#include "core/session/document.h"
#include "core/session/measure_text.h"

namespace attnscope::cli {
namespace {

struct HeadOptions {
  std::string model, by, measure, path = "rollout", attention;
  std::int64_t at = -1;
  bool json = false, smallest = false;
  SequenceOptions text, against;
  DataOptions data;
};

// The scores of one head over a data set.
struct HeadSpreads {
  std::array<Spread, kHeadScoreCount> scores;
  Spread& of(HeadScore score) { return scores[static_cast<std::size_t>(score)]; }
};
using Spreads = std::map<std::string, HeadSpreads>;  // by the place of the head

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

std::string head_place(const RankedHead& head) { return to_text(Cell{head.pattern, {{"head", head.head}}}); }

// The scores of one prompt, and the effects where there is a measure.
Result<std::vector<RankedHead>> scores_of(const OpenedModel& opened, const PromptRuns& data,
                                          const HeadOptions& options, const DataLine& line,
                                          const PromptRun& run) {
  HeadQuestion question;
  if (options.measure.empty()) return head_scores(*run.trace, question);
  TRY(const std::string text, data.measure_text(line, options.measure));
  const auto measure = measure_of(opened, text, options.at, *run.trace);
  if (!measure) return within(line.place(data.path()), measure.error());
  std::vector<RankedHead> heads = head_scores(*run.trace, antecedent_of(*run.trace, *measure));
  if (const Status added = add_effects(opened, run.trace, *measure, heads); !added)
    return within(line.place(data.path()), added.error());
  return heads;
}

// Adds the roles of a head in another prompt.
void add_roles(HeadRoles& sum, const HeadRoles& more) {
  for (std::size_t i = 0; i < sum.scores.size(); ++i) {
    RoleScore& to = sum.scores[i];
    const RoleScore& from = more.scores[i];
    if (from.rows == 0) continue;
    const auto before = static_cast<double>(to.rows), now = static_cast<double>(from.rows);
    to.score = (to.score * before + from.score * now) / (before + now);
    to.chance = (to.chance * before + from.chance * now) / (before + now);
    to.rows += from.rows;
  }
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

void put_spreads(nlohmann::json& row, const HeadSpreads& spreads) {
  std::int64_t most = 0;
  for (int i = 0; i < kHeadScoreCount; ++i) {
    const Spread& spread = spreads.scores[static_cast<std::size_t>(i)];
    most = std::max(most, spread.n());
    if (spread.n() > 1)
      row["stderr"][std::string(head_score_name(static_cast<HeadScore>(i)))] =
          json_number(spread.standard_error());
  }
  if (most == 1) row["stderr"] = nullptr;
  row["n"] = most;
  for (int i = 0; i < kHeadScoreCount; ++i)  // a score that fewer prompts have
    if (const std::int64_t n = spreads.scores[static_cast<std::size_t>(i)].n(); n < most)
      row["n_of"][std::string(head_score_name(static_cast<HeadScore>(i)))] = n;
}

// `run` is what is said of the run; the spreads are of a data set, or none.
void print_heads(const std::vector<RankedHead>& heads, const Spreads& spreads, const Edits& edits,
                 nlohmann::json run, const HeadOptions& options) {
  const bool as_json = options.json;
  nlohmann::json rows = nlohmann::json::array();
  if (!as_json) std::printf("%s", headings({{"head", -35}, {"scores", -1}}).c_str());
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
    const std::string place = head_place(head);
    if (const auto spread = spreads.find(place); spread != spreads.end()) put_spreads(row, spread->second);
    if (!as_json) std::printf("%-34s%s\n", place.c_str(), line.c_str());
    rows.push_back(std::move(row));
  }
  if (!as_json) return;
  nlohmann::json out = {{"rows", rows},
                        {"heads", std::move(rows)}};  // the second: their name in older answers
  put_edits(out, edits);
  put_unknown(out, unknown_of(options));
  out["run"] = std::move(run);
  print_json(out);
}

// Means over a data set: of each score over the prompts that have it.
Status heads_data(const HeadOptions& options, const RunModel& opened, HeadScore by) {
  PromptRuns data(options.data.choice(), opened, options.text, options.text);
  TRY_OK(data.prepare());
  TRY(const Request against, options.against.request());
  if (!against.unused()) return fail(Code::out_of_range, "error.cli.data_and_text");
  if (!options.measure.empty()) TRY_OK(check_data_measure(options.measure));
  struct Scored {
    PromptRun run;
    std::vector<RankedHead> heads;
  };
  const auto work = [&](const DataLine& line) -> Result<Scored> {
    Scored out;
    TRY(out.run, data.run(line, DataSide::clean));
    TRY(out.heads, scores_of(opened, data, options, line, out.run));
    return out;
  };
  std::vector<RankedHead> heads;
  Spreads spreads;
  Edits edits;
  TRY_OK(data.through<Scored>(work, [&](const DataLine&, const Scored& one) {
    data.tell(one.run);
    const bool first = heads.empty();
    if (first) heads = one.heads, edits = one.run.trace->edits;
    for (std::size_t i = 0; i < one.heads.size() && i < heads.size(); ++i) {
      const RankedHead& head = one.heads[i];
      if (!first) add_roles(heads[i].roles, head.roles);
      for (int score = 0; score < kHeadScoreCount; ++score)
        if (const double value = head.of(static_cast<HeadScore>(score)); !std::isnan(value))
          spreads[head_place(head)].of(static_cast<HeadScore>(score)).add(value);
    }
    return Status(Done{});
  }));
  for (RankedHead& head : heads)
    for (int score = 0; score < kHeadScoreCount; ++score)
      head.of(static_cast<HeadScore>(score)) =
          spreads[head_place(head)].of(static_cast<HeadScore>(score)).mean();
  rank_heads(heads, by, !options.smallest);
  nlohmann::json run = run_json(opened, options.model);
  run["data"] = data.json();
  print_heads(heads, spreads, edits, std::move(run), options);
  return Done{};
}

Status run_heads(const HeadOptions& options) {
  HeadScore by = options.measure.empty() ? HeadScore::previous : HeadScore::effect;
  if (!options.by.empty()) {
    TRY(by, parse_head_score(options.by));
  }
  TRY(const RunModel opened, open_to_run(options.model));
  if (options.data.given()) return heads_data(options, opened, by);
  TRY(const std::shared_ptr<const Trace> run, options.text.run_one(opened));
  HeadQuestion question;
  std::optional<LogitMeasure> measure;
  if (!options.measure.empty()) {
    TRY_OK(check_runs(opened));
    TRY(measure.emplace(), measure_of(opened, options.measure, options.at, *run));
    question = antecedent_of(*run, *measure);
  }
  TRY(const Request against, options.against.request());
  if (against.empty() && !against.unused()) return fail(Code::out_of_range, "error.cli.against");
  if (!against.empty()) {
    TRY(question.before, options.against.run_one(opened));
  }
  std::vector<RankedHead> heads = head_scores(*run, question);
  if (measure) TRY_OK(add_effects(opened, run, *measure, heads));
  rank_heads(heads, by, !options.smallest);
  nlohmann::json said = run_json(opened, options.model);
  said["inputs"]["text"] = input_json(opened, *run);
  if (measure) said["measure"] = measure_json(opened, *measure, *run);
  print_heads(heads, {}, run->edits, std::move(said), options);
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
  const AttentionPath path = value_of_name(options.path, kAttentionPaths).value_or(AttentionPath::rollout);
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
    nlohmann::json out = {
        {"path", path_name(path)}, {"row", row}, {"rows", rows}, {"blocks", std::move(rows)}};
    put_edits(out, run->edits);
    put_unknown(out, options.text.unknown());
    out["run"] = run_json(opened, options.model);
    out["run"]["inputs"]["text"] = input_json(opened, *run);
    print_json(out);
    return Done{};
  }
  std::printf("%s", (heading({"key", 4}) + "  " + heading({"block", -16})).c_str());
  for (const int block : found.layers) std::printf("  %6d", block);
  std::printf("\n");
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
    const auto [command, options] = new_command(app, action, name, tr(std::string("cli.") + name), run);
    command->add_option("MODEL", options->model, tr(kModelHelp))->required();
    options->text.add_to(*command, false);
    command->add_flag("--json", options->json, tr("cli.ask.json"));
    more(*command, *options);
  };
  add("heads", run_heads, [](CLI::App& command, HeadOptions& options) {
    options.against.add_to(command, false, "against-");
    options.data.add_to(command);
    command.add_option("--by", options.by, tr("cli.heads.by"));
    CLI::Option* const measure = command.add_option("--measure", options.measure, tr("cli.heads.measure"));
    command.add_option("--at", options.at, tr("cli.ask.at"))->transform(whole(0, 1 << 30))->needs(measure);
    command.add_flag("--smallest", options.smallest, tr("cli.heads.smallest"));
  });
  add("rollout", run_rollout, [](CLI::App& command, HeadOptions& options) {
    command.add_option("--path", options.path, tr("cli.rollout.path"))
        ->check(word_of({"raw", "rollout", "flow"}));
    command.add_option("--attention", options.attention, tr("cli.rollout.attention"))
        ->check(word_of({"enc", "dec", "vision", "cross"}));
    command.add_option("--at", options.at, tr("cli.rollout.at"))->transform(whole(0, 1 << 30));
  });
}

}  // namespace attnscope::cli
