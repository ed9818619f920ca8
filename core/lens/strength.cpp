#include "core/lens/strength.h"

#include <algorithm>
#include <limits>

#include "core/ops/matrices.h"
#include "core/trace/editable.h"

namespace attnscope {
namespace {

constexpr float kNoStrength = std::numeric_limits<float>::quiet_NaN();

bool is_one_head(const Cell& cell) {
  return cell.site.is(StepRole::head_out) && cell.at.size() == 1 && cell.at.front().axis == "head";
}

Error not_one_number(const StrengthPlace& place) {
  return fail(Code::bad_shape, "error.lens.strength.one", {to_text(place.cell)});
}

Result<Strengths> by_value(const Trace& run, const StrengthPlace& place) {
  TRY(const Tensor found, run.tensor(place.cell));
  if (found.rank() != 1 || !is_row_axis(found.axis(0))) return not_one_number(place);
  return Strengths{found.values(), {}, {}};
}

// The length of z W_O, the head's own rows of it.
Result<Strengths> by_write(const Trace& run, const StrengthPlace& place) {
  TRY(const Tensor z, run.tensor(place.cell));  // [query, d_head]
  const std::string name = to_text(place.cell.site.with(slot_of(StepKind::output))) + ".weight";
  const Tensor* weight = run.weights().find(name);
  if (!weight) return fail(Code::not_found, "error.lens.strength.weight", {to_text(place.cell), name});
  const std::int64_t d = z.size(1), head = place.cell.at.front().begin;
  if ((head + 1) * d > weight->size(0)) return not_one_number(place);
  const Matrix64 write = product(matrix64(z), matrix64(weight->slice(0, head * d, (head + 1) * d)));
  Strengths out;
  for (std::int64_t row = 0; row < write.rows; ++row)
    out.values.push_back(static_cast<float>(norm_of(rows_of(write, row, row + 1))));
  return out;
}

Result<Strengths> by_weight(const Trace& run, const StrengthPlace& place) {
  const Cell& cell = place.cell;
  TRY(const Tensor pattern, run.tensor(Cell{cell.site.near(StepRole::pattern), cell.at}));
  const Range all{0, std::max(pattern.size(0), pattern.size(1))};
  const Tensor mask = run.slice(cell.site.near(StepRole::mask), cell.at.front().begin, all, all);
  const bool own = cell.site.part != Part::cross;
  Strengths out;
  for (std::int64_t query = 0; query < pattern.size(0); ++query) {
    float most = kNoStrength;
    std::int64_t at = -1;
    for (std::int64_t key = 1; key < pattern.size(1); ++key) {
      const float weight = pattern.at(query, key);
      if ((own && key == query) || (!mask.empty() && mask.at(query, key) == 0)) continue;
      if (at < 0 || weight > most) most = weight, at = key;
    }
    out.values.push_back(most), out.keys.push_back(at);
  }
  return out;
}

}  // namespace

Result<StrengthPlace> strength_place(Cell cell, std::optional<StrengthBy> by) {
  const bool head = is_one_head(cell);
  StrengthPlace out{std::move(cell), by.value_or(head ? StrengthBy::write : StrengthBy::value)};
  if (out.by != StrengthBy::value && !head)
    return fail(Code::unsupported, "error.lens.strength.head", {to_text(out.cell)});
  if (range_on(out.cell.at, "pos") || (head && out.by == StrengthBy::value)) return not_one_number(out);
  return out;
}

std::optional<Cell> acting_part(const Cell& cell) {
  const Site& site = cell.site;
  const bool heads = site.is(StepRole::head_out) || site.is(StepRole::pattern) || site.is(StepRole::scores);
  if (const AxisRange* head = range_on(cell.at, "head"); head && heads)
    return Cell{site.near(StepRole::head_out), {*head}};
  if (const AxisRange* neuron = range_on(cell.at, "d_mlp"); neuron && site.is(StepRole::neurons))
    return Cell{site, {*neuron}};
  return std::nullopt;
}

Result<Strengths> strengths_of(const Trace& run, const StrengthPlace& place) {
  TRY(Strengths out, place.by == StrengthBy::value   ? by_value(run, place)
                     : place.by == StrengthBy::write ? by_write(run, place)
                                                     : by_weight(run, place));
  for (std::size_t row = 0; row < out.values.size(); ++row)
    out.there.push_back(run.is_real(place.cell.site.stack, static_cast<std::int64_t>(row)) &&
                        (out.keys.empty() || out.keys[row] >= 0));
  return out;
}

}  // namespace attnscope
