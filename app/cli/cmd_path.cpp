// attnscope-cli path: senders by receivers along the residual stream, one number for every pair.
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/answer_forms.h"
#include "app/cli/answer_run.h"
#include "app/cli/answer_table.h"
#include "app/cli/command.h"
#include "app/cli/part_files.h"
#include "app/cli/path_options.h"
#include "app/cli/rows_file.h"
#include "app/cli/shard.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/paths.h"
#include "core/session/asked_measure.h"
#include "core/trace/path.h"

namespace attnscope::cli {
namespace {

// `index`: of each cell among all of the grid; empty where they are all.
nlohmann::json paths_json(const PathGrid& grid, std::size_t measure, const PathOptions& options,
                          bool estimate, const Trace& run, const std::vector<std::int64_t>& index,
                          std::int64_t whole) {
  nlohmann::json rows = nlohmann::json::array();
  const bool part = std::ssize(index) < whole;
  for (std::size_t i = 0; i < grid.cells().size(); ++i) {
    const PathCell& cell = grid.cells()[i];
    nlohmann::json row = {{"from", to_text(cell.from)}, {"to", receiver_text(cell.to)}};
    const double value = cell.value_of(measure);
    if (!std::isnan(value) || !estimate) row["value"] = json_number(value);
    if (estimate) row["estimate"] = json_number(cell.estimate_of(measure));
    if (part) row["index"] = index[i];
    rows.push_back(std::move(row));
  }
  nlohmann::json out = {{"measure", options.measures[measure]},
                        {"kind", options.kind},
                        {"base", {{"clean", json_number(grid.base(measure))}}},
                        {"rows", std::move(rows)}};
  if (part) out["whole"] = whole;
  if (grid.without_path() > 0) out["without_path"] = grid.without_path();
  put_edits(out, run.edits);
  put_unknown(out, options.text.unknown());
  put_agreement(out);
  return out;
}

void print_paths(const nlohmann::json& answer) {
  const auto number = [](const nlohmann::json& row, const char* name) {
    return row.contains(name) && row[name].is_number() ? row[name].get<double>() : kUnknownAnswer;
  };
  const auto clean = [&](const nlohmann::json& base) {
    say(format("%-66s %12.6f\n", "clean", number(base, "clean")));
  };
  const bool several = answer.contains("measures");
  if (!several) clean(answer["base"]);
  std::string of;  // the measure of the rows above
  for (const nlohmann::json& row : answer["rows"]) {
    if (several && row["measure"] != of) {
      of = row["measure"].get<std::string>();
      say(printable(of, kMostOfSentence) + "\n");
      clean(answer["base"][of]);
    }
    const std::string pair = row["from"].get<std::string>() + " -> " + row["to"].get<std::string>();
    std::string line = format("%-66s %12.6f", pair.c_str(), unsigned_nan(number(row, "value")));
    if (row.contains("n"))
      line += (row["stderr"].is_number() ? format("   ± %-10.6f", number(row, "stderr")) : "") +
              format("   n %lld", row["n"].get<long long>());
    if (row.contains("estimate"))
      line += "   " + tr("cli.ask.row_estimate", {format("%12.6f", unsigned_nan(number(row, "estimate")))});
    say(line + "\n");
  }
  if (!several) say(agreement_line(answer));
  if (answer.contains("without_path")) say(tr("cli.path.without", {answer["without_path"].dump()}) + "\n");
}

Status run_path(const PathOptions& options) {
  TRY_OK(check_rows_path(options.out));
  TRY(const Shard shard, Shard::parse(options.shard));
  if (!shard.all() && options.most > 0) return fail(Code::out_of_range, "error.cli.path_shard_most");
  TRY(const Selector from, Selector::parse(options.from));
  TRY(const Selector to, Selector::parse(options.to));
  TRY(const RunModel opened, open_to_run(options.model));
  TRY_OK(check_runs(opened));
  if ((options.each || options.quantiles) && !options.data.given())
    return fail(Code::out_of_range, "error.cli.path_each");
  TRY_OK(check_measures(options));
  if (options.data.given()) return path_data(options, opened);
  TRY(const std::shared_ptr<const Trace> run, options.text.run_one(opened));
  std::vector<LogitMeasure> measures;
  for (const std::string& text : options.measures) {
    TRY(measures.emplace_back(), measure_of(opened, text, options.at, *run));
  }
  const std::vector<std::string> over = options.over_axes();
  TRY(PathGrid grid,
      PathGrid::make(opened.model, run, measures.front(), from, to, options.path_kind(), over));
  for (std::size_t i = 1; i < measures.size(); ++i) TRY_OK(grid.add_measure(measures[i]));
  const std::int64_t whole = std::ssize(grid.cells());
  const std::vector<std::int64_t> index = shard.rows(whole);
  grid.keep(index);
  const bool estimate = options.estimate || options.most > 0;
  if (estimate) TRY_OK(grid.estimate());
  TRY_OK(grid.fill(options.most));
  std::vector<nlohmann::json> answers;
  for (std::size_t i = 0; i < measures.size(); ++i)
    answers.push_back(paths_json(grid, i, options, estimate, *run, index, whole));
  nlohmann::json out = joined_measures(answers);
  nlohmann::json& made = out["run"] = run_json(opened, options.model);
  made["inputs"]["text"] = input_json(opened, *run);
  if (measures.size() == 1) made["measure"] = measure_json(opened, measures.front(), *run);
  if (measures.size() > 1)
    for (const LogitMeasure& one : measures) made["measures"].push_back(measure_json(opened, one, *run));
  made["method"] = {{"from", options.from}, {"to", options.to}, {"kind", options.kind}, {"over", over}};
  tell_left_out(grid.no_senders(), grid.no_receivers(), made);
  return give_paths(options, out);
}

}  // namespace

std::vector<std::string> PathOptions::over_axes() const {
  std::vector<std::string> axes = over.empty() ? std::vector<std::string>() : split(over, ',');
  std::erase_if(axes,
                [](const std::string& axis) { return axis == "head" || axis == "head?"; });  // as always
  return axes;
}

Status check_measures(const PathOptions& options) {
  const bool json = options.json || options.out.ends_with(".json");
  if (options.quantiles && !json && options.out.empty())
    return fail(Code::unsupported, "error.cli.each_form");
  if (options.each && !json)
    return fail(Code::unsupported, options.out.empty() ? "error.cli.each_form" : "error.cli.path_each_form");
  const bool several = options.measures.size() > 1;
  return several && !options.shard.empty() ? Status(fail(Code::out_of_range, "error.cli.measures_shard"))
                                           : Status(Done{});
}

nlohmann::json joined_measures(const std::vector<nlohmann::json>& answers) {
  nlohmann::json out = answers.front();
  if (answers.size() == 1) return out;
  for (const char* of_one : {"measure", "base", "base_stderr", "rows", "each", "estimate_r"})
    out.erase(of_one);
  for (const nlohmann::json& one : answers) {
    const auto measure = one["measure"].get<std::string>();
    out["measures"].push_back(measure);
    for (const char* total : {"base", "base_stderr", "estimate_r"})
      if (one.contains(total)) out[total][measure] = one[total];
    for (const char* list : {"rows", "each"})
      for (nlohmann::json row : one.value(list, nlohmann::json::array())) {
        row["measure"] = measure;
        out[list].push_back(std::move(row));
      }
  }
  return out;
}

void tell_left_out(const std::vector<std::string>& senders, const std::vector<std::string>& receivers,
                   nlohmann::json& run) {
  const auto tell = [&](const char* end, const std::vector<std::string>& steps, const char* key) {
    if (steps.empty()) return;
    run["left_out"][end] = steps;
    std::fprintf(
        stderr, "attnscope-cli: %s\n",
        printable(tr(key, {std::to_string(steps.size()), join(steps, ", ")}), kMostOfSentence).c_str());
  };
  tell("from", senders, "cli.path.left_out.from");
  tell("to", receivers, "cli.path.left_out.to");
}

Status give_paths(const PathOptions& options, const nlohmann::json& answer) {
  if (options.json) print_json(answer);
  if (!options.json && options.out.empty()) print_paths(answer);
  return options.out.empty() ? Status(Done{}) : write_path(answer, options.out);
}

void add_path(CLI::App& app, Action& action) {
  const auto [command, options] = new_command(app, action, "path", tr("cli.path"), run_path);
  options->from = "embed,blocks.*.attn.z,blocks.*.mlp.out";
  options->to = "blocks.*.attn.q,blocks.*.attn.k,blocks.*.attn.v,blocks.*.mlp.out,logits";
  command->add_option("MODEL", options->model, tr(kModelHelp))->required();
  options->text.add_to(*command, false);
  options->data.add_to(*command);
  command->add_option("--from", options->from, tr("cli.path.from"))->capture_default_str();
  command->add_option("--to", options->to, tr("cli.path.to"))->capture_default_str();
  command->add_option("--kind", options->kind, tr("cli.path.kind"))->check(word_of({"direct", "total"}));
  add_measures(*command, options->measures);
  command->add_option("--at", options->at, tr("cli.ask.at"))->transform(whole(0, 1 << 30));
  command->add_option("--over", options->over, tr("cli.path.over"));
  command->add_flag("--estimate", options->estimate, tr("cli.path.estimate"));
  command->add_option("--most", options->most, tr("cli.path.most"))->transform(whole(0, 1 << 30));
  command->add_option("--shard", options->shard, tr("cli.ask.shard"));
  command->add_flag("--each", options->each, tr("cli.ask.each"));
  command->add_flag("--quantiles", options->quantiles, tr("cli.ask.quantiles"));
  command->add_flag("--json", options->json, tr("cli.ask.json"));
  command->add_option("--out", options->out, tr("cli.path.out"));
}

}  // namespace attnscope::cli
