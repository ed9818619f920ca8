// attnscope-cli path over a data set: the grid of each prompt, one prompt after the other, several at a time.
#include <algorithm>
#include <map>

#include "app/cli/answer_forms.h"
#include "app/cli/path_options.h"
#include "app/cli/prompt_runs.h"
#include "app/cli/shard.h"
#include "core/base/text.h"
#include "core/session/asked_measure.h"
#include "core/session/data_cells.h"
#include "core/session/data_prompt.h"
#include "core/trace/editable.h"
#include "core/trace/path.h"

namespace attnscope::cli {
namespace {

// What was found for one prompt.
struct PromptPaths {
  PromptRun run;
  std::vector<PathCell> cells;
  std::vector<double> bases;  // by measure
  std::int64_t whole = 0;
  std::size_t without = 0;
  std::vector<std::string> no_senders, no_receivers;

  std::vector<DataPlace> places(std::size_t measure) const {
    std::vector<DataPlace> out;
    for (const PathCell& cell : cells)
      out.push_back(path_place(cell.from, cell.to, cell.value_of(measure), cell.estimate_of(measure)));
    return out;
  }
};

// The two places of a pair again.
PathCell pair_of(const PathCell& like, const std::vector<AxisRange>& at) {
  PathCell out = like;
  const std::size_t both = like.from.at.size() + like.to.at.size();
  if (at.size() != both) {  // rows that prompts do not share are left out of its name
    const auto rows = [](const AxisRange& range) { return is_row_axis(range.axis) || range.axis == "key"; };
    std::erase_if(out.from.at, rows), std::erase_if(out.to.at, rows);
    return out;
  }
  const auto middle = at.begin() + static_cast<std::ptrdiff_t>(like.from.at.size());
  out.from.at = {at.begin(), middle};
  out.to.at = {middle, at.end()};
  return out;
}

// What is added up over all prompts by one measure.
class PathTable {
 public:
  PathTable(const PathOptions& options, std::size_t measure, const PromptRuns& data)
      : options_(options),
        measure_(measure),
        data_(data),
        cells_(options.over_axes(), options.each || options.quantiles) {}

  Status take(const DataLine& line, const PromptPaths& found) {
    const std::vector<DataPlace> places = found.places(measure_);
    const std::size_t before = cells_.cells().size();
    if (const auto added = cells_.add(line.line, *found.run.trace, found.bases[measure_], places, false);
        !added)
      return within(line.place(data_.path()), added.error());
    if (!options_.shard.empty() && !cells_.even())
      return within(line.place(data_.path()), fail(Code::bad_shape, "error.cli.shard_uneven"));
    for (std::size_t i = 0; i < places.size() && cells_.cells().size() > pairs_.size(); ++i)
      if (places[i].step == cells_.cells()[pairs_.size()].step &&
          places[i].at == cells_.cells()[pairs_.size()].at)
        pairs_.push_back(found.cells[i]);
    if (before == 0) edits_ = found.run.trace->edits, without_ = found.without;
    whole_ = found.whole;
    return Done{};
  }

  nlohmann::json answer(const Shard& shard) const {
    const std::int64_t whole = shard.all() ? std::ssize(cells_.cells()) : whole_;
    const std::vector<std::int64_t> index = shard.rows(whole);
    nlohmann::json out = {{"measure", options_.measures[measure_]},
                          {"kind", options_.kind},
                          {"base", {{"clean", json_number(cells_.base().mean())}}},
                          {"rows", nlohmann::json::array()}};
    if (cells_.base().n() > 1) out["base_stderr"]["clean"] = json_number(cells_.base().standard_error());
    for (std::size_t i = 0; i < cells_.cells().size(); ++i) {
      nlohmann::json row = row_json(i);
      if (!shard.all()) row["index"] = index[i];
      out["rows"].push_back(std::move(row));
    }
    if (!shard.all()) out["whole"] = whole;
    if (without_ > 0) out["without_path"] = without_;
    if (options_.each) put_each(out);
    put_edits(out, edits_);
    put_unknown(out, data_.unknown());
    put_agreement(out);
    return out;
  }

