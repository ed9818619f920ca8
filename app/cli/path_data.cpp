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
  std::vector<DataPlace> places;
  std::vector<PathCell> cells;
  double base = 0;
  std::int64_t whole = 0;
  std::size_t without = 0;
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

class PathTable {
 public:
  PathTable(const PathOptions& options, const PromptRuns& data)
      : options_(options), data_(data), cells_(options.over_axes(), options.each || options.quantiles) {}

  Status take(const DataLine& line, const PromptPaths& found) {
    data_.tell(found.run);
    const std::size_t before = cells_.cells().size();
    if (const auto added = cells_.add(line.line, *found.run.trace, found.base, found.places, false); !added)
      return within(line.place(data_.path()), added.error());
    if (!options_.shard.empty() && !cells_.even())
      return within(line.place(data_.path()), fail(Code::bad_shape, "error.cli.shard_uneven"));
    for (std::size_t i = 0; i < found.places.size() && cells_.cells().size() > pairs_.size(); ++i)
      if (found.places[i].step == cells_.cells()[pairs_.size()].step &&
          found.places[i].at == cells_.cells()[pairs_.size()].at)
        pairs_.push_back(found.cells[i]);
    if (before == 0) edits_ = found.run.trace->edits, without_ = found.without;
    whole_ = found.whole;
    return Done{};
  }

  nlohmann::json answer(const Shard& shard) const {
    const std::int64_t whole = shard.all() ? std::ssize(cells_.cells()) : whole_;
    const std::vector<std::int64_t> index = shard.rows(whole);
    nlohmann::json out = {{"measure", options_.measure},
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
  TRY_OK(check_data_measure(options.measure));
  PathTable table(options, data);
  const auto work = [&](const DataLine& line) -> Result<PromptPaths> {
    PromptPaths out;
    TRY(out.run, data.run(line, DataSide::clean));
    TRY(const std::string text, data.measure_text(line, options.measure));
    const auto at = [&](const Error& error) { return within(line.place(data.path()), error); };
    const auto measure = measure_of(opened, text, options.at, *out.run.trace);
    if (!measure) return at(measure.error());
    auto grid = PathGrid::make(opened.model, out.run.trace, *measure, from, to, options.path_kind(),
                               options.over_axes());
    if (!grid) return at(grid.error());
    out.whole = std::ssize(grid->cells()), out.base = grid->base(), out.without = grid->without_path();
    grid->keep(shard.rows(out.whole));
    if (options.estimate)
      if (const Status done = grid->estimate(); !done) return at(done.error());
    if (const Status done = grid->fill(); !done) return at(done.error());
    out.cells = grid->cells();
    for (const PathCell& cell : out.cells)
      out.places.push_back(path_place(cell.from, cell.to, cell.value, cell.estimate));
    return out;
  };
  TRY_OK(data.through<PromptPaths>(
      work, [&](const DataLine& line, const PromptPaths& found) { return table.take(line, found); }));
  nlohmann::json out = table.answer(shard);
  nlohmann::json& made = out["run"] = run_json(opened, options.model);
  made["data"] = data.json();
  made["method"] = {
      {"from", options.from}, {"to", options.to}, {"kind", options.kind}, {"over", options.over_axes()}};
  return give_paths(options, out);
}

}  // namespace attnscope::cli
