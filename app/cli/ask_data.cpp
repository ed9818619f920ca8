// attnscope-cli ablate, patch, attribute over a data set: one model, one prompt after the other, several at a
// time; means, standard errors and what was asked of each prompt.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/ask_options.h"
#include "app/cli/prompt_runs.h"
#include "app/cli/shard.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/attribution.h"
#include "core/lens/linear_twin.h"
#include "core/session/asked_measure.h"
#include "core/session/data_cells.h"
#include "core/session/data_prompt.h"
#include "core/session/data_sweep.h"

namespace attnscope::cli {
namespace {

// What was found for one prompt.
struct PromptAnswer {
  std::vector<PromptRun> runs;  // the clean one first
  std::int64_t whole = 0;       // places of all shards
  struct ByMeasure {
    std::vector<DataPlace> places;
    double base = 0;
    std::optional<double> clean, corrupt, rest;  // totals
    std::vector<std::string> held;
  };
  std::vector<ByMeasure> measures;
  std::int64_t alone_into = 0, alone_from = 0;  // of a patch: positions without a partner
};

// Positions of both sides that belong to none of the other.
void count_alone(const Donor& donor, PromptAnswer& out) {
  for (const auto& [stack, rows] : donor.partners()) {
    out.alone_into += std::ssize(rows.to_b) - rows.matched();
    out.alone_from += donor.from().rows(stack) - rows.matched();
  }
}

Status prepare(const AskOptions& options, PromptRuns& data) {
  TRY_OK(check_measures(options));
  TRY_OK(data.prepare());
  for (const std::string& measure : options.measures) TRY_OK(check_data_measure(measure));
  return Done{};
}

// What is added up over all prompts by one measure, and the table that it makes.
class AskedTable {
 public:
  AskedTable(const AskOptions& options, std::size_t measure, PromptRuns& data,
             const std::vector<std::string>& over)
      : options_(options), measure_(measure), data_(data), cells_(over, options.each || options.quantiles) {}

  Status take(const DataLine& line, const PromptAnswer& of_prompt, bool partial) {
    const PromptAnswer::ByMeasure& answer = of_prompt.measures[measure_];
    const Trace& run = *of_prompt.runs.front().trace;
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
    held_ = answer.held, whole_ = of_prompt.whole;
    if (options_.each) cleans_.push_back(answer.clean.value_or(answer.base));
    if (texts_.empty()) texts_ = texts_of(run.edits);
    return Done{};
  }

  Result<AnswerTable> table(nlohmann::json run, const Shard& shard) const {
    AnswerTable out{options_.measures[measure_], {}, {}, 0, {}};
    out.held = held_;
    out.estimates_alone = options_.only_estimate;
    for (const auto& [name, spread] : totals_) {
      out.totals.emplace_back(name, spread.mean());
      if (spread.n() > 1) out.errors.emplace_back(name, spread.standard_error());
    }
    out.whole = shard.all() ? std::ssize(cells_.cells()) : whole_;
    const std::vector<std::int64_t> rows = shard.rows(out.whole);
    for (const DataCell& cell : cells_.cells()) out.rows.push_back(row_of(cell, rows[out.rows.size()]));
    if (options_.each) put_each(out);
    out.unknown = data_.unknown();
    if (!texts_.empty()) out.edits["edits"] = texts_;
    run["data"] = data_.json();
    out.run = run.dump();
    TRY_OK(normalise(options_, out));
    return out;
  }

 private:
  AnswerRow row_of(const DataCell& cell, std::int64_t index) const {
    AnswerRow row{cell.step, cell.at, cell.value.mean(), {}, index};
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
        out.each.push_back({static_cast<std::int64_t>(prompt), row.line, cell, value, cleans_[prompt]});
    }
  }

  const AskOptions& options_;
  std::size_t measure_;
  PromptRuns& data_;
  DataCells cells_;
  std::vector<std::pair<std::string, Spread>> totals_;
  std::vector<double> cleans_;  // the measure of each prompt's clean run
  std::vector<std::string> held_, texts_;
  std::int64_t whole_ = 0;
};

// A table for each measure.
class AskedTables {
 public:
  AskedTables(const AskOptions& options, PromptRuns& data, const std::vector<std::string>& over)
      : data_(data) {
    for (std::size_t i = 0; i < options.measures.size(); ++i) all_.emplace_back(options, i, data, over);
  }
  Status take(const DataLine& line, const PromptAnswer& answer, bool partial) {
    for (const PromptRun& run : answer.runs) data_.tell(run);
    for (AskedTable& one : all_) TRY_OK(one.take(line, answer, partial));
    return Done{};
  }
  Result<std::vector<AnswerTable>> tables(const nlohmann::json& run, const Shard& shard) const {
    std::vector<AnswerTable> out;
    for (const AskedTable& one : all_) {
      TRY(out.emplace_back(), one.table(run, shard));
    }
    return out;
  }

