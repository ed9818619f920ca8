// attnscope-cli path: senders by receivers along the residual stream, one number for every pair.
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/answer_table.h"
#include "app/cli/command.h"
#include "app/cli/part_files.h"
#include "app/cli/rows_file.h"
#include "app/cli/shard.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/paths.h"
#include "core/session/asked_measure.h"
#include "core/trace/path.h"

namespace attnscope::cli {
namespace {

struct PathOptions {
  std::string model, measure, from, to, kind = "direct", over, shard, out;
  std::int64_t at = -1;
  std::size_t most = 0;
  bool json = false, estimate = false;
  SequenceOptions text;
};

// `index`: of each cell among all of the grid; empty where they are all.
nlohmann::json paths_json(const PathGrid& grid, const PathOptions& options, bool estimate, const Trace& run,
                          const std::vector<std::int64_t>& index, std::int64_t whole) {
  nlohmann::json rows = nlohmann::json::array();
  const bool part = std::ssize(index) < whole;
  for (std::size_t i = 0; i < grid.cells().size(); ++i) {
    const PathCell& cell = grid.cells()[i];
    nlohmann::json row = {{"from", to_text(cell.from)}, {"to", receiver_text(cell.to)}};
    if (!std::isnan(cell.value) || !estimate) row["value"] = json_number(cell.value);
    if (estimate) row["estimate"] = json_number(cell.estimate);
    if (part) row["index"] = index[i];
    rows.push_back(std::move(row));
  }
  nlohmann::json out = {{"measure", options.measure},
                        {"kind", options.kind},
                        {"base", {{"clean", json_number(grid.base())}}},
                        {"rows", std::move(rows)}};
  if (part) out["whole"] = whole;
  if (grid.without_path() > 0) out["without_path"] = grid.without_path();
  put_edits(out, run.edits);
  put_unknown(out, options.text.unknown());
  return out;
}

void print_paths(const PathGrid& grid, bool estimate) {
  std::printf("%-66s %12.6f\n", "clean", grid.base());
  for (const PathCell& cell : grid.cells()) {
    const std::string pair = to_text(cell.from) + " -> " + receiver_text(cell.to);
    std::printf("%-66s %12.6f", pair.c_str(), unsigned_nan(cell.value));
    if (estimate)
      std::printf("   %s",
                  tr("cli.ask.row_estimate", {format("%12.6f", unsigned_nan(cell.estimate))}).c_str());
    std::printf("\n");
  }
  if (grid.without_path() > 0)
    std::printf("%s\n", tr("cli.path.without", {std::to_string(grid.without_path())}).c_str());
}

Status run_path(const PathOptions& options) {
  TRY_OK(check_rows_path(options.out));
  TRY(const Shard shard, Shard::parse(options.shard));
  if (!shard.all() && options.most > 0) return fail(Code::out_of_range, "error.cli.path_shard_most");
  TRY(const Selector from, Selector::parse(options.from));
  TRY(const Selector to, Selector::parse(options.to));
  TRY(const RunModel opened, open_to_run(options.model));
  TRY_OK(check_runs(opened));
  TRY(const std::shared_ptr<const Trace> run, options.text.run_one(opened));
  TRY(const LogitMeasure measure, measure_of(opened, options.measure, options.at, *run));
  const std::vector<std::string> over =
      options.over.empty() ? std::vector<std::string>() : split(options.over, ',');
  const PathKind kind = options.kind == "total" ? PathKind::total : PathKind::direct;
  TRY(PathGrid grid, PathGrid::make(opened.model, run, measure, from, to, kind, over));
  const std::int64_t whole = std::ssize(grid.cells());
  const std::vector<std::int64_t> index = shard.rows(whole);
  grid.keep(index);
  const bool estimate = options.estimate || options.most > 0;
  if (estimate) TRY_OK(grid.estimate());
  TRY_OK(grid.fill(options.most));
  nlohmann::json out = paths_json(grid, options, estimate, *run, index, whole);
  nlohmann::json& made = out["run"] = run_json(opened, options.model);
  made["inputs"]["text"] = input_json(opened, *run);
  made["measure"] = measure_json(opened, measure, *run);
  made["method"] = {{"from", options.from}, {"to", options.to}, {"kind", options.kind}, {"over", over}};
  if (options.json) print_json(out);
  if (!options.json && options.out.empty()) print_paths(grid, estimate);
  return options.out.empty() ? Status(Done{}) : write_path(out, options.out);
}

}  // namespace

void add_path(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("path", tr("cli.path"));
  const auto options = std::make_shared<PathOptions>();
  options->from = "embed,blocks.*.attn.z,blocks.*.mlp.out";
  options->to = "blocks.*.attn.q,blocks.*.attn.k,blocks.*.attn.v,blocks.*.mlp.out,logits";
  command->add_option("MODEL", options->model, tr(kModelHelp))->required();
  options->text.add_to(*command, false);
  command->add_option("--from", options->from, tr("cli.path.from"))->capture_default_str();
  command->add_option("--to", options->to, tr("cli.path.to"))->capture_default_str();
  command->add_option("--kind", options->kind, tr("cli.path.kind"))
      ->check(CLI::Validator(one_word_of({"direct", "total"}), ""));
  command->add_option("--measure", options->measure, tr("cli.ask.measure"))->required();
  command->add_option("--at", options->at, tr("cli.ask.at"))->transform(whole(0, 1 << 30));
  command->add_option("--over", options->over, tr("cli.path.over"));
  command->add_flag("--estimate", options->estimate, tr("cli.path.estimate"));
  command->add_option("--most", options->most, tr("cli.path.most"))->transform(whole(0, 1 << 30));
  command->add_option("--shard", options->shard, tr("cli.ask.shard"));
  command->add_flag("--json", options->json, tr("cli.ask.json"));
  command->add_option("--out", options->out, tr("cli.path.out"));
  command->callback([options, &action] { action = [options] { return run_path(*options); }; });
}

}  // namespace attnscope::cli
