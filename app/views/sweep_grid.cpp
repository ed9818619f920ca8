// The cells of a sweep as a matrix: which rows and columns there are.
#include <algorithm>
#include <cmath>

#include "app/views/ask_grid.h"

namespace attnscope {

std::int64_t sweep_row_head(const SweepCell& cell) { return cell.at.size() > 1 ? cell.at.front().begin : -1; }

namespace {

using GridRow = std::pair<Site, std::int64_t>;  // site and head

bool same_row(const GridRow& a, const GridRow& b, bool parts) {
  if (a.first.stack != b.first.stack || a.first.layer != b.first.layer || a.second != b.second) return false;
  return parts || (a.first.part == b.first.part && a.first.slot == b.first.slot);
}

// Later blocks are higher up; encoder and vision tower below the stack that reads them.
bool above(const Site& a, const Site& b) {
  const auto rank = [](Stack stack) { return stack == Stack::enc || stack == Stack::vision ? 0 : 1; };
  if (a.stack != b.stack) return rank(a.stack) > rank(b.stack);
  if (a.layer != b.layer) return a.layer > b.layer;
  return a.part > b.part;
}

}  // namespace

std::int64_t sweep_column(const SweepGrid& grid, const SweepCell& cell) {
  if (!cell.at.empty()) return cell.at.back().begin / grid.group;
  for (std::size_t i = 0; i < grid.parts.size(); ++i)
    if (grid.parts[i] == cell.site.slot && grid.cross[i] == (cell.site.part == Part::cross))
      return static_cast<std::int64_t>(i);
  return 0;
}

namespace {

std::size_t link_index(std::vector<Target>& known, const Target& where) {
  const auto found = std::find(known.begin(), known.end(), where);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  known.push_back(where);
  return known.size() - 1;
}

// Senders of later blocks are higher up.
SweepGrid path_grid(const std::vector<SweepCell>& cells) {
  SweepGrid out;
  std::vector<Target> from, to;
  std::vector<std::pair<std::size_t, std::size_t>> at;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    at.emplace_back(link_index(from, cells[i].place()), link_index(to, *cells[i].to));
    if (from.size() > out.senders.size()) out.senders.push_back(i);
    if (to.size() > out.receivers.size()) out.receivers.push_back(i);
  }
  std::reverse(out.senders.begin(), out.senders.end());
  for (const std::size_t sender : out.senders) out.rows.push_back(cells[sender].site);
  out.heads.assign(out.rows.size(), -1);
  out.cols = std::ssize(to);
  out.cell.assign(out.rows.size() * to.size(), -1);
  for (std::size_t i = 0; i < cells.size(); ++i)
    out.cell[(from.size() - 1 - at[i].first) * to.size() + at[i].second] = static_cast<std::int64_t>(i);
  return out;
}

}  // namespace

SweepGrid SweepGrid::of(const std::vector<SweepCell>& cells) {
  SweepGrid out;
  if (cells.empty()) return out;
  if (cells.front().to) return path_grid(cells);
  out.over = cells.front().at.empty() ? std::string() : cells.front().at.back().axis;
  const bool parts = out.over.empty();
  if (!parts) out.group = cells.front().at.back().end - cells.front().at.back().begin;
  std::vector<GridRow> rows;
  const auto row_of_cell = [&](const SweepCell& cell) {
    return std::find_if(rows.begin(), rows.end(), [&](const GridRow& row) {
      return same_row(row, {cell.site, sweep_row_head(cell)}, parts);
    });
  };
  for (const SweepCell& cell : cells) {
    if (row_of_cell(cell) == rows.end()) rows.emplace_back(cell.site, sweep_row_head(cell));
    const bool cross = cell.site.part == Part::cross;
    bool known = !parts;
    for (std::size_t i = 0; i < out.parts.size(); ++i)
      known |= out.parts[i] == cell.site.slot && out.cross[i] == cross;
    if (!known) out.parts.push_back(cell.site.slot), out.cross.push_back(cross);
    if (!parts) out.cols = std::max(out.cols, sweep_column(out, cell) + 1);
  }
  if (parts) out.cols = std::ssize(out.parts);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const GridRow& a, const GridRow& b) { return above(a.first, b.first); });
  out.cell.assign(rows.size() * static_cast<std::size_t>(out.cols), -1);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::int64_t at = (row_of_cell(cells[i]) - rows.begin()) * out.cols + sweep_column(out, cells[i]);
    out.cell[static_cast<std::size_t>(at)] = static_cast<std::int64_t>(i);
  }
  for (const auto& [site, head] : rows) {
    out.rows.push_back(site);
    out.heads.push_back(head);
  }
  return out;
}

Tensor SweepGrid::values(const SweepAnswer& answer, CellsShown show) const {
  std::vector<float> out(cell.size(), kMasked);
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] < 0) continue;
    const auto at = static_cast<std::size_t>(cell[i]);
    const double value = show.normalised ? answer.normalised(at) : answer.shown(at, show.change, show.spread);
    if ((answer.exact[at] && !show.spread) || !std::isnan(value)) out[i] = static_cast<float>(value);
  }
  return Tensor::from(std::move(out), {{Axis::none, std::ssize(rows)}, {Axis::none, cols}});
}

}  // namespace attnscope