 private:
  PromptRuns& data_;
  std::vector<AskedTable> all_;
};

// The measures of a line, with its answers.
Result<std::vector<std::string>> measure_texts(const AskOptions& options, const PromptRuns& data,
                                               const DataLine& line) {
  std::vector<std::string> out;
  for (const std::string& measure : options.measures) {
    TRY(out.emplace_back(), data.measure_text(line, measure));
  }
  return out;
}

// Values of one sweep, or its estimates where those alone are asked for.
Status computed(const AskOptions& options, Sweep& sweep) {
  if (options.estimate || options.only_estimate) TRY_OK(sweep.estimate());
  if (!options.only_estimate) return sweep.fill();
  sweep.take_estimates();
  return Done{};
}

std::vector<PromptAnswer::ByMeasure> by_measure(const AskOptions& options, const Sweep& sweep) {
  std::vector<PromptAnswer::ByMeasure> out;
  for (std::size_t i = 0; i < options.measures.size(); ++i)
    out.push_back({places_of(sweep, i), sweep.base(i), sweep.base(i), {}, {}, {}});
  return out;
}

// Who wrote the measure of one run, or its linear twin.
Result<Attribution> parts_by(const AskOptions& options, const Trace& run, const LogitMeasure& measure) {
  const AttributeBy by = attribute_by(options.by);
  if (!options.linear) return attribute(run, measure, by);
  TRY(LinearTwin twin, linear_twin(run, measure, by));
  Attribution out;
  out.total = twin.total, out.rest = twin.rest;
  out.parts = std::move(twin.parts), out.held = std::move(twin.held);
  return out;
}

nlohmann::json method_json(const AskOptions& options) {
  nlohmann::json out{{"steps", options.steps}, {"over", options.over_axes()}};
  if (options.only_estimate) out["only_estimate"] = true;
  return out;
}

}  // namespace

Status ablate_data(const AskOptions& options, const RunModel& opened) {
  TRY(const DataKnockout how, how_asked(options.how, options.data.given(), options.data.seed()));
  TRY(const Shard shard, Shard::parse(options.shard));
  PromptRuns data(options.data.choice(), opened, options.text, options.text);
  TRY_OK(prepare(options, data));
  TRY(const DataSweep sweeps, DataSweep::prepare(data, {options.measures.front(), options.at, options.steps,
                                                        options.over_axes(), how}));
  AskedTables table(options, data, options.over_axes());
  const auto work = [&](const DataLine& line) -> Result<PromptAnswer> {
    PromptAnswer out;
    TRY(PromptSweep asked, sweeps.of(line));
    TRY(const std::vector<std::string> texts, measure_texts(options, data, line));
    const auto at = [&](const Error& error) { return within(line.place(data.path()), error); };
    for (std::size_t i = 1; i < texts.size(); ++i) {
      const auto more = measure_of(opened, texts[i], options.at, *asked.prompt.trace);
      if (!more) return at(more.error());
      if (const Status added = asked.sweep.add_measure(*more); !added) return at(added.error());
    }
    out.runs.push_back(std::move(asked.prompt));
    out.whole = std::ssize(asked.sweep.cells());
    asked.sweep.keep(shard.rows(out.whole));
    if (const Status done = computed(options, asked.sweep); !done) return at(done.error());
    out.measures = by_measure(options, asked.sweep);
    if (options.normalise) {
      TRY(const PromptRun corrupt, data.run(line, DataSide::corrupt));
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto there = measure_of(opened, texts[i], options.at, *corrupt.trace);
        if (!there) return at(there.error());
        TRY(out.measures[i].corrupt, measured(*there, *corrupt.trace));
      }
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
    data.put_resampled(sweeps.partners(), run);
  }
  TRY(const std::vector<AnswerTable> out, table.tables(run, shard));
  return give_answer(options, out);
}

