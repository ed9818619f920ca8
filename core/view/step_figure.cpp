#include "core/view/step_figure.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/step/catalog.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostStepCells = std::int64_t{1} << 24;

bool names_rows(Axis axis) { return axis == Axis::pos || axis == Axis::query || axis == Axis::key; }

figure::Names names_on(const ViewState& state, const Site& site, Axis axis, std::int64_t count) {
  if (!names_rows(axis)) return {};
  const Stack stack = rows_stack(site, axis);
  const bool keys = axis == Axis::key;
  figure::Names out = row_names(state, stack, keys ? figure::Ink::key : figure::Ink::query,
                                !keys && stack == state.place.stack ? state.row : -1);
  return static_cast<std::int64_t>(out.labels.size()) == count ? out : figure::Names{};
}

// What stands along an axis, for print: "query"; empty: nothing that has a word.
Text axis_word(Axis axis) {
  switch (axis) {
    case Axis::query: return Text::of("figure.axis.query");
    case Axis::key: return Text::of("figure.axis.key");
    case Axis::pos: return Text::of("figure.axis.pos");
    case Axis::d_model:
    case Axis::d_head:
    case Axis::concat:
    case Axis::dim: return Text::of("figure.axis.dim");
    case Axis::d_mlp: return Text::of("figure.axis.neuron");
    case Axis::vocab: return Text::of("figure.axis.vocab");
    default: return Text();
  }
}

// A pattern with masked cells as such, the colours of a weight, and the strongest key always named.
void show_as_pattern(figure::MatrixMark& matrix, const ViewState& state, const Site& site,
                     std::int64_t head) {
  matrix.values = attention_cells(*state.run, site, head);
  matrix.scale = figure::Scale::share, matrix.most = 1, matrix.masked_is_zero = true;
  if (matrix.rows.looked >= 0) matrix.cols.kept = strongest_cell(*state.run, site, head, matrix.rows.looked);
}

struct ValueLimits {
  double least = 0, most = 0;
  bool any = false, all_finite = true;
  void add(double value) {
    all_finite = all_finite && std::isfinite(value);
    if (!std::isfinite(value)) return;
    least = any ? std::min(least, value) : value, most = any ? std::max(most, value) : value;
    any = true;
  }
};

}  // namespace

Result<figure::Figure> step_figure(const ViewState& state, const std::string& step, bool titled) {
  using figure::WordsMark;
  TRY(const Site site, parse_site(step));
  const Record* record = state.run->find(site);
  if (!record) return fail(Code::not_found, "error.trace.no_step_here", {in_quotes(step)});
  const auto heads = std::find(record->axes.begin(), record->axes.end(), Axis::head);
  const bool headed = heads != record->axes.end();
  const std::int64_t head = headed ? state.run->own_head(site, state.head) : 0;
  std::vector<Axis> axes;
  std::int64_t cells = 1;
  for (std::size_t at = 0; at < record->axes.size(); ++at) {
    if (record->axes[at] == Axis::head) continue;
    axes.push_back(record->axes[at]), cells *= record->shape[at];
  }
  if (cells > kMostStepCells)
    return fail(Code::unsupported, "error.view.step_large", {cells, kMostStepCells});
  figure::MatrixMark matrix;
  matrix.values = state.run->slice(site, head, {0, kMostStepCells}, {0, kMostStepCells});
  if (matrix.values.empty() || axes.empty())
    return fail(Code::not_found, "error.trace.no_step_here", {in_quotes(step)});
  matrix.of = to_text(site) + (headed ? to_text(std::vector<AxisRange>{{"head", head}}) : std::string());
  const std::int64_t rows = matrix.values.size(0), cols = matrix.values.size(1);
  if (axes.size() > 1) matrix.rows = names_on(state, site, axes.front(), rows);
  matrix.cols = names_on(state, site, axes.back(), cols);
  if (axes.size() > 1) matrix.rows.axis = axis_word(axes.front());
  matrix.cols.axis = axis_word(axes.back());
  ValueLimits spread;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t col = 0; col < cols; ++col) spread.add(static_cast<double>(matrix.values.at(row, col)));
  matrix.scale = spread.least < 0 || !spread.all_finite ? figure::Scale::diverging : figure::Scale::share;
  matrix.most = std::max({std::abs(spread.least), std::abs(spread.most), 1e-30});
  if (site.is(StepRole::pattern)) show_as_pattern(matrix, state, site, head);
  const Step& about = step_of(site.slot);
  const Text title{std::string(step_title(about))};
  std::vector<figure::PartBox> all;
  if (titled) all.push_back(figure::words("question", WordsMark::As::title, {title}, 2));
  all.push_back(figure::words("sentence", WordsMark::As::sentence,
                              {Text::of(headed ? "figure.step.head" : "figure.step.sentence",
                                        {to_text(site), rows, cols, figure::number_text(spread.least, 3),
                                         figure::number_text(spread.most, 3), head})},
                              2));
  all.push_back(figure::leaf({"step", std::move(matrix), 3, {}, ""}));
  return figure::Figure{title, figure::column(std::move(all))};
}

}  // namespace attnscope
