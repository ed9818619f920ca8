// attnscope-cli ablate, patch, attribute over a data set: one model, one prompt after the other, several at a
// time; means, standard errors and what was asked of each prompt.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/ask_options.h"
#include "app/cli/prompt_runs.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/attribution.h"
#include "core/session/asked_measure.h"
#include "core/session/data_cells.h"
#include "core/session/data_prompt.h"

namespace attnscope::cli {
namespace {

// What was found for one prompt.
struct PromptAnswer {
  std::vector<PromptRun> runs;  // the clean one first
  std::vector<DataPlace> places;
  double base = 0;
  std::optional<double> clean, corrupt, rest;  // totals
  std::vector<std::string> held;
  std::int64_t whole = 0;  // places of all shards
};

Status prepare(const AskOptions& options, PromptRuns& data) {
  TRY_OK(data.prepare());
  return check_data_measure(options.measure);
}

// What is added up over all prompts, and the table that it makes.
class AskedTable {
 public:
  AskedTable(const AskOptions& options, PromptRuns& data, const std::vector<std::string>& over)
      : options_(options), data_(data), cells_(over, options.each || options.quantiles) {}

  Status take(const DataLine& line, const PromptAnswer& answer, bool partial) {
    for (const PromptRun& run : answer.runs) data_.tell(run);
    const Trace& run = *answer.runs.front().trace;
    if (const auto added = cells_.add(line.line, run, answer.base, answer.places, partial); !added)
      return within(line.place(data_.path()), added.error());
    if (!options_.shard.empty() && !cells_.even())
      return within(line.place(data_.path()), fail(Code::bad_shape, "error.cli.shard_uneven"));
    const auto total = [&](const char* name, const std::optional<double>& value) {
      if (!value) return;
      const auto same = [&](const auto& one) { return one.first == name; };
      auto found = std::find_if(totals_.begin(), totals_.end(), same);
      if (found == totals_.end()) found = totals_.insert(totals_.end(), {name, Spread()});
      found->second.add(*value);
    };
    total(answer.rest ? "total" : "clean", answer.clean);
    total("corrupt", answer.corrupt);
    total("rest", answer.rest);
    held_ = answer.held, whole_ = answer.whole;
    if (texts_.empty()) texts_ = texts_of(run.edits);
    return Done{};
  }

  Result<AnswerTable> table(nlohmann::json run, int part, int parts) const {
    AnswerTable out{options_.measure, {}, {}, 0, {}};
    out.held = held_;
    for (const auto& [name, spread] : totals_) {
      out.totals.emplace_back(name, spread.mean());
      if (spread.n() > 1) out.errors.emplace_back(name, spread.standard_error());
    }
    for (const DataCell& cell : cells_.cells())
      out.rows.push_back(row_of(cell, part, parts, out.rows.size()));
    out.whole = parts == 1 ? std::ssize(out.rows) : whole_;
    if (options_.each) put_each(out);
    out.unknown = data_.unknown();
    if (!texts_.empty()) out.edits["edits"] = texts_;
    run["data"] = data_.json();
    out.run = run.dump();
    TRY_OK(normalise(options_, out));
    return out;
  }

 private:
  AnswerRow row_of(const DataCell& cell, int part, int parts, std::size_t number) const {
    AnswerRow row{
        cell.step, cell.at, cell.value.mean(), {}, part - 1 + static_cast<std::int64_t>(number) * parts};
    row.n = cell.value.n();
    if (row.n > 1) row.error = cell.value.standard_error();
    if (options_.estimate || options_.only_estimate) row.estimate = cell.estimate.mean();
    if (!options_.quantiles) return row;
    std::vector<double> sorted = cell.values;
    std::sort(sorted.begin(), sorted.end());
    for (const double q : kQuantiles) row.quantiles.push_back(quantile(sorted, q));
    return row;
  }
  void put_each(AnswerTable& out) const {
    for (std::size_t prompt = 0; prompt < cells_.rows().size(); ++prompt) {
      const DataRow& row = cells_.rows()[prompt];
      for (const auto& [cell, value] : row.values)
        out.each.push_back({static_cast<std::int64_t>(prompt), row.line, cell, value, row.base});
    }
  }

