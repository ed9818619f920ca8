// attnscope-cli why: one score as a sum over who wrote the query and who wrote the key.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/answer_table.h"
#include "app/cli/command.h"
#include "app/cli/csv_text.h"
#include "app/cli/rows_file.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/attribution.h"
#include "core/trace/place_cells.h"

namespace attnscope::cli {
namespace {

struct WhyOptions {
  std::string model, cell, by = "head", out;
  std::size_t most = 0;
  bool json = false, loadings = false;
  SequenceOptions text;
};

struct WhyRow {
  std::string query, key;
  double value = 0;
};

struct WhyCell {
  Site site;
  std::int64_t head = 0, query = 0, key = 0;
};

Result<WhyCell> why_cell(const Trace& run, const std::string& text) {
  TRY(PlaceText place, parse_place(text));
  TRY(const std::vector<Target> found, targets_of(run, place));
  const Target& where = found.front();
  WhyCell out{where.site, 0, 0, 0};
  for (const auto& [axis, to] :
       {std::pair("head", &out.head), std::pair("query", &out.query), std::pair("key", &out.key)}) {
    const AxisRange* range = range_on(where.at, axis);
    if (found.size() != 1 || !range || range->end != range->begin + 1)
      return fail(Code::bad_format, "error.cli.why_cell", {in_quotes(text)});
    *to = range->begin;
  }
  return out;
}

std::vector<WhyRow> rows_of_split(const ScoreSplit& split, std::size_t most) {
  std::vector<WhyRow> out;
  for (std::size_t i = 0; i < split.values.size(); ++i)
    out.push_back({split.query_sources[i / split.key_sources.size()],
                   split.key_sources[i % split.key_sources.size()], split.values[i]});
  std::stable_sort(out.begin(), out.end(),
                   [](const WhyRow& a, const WhyRow& b) { return std::fabs(a.value) > std::fabs(b.value); });
  if (most > 0) out.resize(std::min(out.size(), most));
  return out;
}

Status put_why(const WhyOptions& options, const nlohmann::json& out, const std::string& csv) {
  if (options.json) print_json(out);
  return write_rows(options.out, out, csv);
}

Status why_loadings(const WhyOptions& options, const Trace& run, const WhyCell& cell,
                    const nlohmann::json& made) {
  TRY(const ScoreLoadings found, score_loadings(run, cell.site, cell.head, cell.query, cell.key));
  nlohmann::json rows = nlohmann::json::array();
  std::string csv = "direction,singular,query,key,value\n";
  const bool print = !options.json && options.out.empty();
  if (print)
    std::printf(
        "%s %12.6f\n%s %12.6f\n%s", heading({"total", -10}).c_str(), found.total,
        heading({"bias", -10}).c_str(), found.bias,
        headings({{"direction", -10}, {"singular", 12}, {"query", 12}, {"key", 12}, {"value", 12}}).c_str());
  for (std::size_t i = 0; i < found.directions.size(); ++i) {
    const ScoreLoading& one = found.directions[i];
    rows.push_back({{"direction", i},
                    {"singular", one.singular},
                    {"query", one.query},
                    {"key", one.key},
                    {"value", one.value}});
    csv += std::to_string(i) + csv_number(one.singular) + csv_number(one.query) + csv_number(one.key) +
           csv_number(one.value) + "\n";
    if (print)
      std::printf("%-10zu %12.6f %12.6f %12.6f %12.6f\n", i, one.singular, one.query, one.key, one.value);
  }
  nlohmann::json out = {{"cell", options.cell}, {"total", found.total},    {"bias", found.bias},
                        {"rest", found.rest},   {"rows", std::move(rows)}, {"run", made}};
  put_edits(out, run.edits);
  put_unknown(out, options.text.unknown());
  return put_why(options, out, csv);
}

Status run_why(const WhyOptions& options) {
  TRY_OK(check_rows_path(options.out));
  TRY(const RunModel opened, open_to_run(options.model));
  TRY_OK(check_runs(opened));
  TRY(const std::shared_ptr<const Trace> run, options.text.run_one(opened));
  TRY(const WhyCell cell, why_cell(*run, options.cell));
  nlohmann::json made = run_json(opened, options.model);
  made["inputs"]["text"] = input_json(opened, *run);
  made["method"] = {{"cell", options.cell}, {"by", options.loadings ? "loadings" : options.by}};
  if (options.loadings) return why_loadings(options, *run, cell, made);
  const ScoreBy by = options.by == "part"    ? ScoreBy::part
                     : options.by == "token" ? ScoreBy::token
                                             : ScoreBy::head;
  TRY(const ScoreSplit split, split_score(*run, cell.site, cell.head, cell.query, cell.key, by));
  nlohmann::json rows = nlohmann::json::array();
  std::string csv = "query,key,value\n";
  const bool print = !options.json && options.out.empty();
  if (print)
    std::printf("%s%s %12.6f\n", headings({{"query", -36}, {"key", -35}, {"value", 12}}).c_str(),
                heading({"total", -72}).c_str(), unsigned_nan(split.total));
  for (const WhyRow& row : rows_of_split(split, options.most)) {
    rows.push_back({{"query", row.query}, {"key", row.key}, {"value", row.value}});
    csv += csv_field(row.query) + "," + csv_field(row.key) + csv_number(row.value) + "\n";
    if (print)
      std::printf("%-35s  %-35s %12.6f\n", row.query.c_str(), row.key.c_str(), unsigned_nan(row.value));
  }
  nlohmann::json out = {{"cell", options.cell}, {"by", options.by},        {"total", split.total},
                        {"rest", split.rest},   {"rows", std::move(rows)}, {"run", made}};
  put_edits(out, run->edits);
  put_unknown(out, options.text.unknown());
  return put_why(options, out, csv);
}

}  // namespace

void add_why(CLI::App& app, Action& action) {
  const auto [command, options] = new_command(app, action, "why", tr("cli.why"), run_why);
  command->add_option("MODEL", options->model, tr(kModelHelp))->required();
  options->text.add_to(*command, false);
  command->add_option("--cell", options->cell, tr("cli.why.cell"))->required();
  command->add_option("--by", options->by, tr("cli.why.by"))->check(word_of({"part", "head", "token"}));
  command->add_option("--most", options->most, tr("cli.why.most"))->transform(whole(0, 1 << 30));
  command->add_flag("--loadings", options->loadings, tr("cli.why.loadings"));
  command->add_flag("--json", options->json, tr("cli.ask.json"));
  command->add_option("--out", options->out, tr("cli.path.out"));
}

}  // namespace attnscope::cli
