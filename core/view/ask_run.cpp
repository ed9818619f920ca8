// A knock-out or a patch of one run as a figure: every place of the answer that the window has.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/session/measure_text.h"
#include "core/trace/editable.h"
#include "core/trace/path.h"
#include "core/view/ask_figures.h"

namespace attnscope {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

std::size_t index_in(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

std::string column_of(const SweepCell& cell) {
  if (cell.to) return receiver_text(*cell.to);
  return cell.at.empty() ? std::string() : cell.at.back().axis + " " + to_text(cell.at.back());
}

// Columns of positions have their token in the edited run behind the number.
std::vector<std::string> columns_of(const OpenedModel& opened, const SweepAnswer& answer) {
  std::vector<std::string> out;
  const Trace& run = *answer.sweep->run();
  for (const SweepCell& cell : answer.cells()) {
    std::string name = column_of(cell);
    if (!cell.to && !cell.at.empty() && is_row_axis(cell.at.back().axis)) {
      const std::int64_t row = cell.at.back().begin;
      const Stack stack = rows_stack(cell.site, Axis::pos);
      if (run.is_real(stack, row)) name = std::to_string(row) + " " + row_label(opened, run, stack, row);
    }
    out.push_back(std::move(name));
  }
  return out;
}

// Indices that name the row of a cell; of a path all of its sender.
std::vector<AxisRange> row_indices(const SweepCell& cell) {
  std::vector<AxisRange> out = cell.at;
  if (!out.empty() && !cell.to) out.pop_back();
  return out;
}

// A row's name: its block (and its head) where all rows are of one kind of step, else its step.
Text row_name_of(const SweepCell& cell, bool one_kind) {
  const std::vector<AxisRange> front = row_indices(cell);
  if (!one_kind || cell.to) return to_text(cell.site) + to_text(front);
  const Text block = Text::of("figure.ask.block", {cell.site.layer});
  return front.empty() ? block : Text::of("figure.ask.block_head", {block, to_text(front.front())});
}

}  // namespace

figure::MatrixMark place_matrix(const std::vector<SweepCell>& cells, const std::vector<double>& values,
                                figure::Scale scale, const std::vector<std::string>& columns) {
  figure::MatrixMark out;
  std::vector<std::string> rows, cols;
  std::vector<std::pair<std::size_t, std::size_t>> at;
  const bool one_kind = std::all_of(cells.begin(), cells.end(), [&](const SweepCell& cell) {
    const Site &site = cell.site, &first = cells.front().site;
    return site.stack == first.stack && site.part == first.part && site.slot == first.slot;
  });
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t row = index_in(rows, to_text(cells[i].site) + to_text(row_indices(cells[i])));
    if (row == out.rows.labels.size()) out.rows.labels.push_back(row_name_of(cells[i], one_kind));
    at.emplace_back(row, index_in(cols, columns.empty() ? column_of(cells[i]) : columns[i]));
  }
  out.scale = scale, out.most = 1e-9;
  std::vector<float> numbers(rows.size() * cols.size(), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    numbers[at[i].first * cols.size() + at[i].second] = static_cast<float>(values[i]);
    if (std::isfinite(values[i])) out.most = std::max(out.most, std::abs(values[i]));
  }
  out.values =
      Tensor::from(std::move(numbers), {{Axis::none, std::ssize(rows)}, {Axis::none, std::ssize(cols)}});
  for (const std::string& row : rows) out.own_rows.push_back({row, out.scale, out.most, out.digits});
  for (const std::string& col : cols) out.cols.labels.emplace_back(col);
  return out;
}

Result<ViewDrawing> draw_asked_run(const ViewState& state, const AskShown& shown) {
  const SweepAnswer& answer = *shown.sweep;
  const std::vector<SweepCell>& cells = answer.cells();
  const bool patch = answer.request.other.has_value();
  std::vector<double> change, value, estimate, normalised;
  std::size_t most = cells.size();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool known = answer.exact[i];
    value.push_back(known ? answer.values[i] : kNothing);
    change.push_back(value[i] - answer.base());
    normalised.push_back(known ? answer.normalised(i) : kNothing);
    estimate.push_back(answer.estimates[i]);
    if (std::isfinite(change[i]) && (most == cells.size() || std::abs(change[i]) > std::abs(change[most])))
      most = i;
  }
  if (most == cells.size()) return fail(Code::not_found, "error.view.ask_begins");
  const std::vector<Text> said{to_text(*state.opened, answer.request.measure),
                               asked_number(answer.base()),
                               cell_text(cells[most]),
                               asked_number(value[most]),
                               answer.known(),
                               std::ssize(cells),
                               shown.other,
                               asked_number(answer.donor.value_or(kNothing))};
  const std::vector<std::string> columns = columns_of(*state.opened, answer);
  const auto part = [&](const std::string& id, const std::vector<double>& numbers, int priority) {
    const std::string key = "figure.ask.run." + id;
    return figure::leaf({id,
                         place_matrix(cells, numbers, figure::Scale::diverging, columns),
                         priority,
                         {Text::of(key, said), Text::of(key + ".short")},
                         ""});
  };
  const bool scaled = patch && std::isfinite(normalised[most]);
  std::vector<std::pair<std::string, const std::vector<double>*>> parts{{"change", &change},
                                                                        {"value", &value}};
  if (scaled) parts.emplace_back("normalised", &normalised);
  const std::size_t first = scaled && shown.normalised ? 2 : shown.change ? 0 : 1;
  std::rotate(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(first),
              parts.begin() + static_cast<std::ptrdiff_t>(first) + 1);
  if (std::any_of(estimate.begin(), estimate.end(), [](double one) { return std::isfinite(one); }))
    parts.emplace_back("estimate", &estimate);
  const auto& path = answer.request.path;
  const std::string kind = path                        ? std::string(name_of_value(path->kind, kPathKinds))
                           : !patch                    ? "knock_out"
                           : answer.request.into_other ? "patch"
                                                       : "patch.back";
  const bool means = !patch && std::holds_alternative<MeanOver>(answer.request.how.value);
  const std::string key = "figure.ask.run.said." + kind + (means ? ".mean" : "");
  ViewDrawing out{{Text::of(path    ? "figure.ask.run.question.path"
                            : patch ? "figure.ask.run.question.patch"
                                    : "figure.ask.run.question")},
                  {Text::of(key, said), Text::of("figure.ask.run.said.short", said)},
                  part(parts.front().first, *parts.front().second, 3)};
  std::vector<figure::PartBox> below;
  for (std::size_t i = 1; i < parts.size(); ++i) below.push_back(part(parts[i].first, *parts[i].second, 1));
  out.below = figure::column(std::move(below));
  return out;
}

}  // namespace attnscope
