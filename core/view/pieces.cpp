// Pieces that several views are made of.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/lens/attention_plane.h"
#include "core/session/document.h"
#include "core/step/place.h"
#include "core/trace/run_mask.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

constexpr float kSmallWeights = 0.05f;  // of a whole row: two digits would say 0.00 of most of them

constexpr double kSmallScores = 0.1, kMiddlingScores = 1;  // largest of a plane: below, more digits

// "mat 6"; "5 (3)" where the word ends in a digit itself.
std::string with_place(const std::string& label, std::int64_t row) {
  const bool digit = !label.empty() && label.back() >= '0' && label.back() <= '9';
  return label + (digit ? " (" + std::to_string(row) + ")" : " " + std::to_string(row));
}

}  // namespace

Text row_name(const ViewState& state, Stack stack, std::int64_t row) {
  const std::string name = row_label(*state.opened, *state.run, stack, row);
  const bool number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  return number && state.run->ids_of(stack).empty() ? Text::of("figure.token", {name}) : Text(name);
}

figure::Names row_names(const ViewState& state, Stack stack, figure::Ink ink, std::int64_t looked) {
  figure::Names out;
  out.ink = ink, out.looked = static_cast<int>(looked);
  for (std::int64_t row = 0; row < state.run->rows(stack); ++row)
    out.labels.push_back(row_name(state, stack, row));
  const bool source = stack == Stack::enc && state.run->config().encoder();
  for (const auto& [row, word] : source ? state.run->input.source_typed : state.run->input.typed)
    if (stack == state.run->config().stack || source) out.struck.push_back(static_cast<int>(row));
  return out;
}

Text told_apart(const ViewState& state, Stack stack, std::int64_t row) {
  const std::vector<int>& ids = state.run->ids_of(stack);
  if (row < 0 || row >= std::ssize(ids) || !state.run->is_real(stack, row))
    return row_name(state, stack, row);
  const std::string out = row_label(*state.opened, *state.run, stack, row);
  const int id = ids[static_cast<std::size_t>(row)];
  for (std::int64_t other = 0; other < std::ssize(ids); ++other)
    if (other != row && ids[static_cast<std::size_t>(other)] == id &&
        row_label(*state.opened, *state.run, stack, other) == out)
      return with_place(out, row);
  return out;
}

figure::Names names_apart(const ViewState& state, Stack stack, figure::Ink ink, std::int64_t looked) {
  figure::Names out = row_names(state, stack, ink, looked);
  std::map<std::string, int> seen;
  for (const Text& label : out.labels) ++seen[label.str()];
  for (std::size_t row = 0; row < out.labels.size(); ++row)
    if (const std::string label = out.labels[row].str();
        seen[label] > 1 && row < state.run->ids_of(stack).size() &&
        state.run->is_real(stack, static_cast<std::int64_t>(row)))
      out.labels[row] = Text(with_place(label, static_cast<std::int64_t>(row)));
  return out;
}

namespace {

// Where a record holds no mask, weights that are 0 in every head, or the recorded scores, say it.
void hide_masked_weights(const Trace& run, const Site& site, Tensor& plane) {
  if (run.find(site.near(StepRole::mask)) || plane.empty()) return;
  const Mask mask = run_mask(run, site).mask;
  const std::int64_t queries = plane.size(0), keys = plane.size(1);
  std::vector<float> cells = plane.values();
  for (std::int64_t query = 0; query < queries; ++query)
    for (std::int64_t key = 0; key < keys; ++key)
      if (float& cell = cells[static_cast<std::size_t>(query * keys + key)];
          cell == 0 && !mask.allowed(query, key))
        cell = -std::numeric_limits<float>::infinity();
  plane = Tensor::from(std::move(cells), {{Axis::query, queries}, {Axis::key, keys}});
}

// Comparable where weights are NaN: those come first, to be seen.
float weight_in_order(float weight) {
  return std::isnan(weight) ? std::numeric_limits<float>::infinity() : weight;
}

}  // namespace

Tensor attention_cells(const Trace& run, const Site& site, std::int64_t head) {
  constexpr std::int64_t kAll = std::int64_t{1} << 30;
  Tensor out = attention_plane(run, {site, head, {0, kAll}, {0, kAll}});
  if (site.is(StepRole::pattern)) hide_masked_weights(run, site, out);
  return out;
}

int strongest_cell(const Trace& run, const Site& pattern, std::int64_t head, std::int64_t row) {
  const Tensor weights = run.slice(pattern, head, {row, row + 1}, {0, std::int64_t{1} << 30});
  int out = -1;
  if (weights.rank() != 2 || weights.size(0) < 1) return out;
  for (std::int64_t key = 0; key < weights.size(1); ++key)
    if (weights.at(0, key) > (out < 0 ? 0.f : weights.at(0, out))) out = static_cast<int>(key);
  return out;
}

