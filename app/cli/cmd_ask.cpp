// attnscope-cli ablate, patch, attribute: ablation, activation patching from another run, and attribution of
// the measure to a sum of parts. And merge: joins the shards of a sweep.
#include <chrono>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/ask_options.h"
#include "app/cli/part_files.h"
#include "app/cli/shard.h"
#include "core/base/text.h"
#include "core/base/thread_pool.h"
#include "core/base/words.h"
#include "core/lens/attribution.h"
#include "core/lens/linear_twin.h"
#include "core/lens/sweep.h"
#include "core/session/asked_measure.h"
#include "core/session/circuit.h"
#include "core/session/document.h"
#include "core/session/measure_text.h"

namespace attnscope::cli {

namespace {

constexpr double kLong = 3600;  // seconds: longer sweeps need --yes

// Runs all cells. Errors: estimated from the first cells, it takes more than an hour and --yes is missing.
Status filled(Sweep& sweep, bool asked_for) {
  const auto begin = std::chrono::steady_clock::now();
  const std::int64_t all = std::ssize(sweep.cells()), some = std::max<std::int64_t>(2, thread_count());
  std::int64_t ran = 0;
  double seconds = 0;  // estimated for all cells, if above kLong
  TRY_OK(sweep.fill([&](std::size_t) {
    if (++ran != some || asked_for) return true;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    const double whole = taken.count() / static_cast<double>(ran) * static_cast<double>(all);
    if (whole > kLong) seconds = whole;
    return whole <= kLong;
  }));
  if (seconds == 0) return Done{};
  return fail(Code::out_of_range, "error.cli.sweep_long", {all, format("%.1f", seconds / 3600)});
}

// The two rows of a place that one row of another run was patched into.
std::optional<AnswerPair> pair_of(const OpenedModel& opened, const Sweep& sweep, const SweepCell& cell) {
  if (!sweep.donor()) return std::nullopt;
  const AxisRange* at = range_on(cell.at, "pos");
  if (!at || !at->indices().one()) return std::nullopt;
  const Stack stack = cell.site.stack;
  const auto rows = sweep.donor()->partners().find(stack);
  if (rows == sweep.donor()->partners().end() || !rows->second.matches(at->begin)) return std::nullopt;
  AnswerPair out{at->begin, rows->second.to_b[static_cast<std::size_t>(at->begin)], "", ""};
  out.into_token = row_label(opened, *sweep.run(), stack, out.into);
  out.from_token = row_label(opened, sweep.donor()->from(), stack, out.from);
  return out;
}

// Runs the sweep, or its shard, and prints it: a table for each measure.
Status answer(const AskOptions& options, const OpenedModel& opened, Sweep sweep,
              std::vector<AnswerTable> tables) {
  if (!options.out.empty()) TRY_OK(check_answer_path(options.out));
  const std::int64_t whole = std::ssize(sweep.cells());
  TRY(const Shard shard, Shard::parse(options.shard));
  const std::vector<std::int64_t> rows = shard.rows(whole);
  sweep.keep(rows);
  if (options.estimate || options.only_estimate) TRY_OK(sweep.estimate());
  if (!options.only_estimate) TRY_OK(filled(sweep, options.yes));
  for (std::size_t measure = 0; measure < tables.size(); ++measure) {
    AnswerTable& table = tables[measure];
    table.whole = whole;
    table.estimates_alone = options.only_estimate;
    for (std::size_t i = 0; i < sweep.cells().size(); ++i) {
      const SweepCell& cell = sweep.cells()[i];
      AnswerRow row{to_text(cell.site), cell.at, cell.value_of(measure), {}, rows[i]};
      if (options.estimate || options.only_estimate) row.estimate = cell.estimate_of(measure);
      if (options.only_estimate) row.value = cell.estimate_of(measure);
      row.pair = pair_of(opened, sweep, cell);
      table.rows.push_back(std::move(row));
    }
    TRY_OK(normalise(options, table));
  }
  return give_answer(options, tables);
}

Result<std::vector<LogitMeasure>> measures_of(const OpenedModel& opened, const AskOptions& options,
                                              const Trace& run) {
  TRY_OK(check_measures(options));
  std::vector<LogitMeasure> out;
  for (const std::string& text : options.measures) {
    TRY(out.emplace_back(), measure_of(opened, text, options.at, run));
  }
  return out;
}

// As "measure" the one, as "measures" several.
void put_measures(nlohmann::json& made, const OpenedModel& opened, const std::vector<LogitMeasure>& measures,
                  const Trace& run) {
  if (measures.size() == 1) made["measure"] = measure_json(opened, measures.front(), run);
  if (measures.size() > 1)
    for (const LogitMeasure& one : measures) made["measures"].push_back(measure_json(opened, one, run));
}

Status run_ablate(const AskOptions& options) {
  TRY(const Selector steps, Selector::parse(options.steps));
  TRY(const DataKnockout how, how_asked(options.how, options.data.given(), options.data.seed()));
  TRY(const RunModel opened, open_to_run(options.model));
  TRY_OK(check_runs(opened));
  if (options.data.given()) return ablate_data(options, opened);
  TRY(const std::shared_ptr<const Trace> run, options.text.run_one(opened));
  TRY(const std::vector<LogitMeasure> measures, measures_of(opened, options, *run));
  TRY(Sweep sweep,
      Sweep::ablation(opened.model, run, measures.front(), steps, options.over_axes(), how.knockout));
  for (std::size_t i = 1; i < measures.size(); ++i) TRY_OK(sweep.add_measure(measures[i]));
  nlohmann::json made = run_json(opened, options.model);
  made["inputs"]["text"] = input_json(opened, *run);
  put_measures(made, opened, measures, *run);
  made["method"] = {{"steps", options.steps}, {"over", options.over_axes()}, {"how", options.how}};
  if (options.only_estimate) made["method"]["only_estimate"] = true;
  std::vector<AnswerTable> tables;
  for (std::size_t i = 0; i < measures.size(); ++i) {
    AnswerTable& table =
        tables.emplace_back(AnswerTable{options.measures[i], {{"clean", sweep.base(i)}}, {}, 0, {}});
    table.take_edits("edits", run->edits);
    table.unknown = options.text.unknown();
    table.run = made.dump();
  }
  return answer(options, opened, std::move(sweep), std::move(tables));
}

Status run_patch(const AskOptions& options) {
  TRY(const Selector steps, Selector::parse(options.steps));
  TRY(const RunModel opened, open_to_run(options.model));
  TRY_OK(check_runs(opened));
  if (options.data.given()) return patch_data(options, opened);
  TRY(const Request clean_words, options.clean.request());
  TRY(const Request corrupt_words, options.corrupt.request());
  if ((clean_words.empty() && !opened.session) || corrupt_words.empty())
    return fail(Code::out_of_range, "error.cli.two_inputs");
  TRY(const std::shared_ptr<const Trace> clean, options.clean.run_one(opened));
  TRY(const std::shared_ptr<const Trace> corrupt, options.corrupt.run_one(opened));
  TRY_OK(check_measures(options));
  TRY(PatchAsked asked, patch_asked(opened, options, options.measures, clean, corrupt));
  AnswerTable table;  // but for the measure
  table.take_edits("clean_edits", clean->edits);
  table.take_edits("corrupt_edits", corrupt->edits);
  table.unknown = options.clean.unknown();
  table.unknown.insert(table.unknown.end(), options.corrupt.unknown().begin(),
                       options.corrupt.unknown().end());
  const bool noise = options.noise();
  const std::string aligned =
      note_alignment(*asked.sweep->donor(), noise ? "clean" : "corrupt", noise ? "corrupt" : "clean", table);
  if (!options.json) std::fputs(aligned.c_str(), options.out.empty() ? stdout : stderr);
  nlohmann::json made = run_json(opened, options.model);
  made["inputs"] = {{"clean", input_json(opened, *clean)}, {"corrupt", input_json(opened, *corrupt)}};
  put_measures(made, opened, asked.measures, *asked.sweep->run());
  made["method"] = {
      {"steps", options.steps}, {"over", options.over_axes()}, {"direction", options.direction}};
  if (options.only_estimate) made["method"]["only_estimate"] = true;
  table.run = made.dump();
  std::vector<AnswerTable> tables(options.measures.size(), table);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    tables[i].measure = options.measures[i];
    tables[i].totals = {{"clean", asked.clean[i]}, {"corrupt", asked.corrupt[i]}};
  }
  return answer(options, opened, *std::move(asked.sweep), std::move(tables));
}

void add_parts(AnswerTable& table, const std::vector<LogitPart>& parts) {
  for (const LogitPart& part : parts)
    table.rows.push_back({part.step, target_of({{}, part.at}).at, part.value, {}, std::ssize(table.rows)});
}
AnswerTable sum_answer(const Attribution& found, const std::string& measure) {
  AnswerTable table{
      measure, {{"total", found.total}, {"rest", found.rest}}, {}, std::ssize(found.parts), {}, found.held};
  add_parts(table, found.parts);
  return table;
}
AnswerTable linear_answer(const LinearTwin& twin, const std::string& measure) {
  AnswerTable table{measure, {{"run", twin.run}, {"total", twin.total}, {"rest", twin.rest}},
                    {},      std::ssize(twin.parts),
                    {},      twin.held};
  add_parts(table, twin.parts);
  return table;
}

Status run_attribute(const AskOptions& options) {
  TRY(const RunModel opened, open_to_run(options.model));
  TRY_OK(check_runs(opened));
  if (options.data.given()) return attribute_data(options, opened);
  TRY(const std::shared_ptr<const Trace> run, options.text.run_one(opened));
  TRY(const std::vector<LogitMeasure> measures, measures_of(opened, options, *run));
  nlohmann::json made = run_json(opened, options.model);
  made["inputs"]["text"] = input_json(opened, *run);
  put_measures(made, opened, measures, *run);
  if (!options.graph.empty()) {
    const LogitMeasure& measure = measures.front();
    TRY(const AttributionGraph graph,
        attribution_graph(*run, measure, options.least, 400, {},
                          options.follow_scores ? GraphPatterns::followed : GraphPatterns::held));
    Circuit circuit = circuit_of(opened, *run, graph, options.measures.front());
    nlohmann::json of_graph = made;
    of_graph["method"] = {{"graph", true}, {"qk", options.follow_scores}};
    if (!run->edits.empty()) of_graph["edits"] = texts_of(run->edits);
    circuit.run = of_graph.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    TRY_OK(write_circuit(options.graph, circuit));
    if (options.follow_scores)
      std::fprintf(stderr, "attnscope-cli: %s\n",
                   tr("cli.ask.graph.off", {format("%.0f", 100 * graph.off)}).c_str());
    if (!options.json && options.out.empty()) return Done{};
  }
  if (options.directions && options.by_given && options.by != "token")
    return fail(Code::unsupported, "error.cli.directions_by", {options.by});
  if (options.directions)
    return attribute_directions(options, opened, *run, measures.front(), std::move(made));
  made["method"] = {{"by", options.by}, {"linear", options.linear}};
  std::vector<AnswerTable> tables;
  for (std::size_t i = 0; i < measures.size(); ++i) {
    AnswerTable& table = tables.emplace_back();
    if (options.linear) {
      TRY(const LinearTwin twin, linear_twin(*run, measures[i], attribute_by(options.by)));
      table = linear_answer(twin, options.measures[i]);
    } else {
      TRY(const Attribution found, attribute(*run, measures[i], attribute_by(options.by)));
      table = sum_answer(found, options.measures[i]);
    }
    table.take_edits("edits", run->edits);
    table.unknown = options.text.unknown();
    table.run = made.dump();
  }
  return give_answer(options, tables);
}

Status run_merge(const AskOptions& options) {
  std::vector<PartFile> files;
  std::vector<AnswerTable> parts;
  for (const std::string& path : options.parts) {
    TRY(const bool described, is_described_part(path));
    if (described) {
      TRY(std::vector<PartFile> found, read_parts(path));
      files.insert(files.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
      continue;
    }
    TRY(parts.emplace_back(), read_answer(path));
    if (parts.back().no_rows_here) {
      parts.pop_back();
      continue;
    }
    if (const Status part = check_part(parts.back()); !part) return about(path, part.error());
  }
  if (files.empty() && parts.empty())
    return about(options.parts.front(), fail(Code::bad_format, "error.cli.answer_no_part"));
  return write_joined(files, std::move(parts), options.out);
}

void add_question(CLI::App& command, AskOptions& options) {
  add_measures(command, options.measures);
  command.add_option("--at", options.at, tr("cli.ask.at"))->transform(whole(0, 1 << 30));
  command.add_flag("--json", options.json, tr("cli.ask.json"));
  command.add_option("--out", options.out, tr("cli.ask.out"));
  options.data.add_to(command);
  CLI::Option* const data = command.get_option("--data");
  command.add_flag("--each", options.each, tr("cli.ask.each"))->needs(data);
  command.add_flag("--quantiles", options.quantiles, tr("cli.ask.quantiles"))->needs(data);
}

// Where --over names an axis that the command's `own` steps lack, and no other ones are given: the steps that
// have it.
void take_steps_of_axes(AskOptions& options, const std::string& own) {
  if (options.steps != own) return;
  for (const std::string& axis : options.over_axes()) {
    if (axis.starts_with("head")) options.steps = "*blocks.*.attn.z";
    if (axis.starts_with("d_mlp")) options.steps = "*blocks.*.mlp.post";
  }
}

void add_sweep(CLI::App& command, AskOptions& options) {
  add_question(command, options);
  command.add_option("--steps", options.steps, tr("cli.ask.steps"))->capture_default_str();
  command.add_option("--over", options.over, tr("cli.ask.over"));
  command.add_flag("--estimate", options.estimate, tr("cli.ask.estimate"));
  command.add_flag("--only-estimate", options.only_estimate, tr("cli.ask.only_estimate"));
  command.add_flag("--normalise", options.normalise, tr("cli.ask.normalise"));
  command.add_option("--shard", options.shard, tr("cli.ask.shard"));
  command.add_flag("--yes", options.yes, tr("cli.ask.yes"));
}

// A question of this name: its options, and what runs it.
template <class AddOptions>
void add_asking(CLI::App& app, Action& action, const char* name, const char* help, const char* steps,
                Status (*run)(const AskOptions&), const AddOptions& add_options) {
  CLI::App* command = app.add_subcommand(name, help);
  const auto options = std::make_shared<AskOptions>();
  options->steps = steps;
  add_options(*command, *options);
  command->callback([options, run, own = std::string(steps), &action] {
    take_steps_of_axes(*options, own);
    action = [options, run] { return run(*options); };
  });
}

void add_model(CLI::App& command, AskOptions& options) {
  command.add_option("MODEL", options.model, tr(kModelHelp))->required();
}

}  // namespace

void add_ablate(CLI::App& app, Action& action) {
  add_asking(app, action, "ablate", tr("cli.ablate"), "*blocks.*.attn.z", run_ablate,
             [](CLI::App& command, AskOptions& options) {
               add_model(command, options);
               options.text.add_to(command, false);
               add_sweep(command, options);
               command.add_option("--how", options.how, tr("cli.ask.how"));
             });
}

void add_patch(CLI::App& app, Action& action) {
  add_asking(app, action, "patch", tr("cli.patch"), "*blocks.*.resid_pre", run_patch,
             [](CLI::App& command, AskOptions& options) {
               add_model(command, options);
               options.clean.add_to(command, false, "clean-");
               options.corrupt.add_to(command, false, "corrupt-");
               add_sweep(command, options);
               command.add_option("--direction", options.direction, tr("cli.ask.direction"))
                   ->check(word_of({"denoise", "noise"}));
             });
}

void add_attribute(CLI::App& app, Action& action) {
  add_asking(app, action, "attribute", tr("cli.attribute"), "", run_attribute,
             [](CLI::App& command, AskOptions& options) {
               add_model(command, options);
               options.text.add_to(command, false);
               add_question(command, options);
               CLI::Option* const by = command.add_option("--by", options.by, tr("cli.ask.by"));
               by->check(word_of({"part", "head", "token", "neuron"}));
               by->each([&options](const std::string&) { options.by_given = true; });
               CLI::Option* const linear = command.add_flag("--linear", options.linear, tr("cli.ask.linear"));
               CLI::Option* const graph = command.add_option("--graph", options.graph, tr("cli.ask.graph"));
               command.add_option("--directions", options.directions, tr("cli.ask.directions"))
                   ->needs(linear)
                   ->excludes(graph, command.get_option("--data"));
               command.add_flag("--qk", options.follow_scores, tr("cli.ask.qk"))->needs(graph);
               command.add_option("--least", options.least, tr("cli.ask.least"))
                   ->transform(real(0, 1))
                   ->needs(graph);
             });
}

void add_merge(CLI::App& app, Action& action) {
  add_asking(app, action, "merge", tr("cli.merge"), "", run_merge,
             [](CLI::App& command, AskOptions& options) {
               command.add_option("PART", options.parts, tr("cli.ask.parts"))->required();
               command.add_option("--out", options.out, tr("cli.ask.out"))->required();
             });
}

}  // namespace attnscope::cli