Status patch_data(const AskOptions& options, const RunModel& opened) {
  TRY(const Shard shard, Shard::parse(options.shard));
  PromptRuns data(options.data.choice(), opened, options.clean, options.corrupt);
  TRY_OK(prepare(options, data));
  AskedTables table(options, data, options.over_axes());
  const auto work = [&](const DataLine& line) -> Result<PromptAnswer> {
    PromptAnswer out;
    TRY(out.runs.emplace_back(), data.run(line, DataSide::clean));
    TRY(out.runs.emplace_back(), data.run(line, DataSide::corrupt));
    if (!options.noise()) std::swap(out.runs[0], out.runs[1]);  // the one that is patched first
    const auto& clean = out.runs[options.noise() ? 0 : 1].trace;
    const auto& corrupt = out.runs[options.noise() ? 1 : 0].trace;
    TRY(const std::vector<std::string> texts, measure_texts(options, data, line));
    auto asked = patch_asked(opened, options, texts, clean, corrupt);
    if (!asked) return within(line.place(data.path()), asked.error());
    out.whole = std::ssize(asked->sweep->cells());
    asked->sweep->keep(shard.rows(out.whole));
    if (const Status done = computed(options, *asked->sweep); !done)
      return within(line.place(data.path()), done.error());
    count_alone(*asked->sweep->donor(), out);
    out.measures = by_measure(options, *asked->sweep);
    for (std::size_t i = 0; i < texts.size(); ++i)
      out.measures[i].clean = asked->clean[i], out.measures[i].corrupt = asked->corrupt[i];
    return out;
  };
  std::int64_t pairs = 0, into = 0, from = 0;  // with positions without a partner, and those
  TRY_OK(data.through<PromptAnswer>(work, [&](const DataLine& line, const PromptAnswer& answer) {
    pairs += answer.alone_into + answer.alone_from > 0 ? 1 : 0;
    into += answer.alone_into, from += answer.alone_from;
    return table.take(line, answer, true);
  }));
  nlohmann::json run = run_json(opened, options.model);
  run["method"] = method_json(options), run["method"]["direction"] = options.direction;
  if (pairs > 0) {
    const std::int64_t clean = options.noise() ? into : from, corrupt = options.noise() ? from : into;
    run["without_partner"] = {{"pairs", pairs}, {"clean", clean}, {"corrupt", corrupt}};
    std::fprintf(stderr, "attnscope-cli: %s\n",
                 tr("cli.data.alone", {std::to_string(pairs), std::to_string(clean), std::to_string(corrupt)})
                     .c_str());
  }
  TRY(const std::vector<AnswerTable> out, table.tables(run, shard));
  return give_answer(options, out);
}

Status attribute_data(const AskOptions& options, const RunModel& opened) {
  if (!options.graph.empty()) return fail(Code::unsupported, "error.cli.graph_data");
  PromptRuns data(options.data.choice(), opened, options.text, options.text);
  TRY_OK(prepare(options, data));
  AskedTables table(options, data,
                    options.by == "token" ? std::vector<std::string>{"pos"} : std::vector<std::string>{});
  const auto work = [&](const DataLine& line) -> Result<PromptAnswer> {
    PromptAnswer out;
    TRY(out.runs.emplace_back(), data.run(line, DataSide::clean));
    const Trace& run = *out.runs.front().trace;
    TRY(const std::vector<std::string> texts, measure_texts(options, data, line));
    const auto at = [&](const Error& error) { return within(line.place(data.path()), error); };
    for (const std::string& text : texts) {
      const auto measure = measure_of(opened, text, options.at, run);
      if (!measure) return at(measure.error());
      const auto found = parts_by(options, run, *measure);
      if (!found) return at(found.error());
      auto& one = out.measures.emplace_back(
          PromptAnswer::ByMeasure{{}, found->total, found->total, {}, found->rest, found->held});
      for (const LogitPart& part : found->parts)
        one.places.push_back({part.step, run.config().stack, target_of({{}, part.at}).at, part.value, 0});
    }
    return out;
  };
  TRY_OK(data.through<PromptAnswer>(work, [&](const DataLine& line, const PromptAnswer& answer) {
    return table.take(line, answer, false);
  }));
  nlohmann::json run = run_json(opened, options.model);
  run["method"] = {{"by", options.by}, {"linear", options.linear}};
  TRY(const std::vector<AnswerTable> out, table.tables(run, Shard()));
  return give_answer(options, out);
}

}  // namespace attnscope::cli
