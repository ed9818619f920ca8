// Rows of numbers of a run, drawn large.
#include "core/view/steps_parts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/lens/vectors.h"
#include "core/session/document.h"
#include "core/view/cell_sum.h"

namespace attnscope {
namespace {

constexpr std::size_t kMostNumbers = 8, kFewColumns = 12, kManyColumns = 16;
constexpr std::size_t kTermsInFormula = 2;  // where there is room for them
constexpr double kSmallNumbers =
    0.1;  // the largest of a row: below it four decimals, below ten times it three
constexpr double kSameNumber = 2e-3;  // relative: of sums in another order

}  // namespace

using figure::Ink, figure::MatrixMark, figure::PartBox;

std::vector<float> row_of_step(const Trace& run, const Site& site, std::int64_t head, std::int64_t row) {
  const Tensor plane = run.slice(site, head, {row, row + 1}, {0, std::int64_t{1} << 30});
  std::vector<float> out;
  for (std::int64_t col = 0; !plane.empty() && plane.size(0) > 0 && col < plane.size(1); ++col)
    out.push_back(plane.at(0, col));
  return out;
}
std::string place_of(const Trace& run, const Site& site, std::int64_t head, std::int64_t row) {
  const Record* record = run.find(site);
  std::vector<AxisRange> at;
  for (const Axis axis : record ? record->axes : std::vector<Axis>{}) {
    if (axis == Axis::head) at.emplace_back("head", head);
    if (axis == Axis::pos || axis == Axis::query) at.emplace_back(std::string(axis_name(axis)), row);
  }
  return to_text(site) + to_text(at);
}
NamedRow row_at(const ViewState& state, const Site& site, std::int64_t head, std::int64_t row,
                const Text& name) {
  return {name, row_of_step(*state.run, site, head, row), place_of(*state.run, site, head, row)};
}
double largest_size(const std::vector<float>& values) {
  double out = 0;
  for (const float value : values)
    if (std::isfinite(value)) out = std::max(out, std::abs(static_cast<double>(value)));
  return out > 0 ? out : 1;
}
bool same_number(double a, double b) {
  return std::abs(a - b) <= kSameNumber * std::max({1.0, std::abs(a), std::abs(b)});
}

// Rows of equal length; the columns where the last of them is largest come first.
MatrixMark numbers_mark(const std::vector<NamedRow>& rows) {
  MatrixMark out;
  std::vector<float> values;
  const std::vector<float>& led = rows.back().values;
  out.rows.ink = Ink::text, out.most_columns = kMostNumbers;
  for (const NamedRow& row : rows) {
    out.rows.labels.push_back(row.name);
    values.insert(values.end(), row.values.begin(), row.values.end());
  }
  out.most = largest_size(values);
  out.rows.looked = static_cast<int>(rows.size()) - 1;
  for (std::size_t col = 0; col < led.size(); ++col) out.cols.labels.emplace_back(col);
  out.order.resize(led.size());
  std::iota(out.order.begin(), out.order.end(), 0);
  std::stable_sort(out.order.begin(), out.order.end(), [&](int a, int b) {
    return std::abs(led[static_cast<std::size_t>(a)]) > std::abs(led[static_cast<std::size_t>(b)]);
  });
  out.values = Tensor::from(std::move(values), {{Axis::none, static_cast<std::int64_t>(rows.size())},
                                                {Axis::none, static_cast<std::int64_t>(led.size())}});
  out.scale = figure::Scale::diverging, out.others = MatrixMark::Others::bars;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    out.own_rows.push_back({rows[at].of, out.scale, out.most, out.digits});
    if (rows[at].edited)
      out.edited.push_back({static_cast<std::int64_t>(at), 0, 1, static_cast<std::int64_t>(led.size())});
  }
  return out;
}
PartBox numbers_leaf(const std::string& id, const std::vector<NamedRow>& rows, std::vector<Text> titles,
                     int priority) {
  return figure::leaf({id, numbers_mark(rows), priority, std::move(titles), ""});
}
void show_few_columns(MatrixMark& matrix) {
  matrix.most_columns = matrix.order.size() > kManyColumns ? kFewColumns : 0;
}
void show_fine_digits(MatrixMark& matrix) {
  const int digits = matrix.most < kSmallNumbers ? 4 : matrix.most < 10 * kSmallNumbers ? 3 : 2;
  matrix.digits = digits;
  for (MatrixMark::Row& row : matrix.own_rows) row.digits = digits;
}
PartBox station_note(const std::string& id, figure::WordsMark::As as, std::vector<Text> forms) {
  figure::WordsMark words{as, std::move(forms), Ink::text, true};
  words.large = as == figure::WordsMark::As::formula;
  return figure::leaf({id, std::move(words), 1, {}, ""});
}
namespace {

// The rounded numbers above the last row add up to the one in it.
bool adds_up_as_written(const MatrixMark& matrix, int col) {
  const std::int64_t last = matrix.values.size(0) - 1;
  std::int64_t sum = 0;
  const auto written = [&](std::int64_t row) {
    return std::llround(static_cast<double>(matrix.values.at(row, col)) *
                        std::pow(10, matrix.row(last).digits));
  };
  for (std::int64_t row = 0; row < last; ++row) sum += written(row);
  return sum == written(last);
}
// The sum as it is written where there is room, and shorter.
void note_formula(std::vector<PartBox>& notes, const MatrixMark& matrix, int col,
                  const std::vector<std::string>& sums) {
  std::vector<Text> forms;
  for (const std::string& sum : sums)
    if (!sum.empty())
      forms.push_back(steps_text("number", {matrix.cols.labels[static_cast<std::size_t>(col)], sum}));
  if (!forms.empty())
    notes.push_back(station_note("formula", figure::WordsMark::As::formula, std::move(forms)));
}

}  // namespace

