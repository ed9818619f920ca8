// attnscope-cli compare: two runs of one input step by step, the first step that differs named. Two models,
// two forms of one, or a model and what was recorded of it. Steps that cannot be compared are named too.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/answer_table.h"
#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/step_differences.h"

namespace attnscope::cli {
namespace {

struct CompareOptions {
  std::string first, second;
  SequenceOptions sequences;
  double tolerance = 1e-4;
  bool json = false;
};

// The runs of one side; a recording is what it is.
Result<Traces> runs_of(const OpenedModel& opened, const SequenceOptions& sequences) {
  if (!opened.recorded.empty()) return opened.recorded;
  TRY(const std::vector<Input> inputs, sequences.read_or_own(opened));
  TRY(const Edits edits, sequences.read_edits(opened));
  Traces out;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    TRY(out.emplace_back(), run_under(opened, edits, inputs[i], i));
  }
  return out;
}

void print_as_json(const std::vector<StepDifference>& all, const StepDifference* first, const Edits& edits) {
  nlohmann::json steps = nlohmann::json::array(), left_out = nlohmann::json::array();
  for (const StepDifference& one : all) {
    if (!one.compared()) {
      left_out.push_back({{"step", one.name()}, {"why", one.why.str()}});
      continue;
    }
    nlohmann::json at = nlohmann::json::object();
    for (const Coordinate& c : one.at) at[c.axis] = c.index;
    steps.push_back({{"step", one.name()}, {"max_abs", json_number(one.max_abs)}, {"at", std::move(at)}});
    if (one.alone > 0) steps.back()["alone"] = one.alone;
  }
  nlohmann::json out = {
      {"steps", std::move(steps)}, {"first", nullptr}, {"not_compared", std::move(left_out)}};
  if (first) out["first"] = first->name();
  put_edits(out, edits);
  std::printf("%s\n", out.dump(1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

void print_as_lines(const std::vector<StepDifference>& all, double tolerance) {
  for (const StepDifference& one : all)
    if (!one.compared())
      std::printf("%-32s %s\n", one.name().c_str(), tr("cli.compare.not_compared", {one.why.str()}).c_str());
    else
      std::printf("%-32s %12.4g  %s%s%s\n", one.name().c_str(), unsigned_nan(one.max_abs),
                  to_text(one.at).c_str(), one.max_abs > tolerance ? "  <" : "",
                  one.alone > 0
                      ? ("  " + std::string(tr("compare.alone", {std::to_string(one.alone)}))).c_str()
                      : "");
}

Status run_compare(const CompareOptions& options) {
  TRY(const OpenedModel a, open_to_run(options.first));
  TRY(const OpenedModel b, open_to_run(options.second));
  TRY(const Traces left, runs_of(a, options.sequences));
  TRY(const Traces right, runs_of(b, options.sequences));
  const std::vector<StepDifference> all = step_differences(left, right);
  const StepDifference* first = first_beyond(all, options.tolerance);
  const bool any = std::any_of(all.begin(), all.end(), [](const auto& one) { return one.compared(); });
  if (!any) return fail(Code::not_found, "error.cli.nothing_to_compare");
  if (options.json)
    print_as_json(all, first, a.recorded.empty() ? left.front()->edits : right.front()->edits);
  else
    print_as_lines(all, options.tolerance);
  if (!first) return Done{};
  return fail(
      Code::out_of_range, "error.cli.differs",
      {first->name(), format("%g", options.tolerance), format("%g", first->max_abs), to_text(first->at)});
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("compare", tr("cli.compare"));
  const auto options = std::make_shared<CompareOptions>();
  command->add_option("MODEL_A", options->first, tr(kModelHelp))->required();
  command->add_option("MODEL_B", options->second, tr("cli.compare.other"))->required();
  options->sequences.add_to(*command, true);
  command->add_option("--tolerance", options->tolerance, tr("cli.compare.tolerance"))
      ->transform(real(0, 1e30));
  command->add_flag("--json", options->json, tr("cli.json"));
  command->callback([options, &action] { action = [options] { return run_compare(*options); }; });
}

}  // namespace attnscope::cli