figure::MatrixMark attention_matrix(const ViewState& state, Slot stage) {
  const Site site = state.place.site(stage, state.layer);
  figure::MatrixMark out;
  out.values = attention_cells(*state.run, site, state.head);
  out.rows = row_names(state, state.place.stack, figure::Ink::query, state.row);
  out.cols = row_names(state, state.place.keys(), figure::Ink::key);
  out.rows.axis = Text::of("figure.axis.query"), out.cols.axis = Text::of("figure.axis.key");
  out.cols.kept = strongest_cell(*state.run, state.place.pattern(state.layer), state.head, state.row);
  out.of = to_text(site) + to_text(std::vector<AxisRange>{{"head", state.head}});
  out.masked_is_zero = site.is(StepRole::pattern);
  if (out.masked_is_zero) return out;
  out.scale = figure::Scale::diverging, out.most = 0;
  for (std::int64_t row = 0; row < out.values.size(0); ++row)
    for (std::int64_t col = 0; col < out.values.size(1); ++col)
      if (const auto value = static_cast<double>(out.values.at(row, col)); std::isfinite(value))
        out.most = std::max(out.most, std::abs(value));
  if (out.most == 0) out.most = 1;
  out.digits = out.most < kSmallScores ? 3 : out.most < kMiddlingScores ? 2 : 1;
  return out;
}

int weight_digits(const std::vector<float>& weights) {
  float most = 0;
  for (const float weight : weights)
    if (std::isfinite(weight)) most = std::max(most, weight);
  return most > 0 && most < kSmallWeights ? 4 : 2;
}

figure::MatrixMark attention_row_matrix(const ViewState& state, const figure::MatrixMark& pattern) {
  figure::MatrixMark out = pattern;
  const std::int64_t keys = pattern.values.size(1);
  std::vector<float> values;
  for (std::int64_t key = 0; key < keys; ++key) values.push_back(pattern.values.at(state.row, key));
  out.order.resize(static_cast<std::size_t>(keys));
  std::iota(out.order.begin(), out.order.end(), 0);
  std::stable_sort(out.order.begin(), out.order.end(), [&](int a, int b) {
    return weight_in_order(values[static_cast<std::size_t>(a)]) >
           weight_in_order(values[static_cast<std::size_t>(b)]);
  });
  out.digits = weight_digits(values);
  out.values = Tensor::from(std::move(values), {{Axis::query, 1}, {Axis::key, keys}});
  out.rows.labels = {told_apart(state, state.place.stack, state.row)};
  const bool struck = std::find(pattern.rows.struck.begin(), pattern.rows.struck.end(), state.row) !=
                      pattern.rows.struck.end();
  out.rows.struck = struck ? std::vector<int>{0} : std::vector<int>();
  out.rows.looked = 0;
  out.cols = names_apart(state, state.place.keys(), figure::Ink::key);
  out.of = to_text(state.place.pattern(state.layer)) +
           to_text(std::vector<AxisRange>{{"head", state.head}, {"query", state.row}});
  return out;
}

std::optional<Cell> cell_of(const Trace& run, const figure::MatrixMark& matrix, std::int64_t row,
                            std::int64_t col) {
  const bool own = row >= 0 && row < std::ssize(matrix.own_rows);
  const auto place = parse_place(matrix.row(row).of);
  const auto site = place ? parse_site(place->name) : Result<Site>(place.error());
  const Record* record = site ? run.find(*site) : nullptr;
  if (!record || row < 0 || col < 0) return std::nullopt;
  Cell out{*site, {}};
  std::size_t free = 0;
  for (const Axis axis : record->axes)
    if (!range_on(place->at, axis_name(axis))) ++free;
  if (free == 0 || free > 2 || (own && free > 1)) return std::nullopt;
  std::vector<std::int64_t> open{row + matrix.first_row, matrix.step_col(col)};
  if (free == 1) open = {open[matrix.values.size(0) == 1 || own ? 1 : 0]};
  std::size_t at = 0;
  for (std::size_t axis = 0; axis < record->axes.size(); ++axis) {
    const std::string_view name = axis_name(record->axes[axis]);
    const AxisRange* fixed = range_on(place->at, name);
    const std::int64_t index = fixed ? fixed->begin : open[at++];
    if (index < 0 || index >= record->shape[axis]) return std::nullopt;
    out.at.push_back({std::string(name), index});
  }
  return out;
}

figure::MatrixMark numbers_mark(const Tensor& vector) {
  figure::MatrixMark out;
  std::vector<float> values = vector.values();
  out.scale = figure::Scale::diverging, out.most = 0;
  for (const float value : values) out.most = std::max(out.most, std::abs(static_cast<double>(value)));
  if (out.most == 0) out.most = 1;
  const auto width = static_cast<std::int64_t>(values.size());
  out.values = Tensor::from(std::move(values), {{Axis::pos, 1}, {Axis::d_model, width}});
  return out;
}

}  // namespace attnscope
