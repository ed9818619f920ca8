// attnscope-cli ablate, patch, attribute: ablation, activation patching from another run, and attribution of
// the measure to a sum of parts. And merge: joins the shards of a sweep.
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/answer_table.h"
#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/base/thread_pool.h"
#include "core/base/words.h"
#include "core/lens/attribution.h"
#include "core/lens/linear_twin.h"
#include "core/lens/sweep.h"
#include "core/session/asked_measure.h"
#include "core/session/circuit.h"
#include "core/session/measure_text.h"

namespace attnscope::cli {

Result<LogitMeasure> measure_of(const OpenedModel& opened, const std::string& text, std::int64_t at,
                                const Trace& run) {
  TRY(LogitMeasure measure, parse_measure(opened, text, at, &run));
  if (const std::int64_t row = asked_row(opened, run); measure.row < 0 && row != prediction_row(run))
    measure.row = row;
  if (measure.kind != LogitMeasure::Kind::kl) return measure;
  TRY_OK(measured(LogitMeasure{LogitMeasure::Kind::logit, 0, -1, measure.row, {}}, run));
  measure.reference = run.logits_row(row_of(measure, run));
  return measure;
}

namespace {

constexpr double kLong = 3600;  // seconds: longer sweeps need --yes

struct AskOptions {
  std::string model, measure, steps, over, how = "zero", direction = "denoise", by = "head", shard, out,
                                           graph;
  double least = 0.005;
  std::int64_t at = -1;
  bool json = false, estimate = false, yes = false, linear = false;
  SequenceOptions text, clean, corrupt;
  std::vector<std::string> parts;
};

Result<Knockout> knockout_of(const std::string& how) {
  if (how == "zero") return Knockout{};
  if (how == "mean") return Knockout{EditOp::set, MeanOver{}};
  constexpr std::string_view kScale = "scale:";
  char* end = nullptr;
  const double factor = how.starts_with(kScale) ? std::strtod(how.c_str() + kScale.size(), &end) : 0;
  if (!end || *end != '\0' || how.size() == kScale.size() || !std::isfinite(factor))
    return fail(Code::bad_format, "error.cli.how", {in_quotes(how)});
  return Knockout{EditOp::scale, static_cast<float>(factor)};
}

Result<std::pair<int, int>> shard_of(const std::string& text) {
  constexpr std::uint64_t kMostParts = 1 << 20;
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto part = parse_whole(std::string_view(text).substr(0, slash), 1, kMostParts);
  const auto parts =
      parse_whole(std::string_view(text).substr(std::min(slash + 1, text.size())), 1, kMostParts);
  if (part && parts && *part <= *parts) return std::pair(static_cast<int>(*part), static_cast<int>(*parts));
  return fail(Code::bad_format, "error.cli.shard", {in_quotes(text)});
}

// Aligned rows as ranges: "0-4 <- 0-4, 6-13 <- 5-12".
std::string runs_of_pairs(const Alignment& rows) {
  std::vector<std::string> out;
  const auto& to = rows.to_b;
  for (std::size_t i = 0, end = 0; i < to.size(); i = std::max(end, i + 1)) {
    if (to[i] < 0) continue;
    for (end = i + 1; end < to.size() && to[end] == to[end - 1] + 1;) ++end;
    const auto first = static_cast<std::int64_t>(i), last = static_cast<std::int64_t>(end);
    out.push_back(to_text(AxisRange{"", first, last}) + " <- " +
                  to_text(AxisRange{"", to[i], to[i] + last - first}));
  }
  return join(out, ", ");
}

// Rows of a run that are aligned with no row of the other.
std::vector<std::int64_t> rows_alone(const Alignment& rows) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < rows.to_b.size(); ++i)
    if (rows.to_b[i] < 0) out.push_back(static_cast<std::int64_t>(i));
  return out;
}

std::string in_text(const std::vector<std::int64_t>& rows) {
  std::vector<std::string> out;
  for (const std::int64_t row : rows) out.push_back(std::to_string(row));
  return out.empty() ? "-" : join(out, ", ");
}

