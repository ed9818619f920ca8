// The station at which the stream takes in what attention made, before the MLP.
#include <algorithm>

#include "core/lens/held_path.h"
#include "core/model/tape.h"
#include "core/trace/flow.h"
#include "core/view/steps_parts.h"

namespace attnscope {
namespace {

using figure::MatrixMark, figure::PartBox;

constexpr int kSumDigits = 3;  // four numbers with two add up to another second one too often
constexpr std::int64_t kMostProducts = std::int64_t{1}
                                       << 20;  // of all heads' outputs: computed while drawing

// What one head adds to the stream at a row. Empty where the weights are not there, are many, or something
// else stands between the two.
std::vector<float> written_by_head(const ViewState& state, const Site& branch) {
  const Trace& run = *state.run;
  const Tensor* weight = run.weights().find(to_text(branch) + ".weight");  // [in, out]
  const Record* record = run.find(branch.near(StepRole::head_out));
  if (!weight || weight->rank() != 2 || weight->count() > kMostProducts || !record ||
      record->value().rank() != 3 || state.head >= record->shape[0] || is_edited(run, branch))
    return {};
  const Direction own = written_by_heads(run, branch, state.row)[static_cast<std::size_t>(state.head)];
  return {own.begin(), own.end()};
}

bool adds_up(const std::vector<NamedRow>& rows, const std::vector<float>& sum) {
  for (std::size_t dim = 0; dim < sum.size(); ++dim) {
    double all = 0;
    for (const NamedRow& row : rows) {
      if (row.values.size() != sum.size()) return false;
      all += static_cast<double>(row.values[dim]);
    }
    if (!same_number(all, static_cast<double>(sum[dim]))) return false;
  }
  return true;
}

}  // namespace

Site sum_before_mlp(const ViewState& state) {
  for (const StepKind kind : {StepKind::residual_cross, StepKind::residual_mid})
    if (const Site site = site_of(kind, state.layer, state.place.stack);
        state.run->find(site) && flow_inputs(*state.run, site).size() == 2)
      return site;
  return site_of(StepKind::residual_mid, state.layer, state.place.stack);
}

Result<StationDrawing> sum_station(const ViewState& state) {
  const Trace& run = *state.run;
  const Site site = sum_before_mlp(state);
  const std::vector<Site> addends = flow_inputs(run, site);
  const std::vector<float> sum = row_of_step(run, site, 0, state.row);
  if (sum.empty() || addends.size() != 2) return fail(Code::not_found, "error.view.no_station");
  const Site& branch = addends[1];
  const NamedRow before = row_at(state, addends[0], 0, state.row, steps_text("sum.before")),
                 added = row_at(state, branch, 0, state.row, steps_text("sum.attention"));
  std::vector<NamedRow> rows{before};
  const Record* z = run.find(branch.near(StepRole::head_out));
  const std::int64_t heads = z && !z->shape.empty() ? z->shape[0] : 1;
  const std::vector<float> own = heads > 1 ? written_by_head(state, branch) : std::vector<float>();
  const bool split = !own.empty() && own.size() == added.values.size();
  if (split) {
    std::vector<float> others;
    for (std::size_t dim = 0; dim < own.size(); ++dim) others.push_back(added.values[dim] - own[dim]);
    rows.push_back({steps_text("sum.head", {state.head}), own});
    const bool bias = run.weights().find(to_text(branch) + ".bias") != nullptr;
    rows.push_back({steps_text(bias ? "sum.others.bias" : "sum.others"), std::move(others)});
  } else {
    rows.push_back(added);
  }
  const bool holds = adds_up(rows, sum);
  const NamedRow result = row_at(state, site, 0, state.row, steps_text(holds ? "sum" : "edited.row"));
  rows.push_back(result);
  const std::vector<Text> said{looked_name(state), state.layer, state.head, heads - 1, sum.size()};
  const char* key = !holds ? "sum.edited" : split ? "sum.split" : "sum.whole";
  PartBox picture =
      numbers_leaf("row", rows, {steps_text("sum.title", said), steps_text("sum.title.short")}, 3);
  auto& matrix = std::get<MatrixMark>(picture.part->mark);
  show_fine_digits(matrix);
  for (MatrixMark::Row& row : matrix.own_rows) row.digits = std::max(row.digits, kSumDigits);
  if (holds) matrix.made = MatrixMark::Made::sum;
  StationDrawing out{{steps_text(key, said), steps_text("sum.short", said)}, std::move(picture)};
  note_sum(out.notes, run, std::get<MatrixMark>(out.picture.part->mark));
  return out;
}

}  // namespace attnscope
