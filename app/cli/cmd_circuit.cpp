// attnscope-cli circuit: how much of a measure some parts of the model bring about alone, over a data set;
// and the curve over the number of parts that are kept, best first.
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/answer_table.h"
#include "app/cli/ask_options.h"
#include "app/cli/command.h"
#include "app/cli/csv_text.h"
#include "app/cli/prompt_runs.h"
#include "app/cli/rows_file.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/data_prompt.h"
#include "core/session/kept_circuit.h"
#include "core/session/named_circuits.h"
#include "core/session/prompt_list.h"
#include "core/session/session_file.h"

namespace attnscope::cli {
namespace {

struct KeptOptions {
  std::string model, measure, keep, circuit, how = "mean", by = "exact", parts = "nodes", from, to, name,
                                             into, out;
  std::int64_t at = -1;
  std::size_t best = 0;
  bool curve = false, json = false;
  SequenceOptions text;
  DataOptions data;

  bool paths() const { return parts == "edges" || keep.find("->") != std::string::npos; }
};

// The parts that are to be kept; empty: the curve is asked for. A named circuit brings its measure along,
// where none is given.
Result<std::vector<std::string>> asked_parts(KeptOptions& options, const RunModel& opened) {
  if (options.circuit.empty()) return circuit_parts(options.keep);
  const NamedCircuit* found = opened.session ? circuit_named(*opened.session, options.circuit) : nullptr;
  if (found && options.measure.empty()) options.measure = found->measure;
  if (found) return found->parts;
  std::vector<std::string> known;
  if (opened.session)
    for (const NamedCircuit& one : opened.session->circuits) known.push_back(in_quotes(one.name));
  return fail(Code::not_found, known.empty() ? "error.cli.circuit.none" : "error.cli.circuit.name",
              {in_quotes(options.circuit), join(known, ", ")});
}

void put_kept_spread(nlohmann::json& out, const Spread& spread) {
  out["value"] = json_number(spread.mean());
  out["stderr"] = spread.n() > 1 ? json_number(spread.standard_error()) : nlohmann::json();
  out["n"] = spread.n();
}

nlohmann::json circuit_json(const KeptOptions& options, const CircuitAnswer& found,
                            const std::vector<std::string>& kept) {
  nlohmann::json out = {
      {"measure", options.measure},
      {"parts", options.paths() ? "edges" : "nodes"},
      {"how", options.how},
      {"all", found.parts.size()},
      {"base", {{"full", json_number(found.full.mean())}, {"none", json_number(found.none.mean())}}},
      {"rows", nlohmann::json::array()}};
  if (found.full.n() > 1)
    out["base_stderr"] = {{"full", json_number(found.full.standard_error())},
                          {"none", json_number(found.none.standard_error())}};
  if (found.effects.empty()) out["keep"] = kept;
  for (std::size_t i = 0; i < found.points.size(); ++i) {
    nlohmann::json row = {{"kept", found.points[i].kept}};
    if (i > 0)
      row["part"] = found.effects[i - 1].part, row["effect"] = json_number(found.effects[i - 1].effect);
    put_kept_spread(row, found.points[i].value);
    row["recovered"] = json_number(found.recovered(found.points[i].value));
    out["rows"].push_back(std::move(row));
  }
  return out;
}

std::string circuit_csv(const nlohmann::json& answer) {
  const auto number = [](const nlohmann::json& row, const char* name) {
    if (!row.contains(name) || row[name].is_null()) return std::string(",");
    return csv_number(row[name].is_number() ? row[name].get<double>()
                                            : std::numeric_limits<double>::quiet_NaN());
  };
  std::string out = "kept,part,effect,value,stderr,n,recovered,full,none\n";
  for (const nlohmann::json& row : answer["rows"])
    out += row["kept"].dump() + "," + csv_field(row.value("part", std::string())) + number(row, "effect") +
           number(row, "value") + number(row, "stderr") + "," + row["n"].dump() + number(row, "recovered") +
           number(answer["base"], "full") + number(answer["base"], "none") + "\n";
  return out;
}

void print_circuit(const CircuitAnswer& found) {
  say(format("%-66s %12.6f\n%-66s %12.6f\n", tr("cli.circuit.full"), found.full.mean(),
             tr("cli.circuit.none"), found.none.mean()));
  for (std::size_t i = 0; i < found.points.size(); ++i) {
    const KeptPoint& point = found.points[i];
    const std::string part = i > 0 ? "+ " + found.effects[i - 1].part : std::string();
    say(format("%5lld %-60s %12.6f %8.4f\n", static_cast<long long>(point.kept), part.c_str(),
               unsigned_nan(point.value.mean()), unsigned_nan(found.recovered(point.value))));
  }
}

// A session with the circuit in it: that which was opened, or a new one of the model.
Status save_circuit(const KeptOptions& options, const RunModel& opened, std::vector<std::string> parts) {
  Document document =
      opened.session ? *opened.session : new_document(std::make_shared<const OpenedModel>(opened));
  nlohmann::json look = nlohmann::json::object();
  if (opened.session && is_session_path(options.model)) {
    TRY(const SessionFile before, read_session(options.model));
    look = before.look();
  }
  TRY_OK(put_circuit(document, {options.name, std::move(parts), options.measure}));
  return save_session(options.into, document, look);
}

Status check_circuit(const KeptOptions& options) {
  TRY_OK(check_rows_path(options.out));
  const int asked = (options.keep.empty() ? 0 : 1) + (options.circuit.empty() ? 0 : 1) +
                    (options.curve || options.best > 0 ? 1 : 0);
  if (asked != 1) return fail(Code::bad_format, "error.cli.circuit.one");
  if (options.name.empty() != options.into.empty() ||
      (!options.into.empty() && !is_session_path(options.into)))
    return fail(Code::bad_format, "error.cli.circuit.into");
  if (options.measure.empty() && options.circuit.empty())
    return fail(Code::bad_format, "error.cli.circuit.measure");
  return options.measure.empty() ? Status(Done{}) : check_data_measure(options.measure);
}

Status run_circuit(KeptOptions& options) {
  TRY_OK(check_circuit(options));
  TRY(const RunModel opened, open_to_run(options.model));
  TRY(std::vector<std::string> parts, asked_parts(options, opened));
  if (options.measure.empty()) return fail(Code::bad_format, "error.cli.circuit.measure");
  TRY_OK(check_data_measure(options.measure));
  TRY(const DataChoice choice, data_or_own(options.data, opened));
  PromptRuns data(choice, opened, options.text, options.text);
  TRY_OK(data.prepare());
  const bool paths = options.paths() || (!parts.empty() && parts.front().find("->") != std::string::npos);
  if (!paths && !options.to.empty()) return fail(Code::bad_format, "error.cli.circuit.to");
  CircuitQuestion question;
  question.data.measure = options.measure, question.data.at = options.at;
  TRY(question.data.how, how_asked(options.how, true, choice.seed));
  question.data.steps = !options.from.empty() ? options.from : paths ? kCircuitSenders : kCircuitNodes;
  if (paths) question.to = options.to.empty() ? kCircuitReceivers : options.to;
  question.estimate = options.by == "attribution";
  TRY(CircuitRuns runs, CircuitRuns::prepare(data, question));
  std::optional<CircuitAnswer> found;
  if (parts.empty()) {
    TRY(found, runs.curve(options.best));
    const auto best = static_cast<std::size_t>(found->points.back().kept);
    for (std::size_t i = 0; i < best; ++i) parts.push_back(found->effects[i].part);
  } else {
    TRY(found, runs.keep(parts));
    parts = runs.kept_names();
  }
  nlohmann::json out = circuit_json(options, *found, parts);
  out["parts"] = paths ? "edges" : "nodes";
  put_unknown(out, data.unknown());
  nlohmann::json& run = out["run"] = run_json(opened, options.model);
  run["data"] = data.json();
  if (!runs.partners().empty()) run["seed"] = choice.seed;
  data.put_resampled(runs.partners(), run);
  run["method"] = {
      {"steps", question.data.steps}, {"to", question.to}, {"how", options.how}, {"by", options.by}};
  if (!options.into.empty()) TRY_OK(save_circuit(options, opened, parts));
  if (options.json) print_json(out);
  if (!options.json && options.out.empty()) print_circuit(*found);
  return write_rows(options.out, out, circuit_csv(out));
}

}  // namespace

void add_circuit(CLI::App& app, Action& action) {
  const auto [command, options] = new_command(app, action, "circuit", tr("cli.circuit"), run_circuit);
  command->add_option("MODEL", options->model, tr(kModelHelp))->required();
  CLI::Option* const keep = command->add_option("--keep", options->keep, tr("cli.circuit.keep"));
  CLI::Option* const circuit = command->add_option("--circuit", options->circuit, tr("cli.circuit.circuit"));
  command->add_flag("--curve", options->curve, tr("cli.circuit.curve"));
  command->add_option("--best", options->best, tr("cli.circuit.best"))->transform(whole(1, 1 << 20));
  command->add_option("--parts", options->parts, tr("cli.circuit.parts"))->check(word_of({"nodes", "edges"}));
  command->add_option("--steps,--from", options->from, tr("cli.circuit.from"));
  command->add_option("--to", options->to, tr("cli.circuit.to"));
  command->add_option("--how", options->how, tr("cli.circuit.how"));
  command->add_option("--by", options->by, tr("cli.circuit.by"))
      ->check(word_of({"exact", "attribution"}))
      ->excludes(keep, circuit);
  command->add_option("--measure", options->measure, tr("cli.circuit.measure"));
  command->add_option("--at", options->at, tr("cli.ask.at"))->transform(whole(0, 1 << 30));
  options->data.add_to(*command, true);
  options->text.add_to(*command, false);
  command->add_option("--name", options->name, tr("cli.circuit.name"));
  command->add_option("--into", options->into, tr("cli.circuit.into"));
  command->add_flag("--json", options->json, tr("cli.ask.json"));
  command->add_option("--out", options->out, tr("cli.path.out"));
}

}  // namespace attnscope::cli
