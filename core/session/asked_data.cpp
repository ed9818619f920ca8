#include "core/session/asked_data.h"

#include <algorithm>
#include <limits>

#include "core/trace/editable.h"

namespace attnscope {
namespace {

constexpr double kNoMean = std::numeric_limits<double>::quiet_NaN();

// What was found for one prompt.
struct FoundPlaces {
  std::shared_ptr<const Trace> run;
  double base = 0;
  std::vector<DataPlace> places;
  std::shared_ptr<const Sweep> sweep;
  std::optional<double> donor = {};
};

Result<FoundPlaces> estimated(const DataSweep& sweeps, const DataLine& line,
                              const std::atomic<bool>& cancel) {
  TRY(PromptSweep asked, sweeps.of(line, &cancel));
  TRY_OK(asked.sweep.estimate());
  FoundPlaces out{asked.prompt.trace, asked.sweep.base(), places_of(asked.sweep), nullptr, asked.donor};
  for (DataPlace& place : out.places) place.value = place.estimate;
  out.sweep = std::make_shared<const Sweep>(std::move(asked.sweep));
  return out;
}

Result<FoundPlaces> exact(const DataSweep& sweeps, const DataLine& line, const std::atomic<bool>& cancel) {
  TRY(PromptSweep asked, sweeps.of(line, &cancel));
  TRY_OK(asked.sweep.fill({}, &cancel));
  if (cancel) return fail(Code::cancelled, "error.model.stopped");
  FoundPlaces out{asked.prompt.trace, asked.sweep.base(), places_of(asked.sweep), nullptr, asked.donor};
  out.sweep = std::make_shared<const Sweep>(std::move(asked.sweep));
  return out;
}

// "blocks.0.attn.z->blocks.1.attn.split_q" at the indices of both: heads that read stand last.
void split_path(const std::string& step, std::size_t arrow, SweepCell& cell) {
  const auto from = parse_site(step.substr(0, arrow)), to = parse_site(step.substr(arrow + 2));
  if (!from || !to) return;
  cell.site = *from;
  cell.to = Target{Target::Kind::step, *to, {}, {}};
  if (!to->is(StepRole::split) || cell.at.empty()) return;
  cell.to->at = {cell.at.back()};
  cell.at.pop_back();
}

bool goes_over_rows(const std::vector<std::string>& over) {
  return std::any_of(over.begin(), over.end(),
                     [](const std::string& axis) { return is_row_axis(axis.substr(0, axis.find(':'))); });
}

std::vector<SweepCell> sweep_cells(const std::vector<DataCell>& cells) {
  std::vector<SweepCell> out;
  for (const DataCell& cell : cells) {
    const auto site = parse_site(cell.step);
    out.push_back({site ? *site : Site{}, cell.at, cell.value.mean(), cell.estimate.mean()});
    const std::size_t arrow = cell.step.find("->");
    if (arrow != std::string::npos) split_path(cell.step, arrow, out.back());
  }
  return out;
}

class DataAnswering {
 public:
  DataAnswering(SweepAnswer& now, const std::atomic<bool>& cancel, const DataFollower& follower)
      : now_(now), cancel_(cancel), follower_(follower) {}

  Status carry_out() {
    const DataAsked& asked = *now_.request.data;
    if (!now_.work) {
      auto work = std::make_shared<DataWork>(*asked.prompts, asked.start);
      if (goes_over_rows(asked.question.over)) {
        TRY_OK(work->runs.keep_one_length(asked.question.patch == PatchInto::corrupt ? DataSide::corrupt
                                                                                     : DataSide::clean));
        work->other_length = work->runs.left_out();
      }
      TRY(DataSweep sweeps, DataSweep::prepare(work->runs, asked.question, &cancel_));
      work->sweeps.emplace(std::move(sweeps));
      now_.work = std::move(work);
    }
    if (!now_.data) TRY_OK(estimate());
    return fill();
  }