 private:
  nlohmann::json names(std::size_t i) const {
    const PathCell pair = pair_of(pairs_[i], cells_.cells()[i].at);
    return {{"from", to_text(pair.from)}, {"to", receiver_text(pair.to)}};
  }
  nlohmann::json row_json(std::size_t i) const {
    const DataCell& cell = cells_.cells()[i];
    nlohmann::json row = names(i);
    row["value"] = json_number(cell.value.mean());
    row["stderr"] = cell.value.n() > 1 ? json_number(cell.value.standard_error()) : nlohmann::json();
    row["n"] = cell.value.n();
    if (options_.estimate) row["estimate"] = json_number(cell.estimate.mean());
    if (!options_.quantiles) return row;
    std::vector<double> sorted = cell.values;
    std::sort(sorted.begin(), sorted.end());
    for (const double q : kQuantiles) row["quantiles"][quantile_name(q)] = json_number(quantile(sorted, q));
    return row;
  }
  void put_each(nlohmann::json& out) const {
    out["each"] = nlohmann::json::array();
    for (std::size_t prompt = 0; prompt < cells_.rows().size(); ++prompt) {
      const DataRow& of = cells_.rows()[prompt];
      for (const auto& [cell, value] : of.values) {
        nlohmann::json one = names(cell);
        one["prompt"] = prompt + 1, one["line"] = of.line;
        one["value"] = json_number(value), one["clean"] = json_number(of.base);
        out["each"].push_back(std::move(one));
      }
    }
  }

  const PathOptions& options_;
  std::size_t measure_;
  const PromptRuns& data_;
  DataCells cells_;
  std::vector<PathCell> pairs_;  // as each cell was first seen
  Edits edits_;
  std::int64_t whole_ = 0;
  std::size_t without_ = 0;
};

}  // namespace

Status path_data(const PathOptions& options, const RunModel& opened) {
  if (options.most > 0) return fail(Code::out_of_range, "error.cli.path_data_most");
  TRY(const Shard shard, Shard::parse(options.shard));
  TRY(const Selector from, Selector::parse(options.from));
  TRY(const Selector to, Selector::parse(options.to));
  PromptRuns data(options.data.choice(), opened, options.text, options.text);
  TRY_OK(data.prepare());
  for (const std::string& measure : options.measures) TRY_OK(check_data_measure(measure));
  std::vector<PathTable> tables;
  for (std::size_t i = 0; i < options.measures.size(); ++i) tables.emplace_back(options, i, data);
  const auto work = [&](const DataLine& line) -> Result<PromptPaths> {
    PromptPaths out;
    TRY(out.run, data.run(line, DataSide::clean));
    const auto at = [&](const Error& error) { return within(line.place(data.path()), error); };
    std::vector<LogitMeasure> measures;
    for (const std::string& asked : options.measures) {
      TRY(const std::string text, data.measure_text(line, asked));
      auto measure = measure_of(opened, text, options.at, *out.run.trace);
      if (!measure) return at(measure.error());
      measures.push_back(*std::move(measure));
    }
    auto grid = PathGrid::make(opened.model, out.run.trace, measures.front(), from, to, options.path_kind(),
                               options.over_axes());
    if (!grid) return at(grid.error());
    for (std::size_t i = 1; i < measures.size(); ++i)
      if (const Status added = grid->add_measure(measures[i]); !added) return at(added.error());
    for (std::size_t i = 0; i < measures.size(); ++i) out.bases.push_back(grid->base(i));
    out.whole = std::ssize(grid->cells()), out.without = grid->without_path();
    out.no_senders = grid->no_senders(), out.no_receivers = grid->no_receivers();
    grid->keep(shard.rows(out.whole));
    if (options.estimate)
      if (const Status done = grid->estimate(); !done) return at(done.error());
    if (const Status done = grid->fill(); !done) return at(done.error());
    out.cells = grid->cells();
    return out;
  };
  std::vector<std::string> no_senders, no_receivers;
  const auto take = [&](const DataLine& line, const PromptPaths& found) -> Status {
    data.tell(found.run);
    no_senders = found.no_senders, no_receivers = found.no_receivers;
    for (PathTable& table : tables) TRY_OK(table.take(line, found));
    return Done{};
  };
  TRY_OK(data.through<PromptPaths>(work, take));
  std::vector<nlohmann::json> answers;
  for (const PathTable& table : tables) answers.push_back(table.answer(shard));
  nlohmann::json out = joined_measures(answers);
  nlohmann::json& made = out["run"] = run_json(opened, options.model);
  made["data"] = data.json();
  made["method"] = {
      {"from", options.from}, {"to", options.to}, {"kind", options.kind}, {"over", options.over_axes()}};
  tell_left_out(no_senders, no_receivers, made);
  return give_paths(options, out);
}

}  // namespace attnscope::cli