  const AskOptions& options_;
  PromptRuns& data_;
  DataCells cells_;
  std::vector<std::pair<std::string, Spread>> totals_;
  std::vector<std::string> held_, texts_;
  std::int64_t whole_ = 0;
};

// Values of one sweep, or its estimates where those alone are asked for.
Status computed(const AskOptions& options, Sweep& sweep) {
  if (options.estimate || options.only_estimate) TRY_OK(sweep.estimate());
  if (!options.only_estimate) return sweep.fill();
  std::vector<double> values;
  for (const SweepCell& cell : sweep.cells()) values.push_back(cell.estimate);
  sweep.take_values(values);
  return Done{};
}

nlohmann::json method_json(const AskOptions& options) {
  return {{"steps", options.steps}, {"over", options.over_axes()}};
}

}  // namespace

Status ablate_data(const AskOptions& options, const RunModel& opened) {
  TRY(const DataKnockout how, how_asked(options));
  TRY(const auto shard, shard_asked(options));
  PromptRuns data(options.data.choice(), opened, options.text, options.text);
  TRY_OK(prepare(options, data));
  TRY(const DataSweep sweeps,
      DataSweep::prepare(data, {options.measure, options.at, options.steps, options.over_axes(), how}));
  AskedTable table(options, data, options.over_axes());
  const auto work = [&](const DataLine& line) -> Result<PromptAnswer> {
    PromptAnswer out;
    TRY(PromptSweep asked, sweeps.of(line));
    const auto at = [&](const Error& error) { return within(line.place(data.path()), error); };
    out.runs.push_back(std::move(asked.prompt));
    out.whole = std::ssize(asked.sweep.cells());
    asked.sweep.keep_shard(shard.first, shard.second);
    if (const Status done = computed(options, asked.sweep); !done) return at(done.error());
    out.places = places_of(asked.sweep), out.base = asked.sweep.base(), out.clean = asked.sweep.base();
    if (options.normalise) {
      TRY(const PromptRun corrupt, data.run(line, DataSide::corrupt));
      const auto there = measure_of(opened, asked.measure, options.at, *corrupt.trace);
      if (!there) return at(there.error());
      TRY(out.corrupt, measured(*there, *corrupt.trace));
    }
    return out;
  };
  TRY_OK(data.through<PromptAnswer>(work, [&](const DataLine& line, const PromptAnswer& answer) {
    return table.take(line, answer, sweeps.partial());
  }));
  nlohmann::json run = run_json(opened, options.model);
  run["method"] = method_json(options), run["method"]["how"] = options.how;
  if (sweeps.partial()) {
    run["seed"] = how.seed;
    for (const std::size_t partner : sweeps.partners())
      run["resampled"].push_back(data.lines()[partner].line);
  }
  TRY(const AnswerTable out, table.table(std::move(run), shard.first, shard.second));
  return give_answer(options, out);
}

Status patch_data(const AskOptions& options, const RunModel& opened) {
  TRY(const auto shard, shard_asked(options));
  PromptRuns data(options.data.choice(), opened, options.clean, options.corrupt);
  TRY_OK(prepare(options, data));
  AskedTable table(options, data, options.over_axes());
  const auto work = [&](const DataLine& line) -> Result<PromptAnswer> {
    PromptAnswer out;
    TRY(out.runs.emplace_back(), data.run(line, DataSide::clean));
    TRY(out.runs.emplace_back(), data.run(line, DataSide::corrupt));
    if (!options.noise()) std::swap(out.runs[0], out.runs[1]);  // the one that is patched first
    const auto& clean = out.runs[options.noise() ? 0 : 1].trace;
    const auto& corrupt = out.runs[options.noise() ? 1 : 0].trace;
    TRY(const std::string text, data.measure_text(line, options.measure));
    auto asked = patch_asked(opened, options, text, clean, corrupt);
    if (!asked) return within(line.place(data.path()), asked.error());
    out.whole = std::ssize(asked->sweep->cells());
    asked->sweep->keep_shard(shard.first, shard.second);
    if (const Status done = computed(options, *asked->sweep); !done)
      return within(line.place(data.path()), done.error());
    out.places = places_of(*asked->sweep), out.base = asked->sweep->base();
    out.clean = asked->clean, out.corrupt = asked->corrupt;
    return out;
  };
  TRY_OK(data.through<PromptAnswer>(work, [&](const DataLine& line, const PromptAnswer& answer) {
    return table.take(line, answer, true);
  }));
  nlohmann::json run = run_json(opened, options.model);
  run["method"] = method_json(options), run["method"]["direction"] = options.direction;
  TRY(const AnswerTable out, table.table(std::move(run), shard.first, shard.second));
  return give_answer(options, out);
}

Status attribute_data(const AskOptions& options, const RunModel& opened) {
  PromptRuns data(options.data.choice(), opened, options.text, options.text);
  TRY_OK(prepare(options, data));
  AskedTable table(options, data,
                   options.by == "token" ? std::vector<std::string>{"pos"} : std::vector<std::string>{});
  const AttributeBy by = attribute_by(options.by);
  const auto work = [&](const DataLine& line) -> Result<PromptAnswer> {
    PromptAnswer out;
    TRY(out.runs.emplace_back(), data.run(line, DataSide::clean));
    const Trace& run = *out.runs.front().trace;
    TRY(const std::string text, data.measure_text(line, options.measure));
    const auto at = [&](const Error& error) { return within(line.place(data.path()), error); };
    const auto measure = measure_of(opened, text, options.at, run);
    if (!measure) return at(measure.error());
    const auto found = attribute(run, *measure, by);
    if (!found) return at(found.error());
    out.base = found->total, out.clean = found->total, out.rest = found->rest, out.held = found->held;
    for (const LogitPart& part : found->parts)
      out.places.push_back({part.step, run.config().stack, target_of({{}, part.at}).at, part.value, 0});
    return out;
  };
  TRY_OK(data.through<PromptAnswer>(work, [&](const DataLine& line, const PromptAnswer& answer) {
    return table.take(line, answer, false);
  }));
  nlohmann::json run = run_json(opened, options.model);
  run["method"] = {{"by", options.by}};
  TRY(const AnswerTable out, table.table(std::move(run), 1, 1));
  return give_answer(options, out);
}

}  // namespace attnscope::cli