// The alignment of the two runs: stored in the table for JSON; returned as text unless it is the identity.
std::string note_alignment(const Donor& donor, const char* into, const char* from, AnswerTable& table) {
  nlohmann::json all = nlohmann::json::array();
  std::string lines;
  for (const auto& [stack, rows] : donor.partners()) {
    const std::int64_t count = donor.from().rows(stack);
    nlohmann::json pairs = nlohmann::json::array();
    for (std::size_t i = 0; i < rows.to_b.size(); ++i)
      if (rows.to_b[i] >= 0) pairs.push_back({i, rows.to_b[i]});
    const std::vector<std::int64_t> own = rows_alone(rows), other = rows_alone(rows.reversed(count));
    all.push_back({{"stack", stack_prefix(stack)},
                   {"into", into},
                   {"from", from},
                   {"pairs", std::move(pairs)},
                   {"alone_into", own},
                   {"alone_from", other}});
    if (rows.identity() && std::ssize(rows.to_b) == count) continue;
    lines += std::string(tr("cli.ask.aligned", {std::string(stack_prefix(stack)), into, from,
                                                runs_of_pairs(rows), in_text(own), in_text(other)})) +
             "\n";
  }
  table.alignment = all.dump();
  return lines;
}

// One line per row, when there is no output file.
void print_rows(const AnswerTable& table) {
  for (const auto& [name, value] : table.totals)
    std::printf("%-40s %12.6f\n", name.c_str(), unsigned_nan(value));
  for (const AnswerRow& row : table.rows) {
    const std::string place = row.step + to_text(row.at);
    std::printf("%-40s %12.6f", place.c_str(), unsigned_nan(row.value));
    if (row.estimate)
      std::printf("   %s",
                  tr("cli.ask.row_estimate", {format("%12.6f", unsigned_nan(*row.estimate))}).c_str());
    std::printf("\n");
  }
}

Status print(const AskOptions& options, const AnswerTable& table) {
  if (options.json) std::fputs(answer_text(table).c_str(), stdout);
  if (!options.json && options.out.empty()) print_rows(table);
  return options.out.empty() ? Status(Done{}) : write_answer(options.out, table);
}

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

// Runs the sweep, or its shard, and prints it.
Status answer(const AskOptions& options, Sweep sweep, AnswerTable table) {
  if (!options.out.empty()) TRY_OK(check_answer_path(options.out));
  table.whole = std::ssize(sweep.cells());
  int part = 1, parts = 1;
  if (!options.shard.empty()) {
    TRY(const auto shard, shard_of(options.shard));
    std::tie(part, parts) = shard;
  }
  sweep.keep_shard(part, parts);
  if (options.estimate) TRY_OK(sweep.estimate());
  TRY_OK(filled(sweep, options.yes));
  for (std::size_t i = 0; i < sweep.cells().size(); ++i) {
    const SweepCell& cell = sweep.cells()[i];
    AnswerRow row{to_text(cell.site), cell.at, cell.value, {}, part - 1 + std::int64_t(i) * parts};
    if (options.estimate) row.estimate = cell.estimate;
    table.rows.push_back(std::move(row));
  }
  return print(options, table);
}

std::vector<std::string> cmd_ask_axes_of(const std::string& over) {
  return over.empty() ? std::vector<std::string>() : split(over, ',');
}

Status run_ablate(const AskOptions& options) {
  TRY(const Selector steps, Selector::parse(options.steps));
  TRY(const Knockout how, knockout_of(options.how));
  TRY(const OpenedModel opened, open_to_run(options.model));
  TRY_OK(check_runs(opened));
  TRY(const std::shared_ptr<const Trace> run, options.text.run_one(opened));
  TRY(const LogitMeasure measure, measure_of(opened, options.measure, options.at, *run));
  TRY(Sweep sweep, Sweep::ablation(opened.model, run, measure, steps, cmd_ask_axes_of(options.over), how));
  AnswerTable table{options.measure, {{"clean", sweep.base()}}, {}, 0, {}};
  table.take_edits("edits", run->edits);
  table.unknown = options.text.unknown();
  return answer(options, std::move(sweep), std::move(table));
}

