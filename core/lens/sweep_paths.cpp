// Paths as a sweep: its cells are those of a PathGrid.
#include "core/lens/sweep.h"
#include "core/trace/path.h"

namespace attnscope {

std::string cell_text(const SweepCell& cell) {
  const std::string from = to_text(cell.site) + to_text(cell.at);
  return cell.to ? from + "->" + receiver_text(*cell.to) : from;
}

Result<Sweep> Sweep::paths(std::shared_ptr<const Model> model, std::shared_ptr<const Trace> run,
                           LogitMeasure measure, const Selector& from, const Selector& to, PathKind kind,
                           const std::vector<std::string>& over) {
  TRY(PathGrid grid, PathGrid::make(model, run, measure, from, to, kind, over));
  Sweep out(std::move(model), std::move(run), std::move(measure));
  out.measures_.bases = {grid.base()};
  for (const PathCell& cell : grid.cells())
    out.cells_.push_back({cell.from.site, cell.from.at, cell.value, cell.estimate, {}, cell.to});
  out.paths_ = std::make_shared<const PathGrid>(std::move(grid));
  return out;
}

Result<Edits> Sweep::edits(std::size_t cell) const {
  if (paths_) return paths_->edits(cell);
  return Edits{edit(cell)};
}

Status Sweep::estimate_paths() {
  PathGrid grid = *paths_;
  TRY_OK(grid.estimate());
  for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i].estimate = grid.cells()[i].estimate;
  paths_ = std::make_shared<const PathGrid>(std::move(grid));
  return Done{};
}

// What is known is not run again.
Status Sweep::fill_paths(const std::function<bool(std::size_t)>& done, const std::atomic<bool>* cancel) {
  PathGrid grid = *paths_;
  std::vector<double> known;
  for (const SweepCell& cell : cells_) known.push_back(cell.value);
  grid.take_values(known);
  return grid.fill(
      0,
      [&](std::size_t cell) {
        cells_[cell].value = grid.cells()[cell].value;
        return !done || done(cell);
      },
      cancel);
}

}  // namespace attnscope