 private:
  // Adds prompt after prompt to `cells`; `publish` puts them into the answer.
  template <class Publish>
  Status through(Result<FoundPlaces> (*work)(const DataSweep&, const DataLine&, const std::atomic<bool>&),
                 DataCells& cells, bool exact, Publish publish) {
    const DataSweep& sweeps = *now_.work->sweeps;
    const Status done = now_.work->runs.through<FoundPlaces>(
        [&](const DataLine& line) { return work(sweeps, line, cancel_); },
        [&](const DataLine& line, const FoundPlaces& found) -> Status {
          const Status added = cells.add(line.line, *found.run, found.base, found.places, sweeps.partial());
          if (!added) return within(line.place(now_.work->runs.path()), added.error());
          if (!now_.sweep) now_.sweep = found.sweep;
          auto& donors = now_.work->donors;
          if (found.donor && donors.size() < cells.rows().size()) donors.push_back(*found.donor);
          if (!follower_.due(exact)) return Done{};
          publish();
          take_donors(cells.rows().size());
          return follower_.show() ? Status(Done{}) : Status(fail(Code::cancelled, "error.model.stopped"));
        },
        cells.rows().size(), 1);
    publish();
    take_donors(cells.rows().size());
    return done;
  }
  void take_donors(std::size_t prompts) {
    Spread known;
    for (std::size_t i = 0; i < std::min(prompts, now_.work->donors.size()); ++i)
      known.add(now_.work->donors[i]);
    if (known.n() > 0) now_.donor = known.mean();
  }

  // One backward pass of each prompt. Where a prompt has none, exact values come without estimates.
  Status estimate() {
    DataCells cells(now_.request.over, true);
    const Status done = through(estimated, cells, false, [&] {
      now_.places = sweep_cells(cells.cells());
      now_.values.assign(now_.places.size(), kNoMean);
      now_.exact.assign(now_.places.size(), false);
      now_.estimates.clear();
      for (const DataCell& cell : cells.cells()) now_.estimates.push_back(cell.value.mean());
      now_.estimate_base = cells.base().mean(), now_.estimated = cells.base().n();
    });
    if (done) now_.work->estimates = std::make_shared<const DataCells>(std::move(cells));
    if (done || cancel_ || done.error().code() == Code::cancelled) return done;
    now_.no_estimate = done.error();
    now_.estimates.assign(now_.places.size(), kNoMean);
    return Done{};
  }

  Status fill() {
    DataCells cells = now_.data ? *now_.data : DataCells(now_.request.over, true);
    return through(exact, cells, true, [&] {
      if (cells.base().n() == 0) return;
      now_.places = sweep_cells(cells.cells());
      now_.values.clear();
      for (const DataCell& cell : cells.cells()) now_.values.push_back(cell.value.mean());
      now_.exact.assign(now_.places.size(), true);
      take_estimates(cells.rows().size());
      now_.data = std::make_shared<const DataCells>(cells);
    });
  }

  // The means of the estimates of the first prompts, whose exact values are known: of the same prompts both
  // can be compared.
  void take_estimates(std::size_t prompts) {
    same_.resize(now_.places.size());
    const DataCells* all = now_.work->estimates.get();
    for (; all && taken_ < std::min(prompts, all->rows().size()); ++taken_)
      for (const auto& [cell, value] : all->rows()[taken_].values)
        if (cell < same_.size()) same_[cell].add(value);
    now_.estimates.clear();
    for (const Spread& one : same_) now_.estimates.push_back(one.mean());
  }

  std::vector<Spread> same_;
  std::size_t taken_ = 0;
  SweepAnswer& now_;
  const std::atomic<bool>& cancel_;
  const DataFollower& follower_;
};

}  // namespace

std::int64_t SweepAnswer::prompts() const {
  if (!over_data()) return 0;
  return std::ssize(request.data->prompts->lines) - (work ? work->runs.left_out() : 0);
}

std::int64_t SweepAnswer::other_length() const { return work ? work->other_length : 0; }

Status answer_over_data(SweepAnswer& answer, const std::atomic<bool>& cancel, const DataFollower& follower) {
  return DataAnswering(answer, cancel, follower).carry_out();
}

}  // namespace attnscope