Status run_patch(const AskOptions& options) {
  TRY(const Selector steps, Selector::parse(options.steps));
  TRY(const OpenedModel opened, open_to_run(options.model));
  TRY_OK(check_runs(opened));
  TRY(const Request clean_words, options.clean.request());
  TRY(const Request corrupt_words, options.corrupt.request());
  if (clean_words.empty() || corrupt_words.empty()) return fail(Code::out_of_range, "error.cli.two_inputs");
  TRY(const std::shared_ptr<const Trace> clean, options.clean.run_one(opened));
  TRY(const std::shared_ptr<const Trace> corrupt, options.corrupt.run_one(opened));
  TRY(const LogitMeasure measure, measure_of(opened, options.measure, options.at, *clean));
  LogitMeasure there = measure;  // the masked token may be at another position
  TRY(const LogitMeasure own, measure_of(opened, options.measure, options.at, *corrupt));
  there.row = own.row;
  TRY(const double on_clean, measured(measure, *clean));
  TRY(const double on_corrupt, measured(there, *corrupt));
  const bool noise = options.direction == "noise";
  TRY(Sweep sweep, Sweep::patching(opened.model, noise ? clean : corrupt, noise ? corrupt : clean,
                                   noise ? measure : there, steps, cmd_ask_axes_of(options.over)));
  AnswerTable table{options.measure, {{"clean", on_clean}, {"corrupt", on_corrupt}}, {}, 0, {}};
  table.take_edits("clean_edits", clean->edits);
  table.take_edits("corrupt_edits", corrupt->edits);
  table.unknown = options.clean.unknown();
  table.unknown.insert(table.unknown.end(), options.corrupt.unknown().begin(),
                       options.corrupt.unknown().end());
  const std::string aligned =
      note_alignment(*sweep.donor(), noise ? "clean" : "corrupt", noise ? "corrupt" : "clean", table);
  if (!options.json) std::fputs(aligned.c_str(), options.out.empty() ? stdout : stderr);
  return answer(options, std::move(sweep), std::move(table));
}

// The addends of the linear twin: rows, and what they add up to.
AnswerTable linear_answer(const LinearTwin& twin, const std::string& measure) {
  AnswerTable table{measure, {{"run", twin.run}, {"total", twin.total}, {"rest", twin.rest}},
                    {},      std::ssize(twin.parts),
                    {},      twin.held};
  for (const LogitPart& part : twin.parts)
    table.rows.push_back({part.step, target_of({{}, part.at}).at, part.value, {}, std::ssize(table.rows)});
  return table;
}

Status run_attribute(const AskOptions& options) {
  TRY(const OpenedModel opened, open_to_run(options.model));
  TRY_OK(check_runs(opened));
  TRY(const std::shared_ptr<const Trace> run, options.text.run_one(opened));
  TRY(const LogitMeasure measure, measure_of(opened, options.measure, options.at, *run));
  if (!options.graph.empty()) {
    TRY(const AttributionGraph graph, attribution_graph(*run, measure, options.least));
    TRY_OK(write_circuit(options.graph, circuit_of(opened, *run, graph, options.measure)));
    if (!options.json && options.out.empty()) return Done{};
  }
  const std::map<std::string, AttributeBy> by{{"part", AttributeBy::part},
                                              {"head", AttributeBy::head},
                                              {"token", AttributeBy::token},
                                              {"neuron", AttributeBy::neuron}};
  if (options.linear) {
    TRY(const LinearTwin twin, linear_twin(*run, measure, by.at(options.by)));
    AnswerTable table = linear_answer(twin, options.measure);
    table.take_edits("edits", run->edits);
    table.unknown = options.text.unknown();
    return print(options, table);
  }
  TRY(const Attribution found, attribute(*run, measure, by.at(options.by)));
  AnswerTable table{
      options.measure, {{"total", found.total}, {"rest", found.rest}}, {}, std::ssize(found.parts), {},
      found.held};
  table.take_edits("edits", run->edits);
  table.unknown = options.text.unknown();
  for (const LogitPart& part : found.parts)
    table.rows.push_back({part.step, target_of({{}, part.at}).at, part.value, {}, std::ssize(table.rows)});
  return print(options, table);
}