void note_sum(std::vector<PartBox>& notes, const Trace& run, const MatrixMark& matrix) {
  if (matrix.made != MatrixMark::Made::sum) return;
  const auto shown =
      matrix.order.begin() + static_cast<std::ptrdiff_t>(std::min(kMostNumbers, matrix.order.size()));
  const auto col =
      std::find_if(matrix.order.begin(), shown, [&](int one) { return adds_up_as_written(matrix, one); });
  if (col != shown)
    note_formula(notes, matrix, *col, {cell_sum(run, matrix, matrix.values.size(0) - 1, *col)});
}
void note_made(std::vector<PartBox>& notes, const Trace& run, const NamedRow& row, int digits) {
  MatrixMark matrix = numbers_mark({row});
  matrix.own_rows.front().digits = digits;
  const int col = matrix.order.front();
  note_formula(notes, matrix, col,
               {cell_sum(run, matrix, 0, col, {kTermsInFormula}), cell_sum(run, matrix, 0, col, {1, false})});
}
Text steps_number(double value) { return figure::number_text(value, 2); }
Text steps_text(const std::string& key, std::vector<Text> arguments) {
  return Text::of("figure.steps." + key, std::move(arguments));
}

Text looked_name(const ViewState& state) { return told_apart(state, state.place.stack, state.row); }

std::vector<float> floats_of(const Tensor& row) {
  std::vector<float> out;
  for (std::int64_t at = 0; at < row.count(); ++at) out.push_back(row.at(at));
  return out;
}

Result<StationDrawing> embed_station(const ViewState& state) {
  const EmbeddingSum parts = embedding_sum(*state.run, state.place.stack, state.row);
  if (parts.sum.empty()) return fail(Code::not_found, "error.view.no_station");
  std::vector<NamedRow> rows;
  const auto add = [&](const Text& name, const Tensor& values) {
    if (!values.empty()) rows.push_back({name, floats_of(values)});
  };
  const Text name = looked_name(state);
  if (parts.scale == 1)
    add(name, parts.token);
  else
    add(steps_text("embed.scaled", {name, steps_number(static_cast<double>(parts.scale))}), parts.scaled);
  add(steps_text("embed.place", {state.row}), parts.position);
  add(steps_text("embed.segment"), parts.type);
  const std::vector<float> added = floats_of(parts.added), sum = floats_of(parts.sum);
  bool holds = added.size() == sum.size();
  for (std::size_t at = 0; holds && at < sum.size(); ++at)
    holds = same_number(static_cast<double>(added[at]), static_cast<double>(sum[at]));
  const bool alone = rows.size() < 2;
  if (alone) rows.clear();
  if (!holds) rows.push_back({alone ? name : steps_text("sum"), added});
  const Site site = site_of(StepRole::embedding, -1, state.place.stack);
  rows.push_back({!holds  ? steps_text("edited.row")
                  : alone ? name
                          : steps_text("sum"),
                  sum, state.run->find(site) ? place_of(*state.run, site, 0, state.row) : std::string()});
  PartBox picture = numbers_leaf("row", rows, {steps_text("embed.sum")}, 3);
  show_fine_digits(std::get<MatrixMark>(picture.part->mark));
  if (holds && !alone) std::get<MatrixMark>(picture.part->mark).made = MatrixMark::Made::sum;
  std::vector<PartBox> notes;
  note_sum(notes, *state.run, std::get<MatrixMark>(picture.part->mark));
  return StationDrawing{{steps_text(!holds                                       ? "embed.edited"
                                    : alone                                      ? "embed.alone"
                                    : parts.type.empty() && !parts.token.empty() ? "embed"
                                                                                 : "embed.parts",
                                    {name, parts.sum.count()}),
                         steps_text("embed.short", {name, parts.sum.count()})},
                        std::move(picture),
                        std::move(notes)};
}

}  // namespace attnscope