Status run_merge(const AskOptions& options) {
  std::vector<AnswerTable> parts;
  for (const std::string& path : options.parts) {
    TRY(parts.emplace_back(), read_answer(path));
    if (const Status part = check_part(parts.back()); !part) return about(path, part.error());
  }
  TRY(const AnswerTable table, joined(parts));
  TRY_OK(check_places(parts));
  return write_answer(options.out, table);
}

void add_question(CLI::App& command, AskOptions& options) {
  command.add_option("--measure", options.measure, tr("cli.ask.measure"))->required();
  command.add_option("--at", options.at, tr("cli.ask.at"))->transform(whole(0, 1 << 30));
  command.add_flag("--json", options.json, tr("cli.ask.json"));
  command.add_option("--out", options.out, tr("cli.ask.out"));
}

void add_sweep(CLI::App& command, AskOptions& options) {
  add_question(command, options);
  command.add_option("--steps", options.steps, tr("cli.ask.steps"))->capture_default_str();
  command.add_option("--over", options.over, tr("cli.ask.over"));
  command.add_flag("--estimate", options.estimate, tr("cli.ask.estimate"));
  command.add_option("--shard", options.shard, tr("cli.ask.shard"));
  command.add_flag("--yes", options.yes, tr("cli.ask.yes"));
}

}  // namespace

void add_ask(CLI::App& app, Action& action) {
  const auto add = [&](const char* name, const char* help, const char* steps,
                       Status (*run)(const AskOptions&), const auto& add_options) {
    CLI::App* command = app.add_subcommand(name, help);
    const auto options = std::make_shared<AskOptions>();
    options->steps = steps;
    add_options(*command, *options);
    command->callback([options, run, &action] { action = [options, run] { return run(*options); }; });
  };
  const auto model = [](CLI::App& command, AskOptions& options) {
    command.add_option("MODEL", options.model, tr(kModelHelp))->required();
  };
  add("ablate", tr("cli.ablate"), "*blocks.*.attn.z", run_ablate,
      [&](CLI::App& command, AskOptions& options) {
        model(command, options);
        options.text.add_to(command, false);
        add_sweep(command, options);
        command.add_option("--how", options.how, tr("cli.ask.how"));
      });
  add("patch", tr("cli.patch"), "*blocks.*.resid_pre", run_patch,
      [&](CLI::App& command, AskOptions& options) {
        model(command, options);
        options.clean.add_to(command, false, "clean-");
        options.corrupt.add_to(command, false, "corrupt-");
        add_sweep(command, options);
        command.add_option("--direction", options.direction, tr("cli.ask.direction"))
            ->check(CLI::Validator(one_word_of({"denoise", "noise"}), ""));
      });
  add("attribute", tr("cli.attribute"), "", run_attribute, [&](CLI::App& command, AskOptions& options) {
    model(command, options);
    options.text.add_to(command, false);
    add_question(command, options);
    command.add_option("--by", options.by, tr("cli.ask.by"))
        ->check(CLI::Validator(one_word_of({"part", "head", "token", "neuron"}), ""));
    command.add_flag("--linear", options.linear, tr("cli.ask.linear"));
    command.add_option("--graph", options.graph, tr("cli.ask.graph"));
    command.add_option("--least", options.least, tr("cli.ask.least"))->transform(real(0, 1));
  });
  add("merge", tr("cli.merge"), "", run_merge, [](CLI::App& command, AskOptions& options) {
    command.add_option("PART", options.parts, tr("cli.ask.parts"))->required();
    command.add_option("--out", options.out, tr("cli.ask.out"))->required();
  });
}

}  // namespace attnscope::cli
