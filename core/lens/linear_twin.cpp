#include "core/lens/linear_twin.h"

#include <algorithm>
#include <map>

#include "core/base/thread_pool.h"
#include "core/lens/held_parts.h"
#include "core/lens/held_path.h"
#include "core/lens/twin_directions.h"
#include "core/ops/matrices.h"
#include "core/trace/flow.h"
#include "core/trace/step_edits.h"

namespace attnscope {
namespace {

void add_rows(Matrix64& to, const Matrix64& more) {
  for (std::size_t i = 0; i < to.cells.size(); ++i) to.cells[i] += more.cells[i];
}

bool is_entry(const Site& site) { return site.is(StepRole::embedding); }

class Twin {
 public:
  Twin(const Trace& trace, AttributeBy by, LinearTwin& out) : trace_(trace), by_(by), out_(out) {}
  // With what `of` has computed so far.
  Twin(const Twin& of, LinearTwin& out)
      : trace_(of.trace_), by_(of.by_), out_(out), values_(of.values_), entry_(of.entry_) {}

  // ---- forward ------------------------------------------------------------------------------------

  const Matrix64& value(const Site& site) {
    const auto known = values_.find(site);
    if (known != values_.end()) return known->second;
    Matrix64 made = computed_value(site);
    if (!is_held(site)) carry(site, made);
    return values_.emplace(site, std::move(made)).first->second;
  }

  // ---- backward -----------------------------------------------------------------------------------

  // From a direction over one row of a step to every input; the last steps of the run first.
  void follow(const Site& site, std::int64_t row, const Direction& g) {
    Matrix64 first = value(site);
    std::fill(first.cells.begin(), first.cells.end(), 0.0);
    std::copy(g.begin(), g.end(), first.cells.begin() + row * first.cols);
    send(site, first);
    while (!waiting_.empty()) {
      const auto last = std::prev(waiting_.end());
      const Site next = last->second.first;
      const Matrix64 along = std::move(last->second.second);
      waiting_.erase(last);
      back(next, along);
    }
    if (bias_ != 0 || by_ == AttributeBy::token) out_.parts.push_back({"bias", {}, bias_});
  }
  void bias(double value) { bias_ += value; }

  // The rows that the main stack reads, and what the last follow() found over one of them.
  const Matrix64& entry_rows() { return value(entry_); }
  Direction over_entry(std::int64_t row) const {
    const Matrix64 one = rows_of(over_entry_, row, row + 1);
    return {one.cells.begin(), one.cells.end()};
  }

 private:
  Tensor weight(const Site& site, const char* what) const {
    return trace_.weights().get(to_text(site) + what);
  }
  static Site value_of(const Site& out) { return out.near(StepRole::projection, Hue::value); }

  Matrix64 linear64(const Matrix64& x, const Site& site) const {
    Matrix64 out = product(x, matrix64(weight(site, ".weight")));
    const Tensor offset = weight(site, ".bias");
    for (std::size_t i = 0; i < out.cells.size() && !offset.empty(); ++i)
      out.cells[i] += static_cast<double>(offset.at(static_cast<std::int64_t>(i) % out.cols));
    return out;
  }

  // ---- edits of steps in between ------------------------------------------------------------------

  // Steps whose numbers are those of the run, edits included.
  bool is_held(const Site& site) const {
    return !site.is(StepRole::branch) && (is_entry(site) || flow_inputs(trace_, site).empty());
  }
  StepEdits edits_of(const Site& site, const Matrix64& x) const { return {trace_, site, {0, x.rows}}; }
  void carry(const Site& site, Matrix64& x) const { edits_of(site, x).apply(x); }
  // From a direction over an edited step to one over `before`, the step without its edits.
  Matrix64 behind(const Site& site, const Matrix64& before, Matrix64 g) {
    const StepEdits edits = edits_of(site, before);
    if (edits.any()) bias_ += edits.back(before, g);
    return g;
  }
  // A step and the copies of it that follow, in the order in which they are edited.
  static std::vector<Site> copies_of_values(const Site& v) {
    return {v, v.near(StepRole::view, Hue::value), v.near(StepRole::split, Hue::value)};
  }
  static std::vector<Site> copies_of_heads(const Site& out) {
    return {out.near(StepRole::head_out), out.near(StepRole::concat)};
  }
  void carry(const std::vector<Site>& copies, Matrix64& x) const {
    for (const Site& site : copies) carry(site, x);
  }
  Matrix64 behind(const std::vector<Site>& copies, const Matrix64& first, Matrix64 g) {
    for (std::size_t i = copies.size(); i-- > 0;) {
      Matrix64 before = first;
      for (std::size_t j = 0; j < i; ++j) carry(copies[j], before);
      g = behind(copies[i], before, std::move(g));
    }
    return g;
  }

  // ---- the insides of branches, each without the edits of its own step ------------------------------

  Matrix64 values_of_heads(const Site& out) {
    const Site v = value_of(out);
    return linear64(value(flow_inputs(trace_, v).front()), v);
  }
  Matrix64 plain_heads(const Site& out) {
    Matrix64 v = values_of_heads(out);
    carry(copies_of_values(value_of(out)), v);
    return HeldAttention(trace_, out.near(StepRole::head_out)).weighted(v);
  }
  Matrix64 heads(const Site& out) {
    Matrix64 z = plain_heads(out);
    carry(copies_of_heads(out), z);
    return z;
  }
  Matrix64 plain_linear(const HeldMlp& held) {
    return linear64(value(flow_inputs(trace_, held.linear).front()), held.linear);
  }
  Matrix64 plain_neurons(const HeldMlp& held) {
    Matrix64 x = plain_linear(held);
    carry(held.linear, x);
    for (std::size_t i = 0; i < x.cells.size(); ++i) x.cells[i] *= held.ratio.cells[i];
    return x;
  }
  Matrix64 neurons(const Site& out) {
    Matrix64 x = plain_neurons(held_mlp(trace_, out));
    carry(out.near(StepRole::neurons), x);
    return x;
  }

  Matrix64 computed_value(const Site& site) {
    if (site.is(StepRole::branch))
      return linear64(site.is(StepKind::output) ? heads(site) : neurons(site), site);
    if (is_held(site)) return recorded64(trace_, site);
    const std::vector<Site> from = flow_inputs(trace_, site);
    Matrix64 out = value(from.front());
    if (is_norm(site)) return normed(site, out);
    for (std::size_t i = 1; i < from.size(); ++i) add_rows(out, value(from[i]));
    return out;
  }

  // Row by row what through_norm() is the backward of.
  Matrix64 normed(const Site& site, Matrix64 x) const {
    const std::string base = without_out(site);
    const NormSpec& spec = norm_spec(trace_.config(), site);
    const Tensor gain = trace_.weights().get(base + ".weight"), offset = trace_.weights().get(base + ".bias");
    const Site scales = *parse_site(base + ".scale");
    for (std::int64_t row = 0; row < x.rows; ++row) {
      double* const cells = x.cells.data() + row * x.cols;
      const auto scale = static_cast<double>(trace_.cell(scales, {row, 0}));
      double mean = 0;
      for (std::int64_t i = 0; i < x.cols && spec.kind == NormSpec::Kind::layer; ++i)
        mean += cells[i] / static_cast<double>(x.cols);
      for (std::int64_t i = 0; i < x.cols; ++i) {
        const double by =
            gain.empty() ? 1.0 : static_cast<double>(gain.at(i)) + static_cast<double>(spec.weight_offset);
        cells[i] =
            (cells[i] - mean) / scale * by + (offset.empty() ? 0.0 : static_cast<double>(offset.at(i)));
      }
    }
    return x;
  }

  void hold(const Site& site) { hold(to_text(site)); }
  void hold(const std::string& name) { hold_once(out_.held, name); }

  void send(const Site& site, const Matrix64& g) {
    const auto [at, fresh] = waiting_.try_emplace(trace_.index_of(site), site, g);
    if (!fresh) add_rows(at->second.second, g);
  }

  void add_offset(const Site& site, const Matrix64& g) {
    const Tensor offset = weight(site, ".bias");
    double sum = 0;
    for (std::size_t i = 0; i < g.cells.size() && !offset.empty(); ++i)
      sum += g.cells[i] * static_cast<double>(offset.at(static_cast<std::int64_t>(i) % g.cols));
    if (by_ == AttributeBy::token || offset.empty())
      bias_ += sum;
    else
      out_.parts.push_back({to_text(site) + ".bias", {}, sum});
  }

  void back(const Site& site, const Matrix64& over) {
    if (site.is(StepRole::branch)) return site.is(StepKind::output) ? attention(site, over) : mlp(site, over);
    if (is_held(site)) return entry(site, over);
    const std::vector<Site> from = flow_inputs(trace_, site);
    const bool edited = edits_of(site, over).any();
    const Matrix64 g = edited ? behind(site, computed_value(site), over) : over;
    if (!is_norm(site)) {
      for (const Site& one : from) send(one, g);
      return;
    }
    Matrix64 out = g;
    for (std::int64_t row = 0; row < g.rows; ++row) {
      const auto at = static_cast<std::ptrdiff_t>(row * g.cols);
      const Direction along(g.cells.begin() + at, g.cells.begin() + at + g.cols);
      if (std::all_of(along.begin(), along.end(), [](double x) { return x == 0; })) continue;
      const HeldNorm held = through_norm(trace_, site, row, along);
      bias_ += held.bias;
      std::copy(held.g.begin(), held.g.end(), out.cells.begin() + at);
    }
    hold(without_out(site) + ".scale");
    send(from.front(), out);
  }

  void entry(const Site& site, const Matrix64& g) {
    if (site.stack == trace_.config().stack) entry_ = site, over_entry_ = g;
    const Matrix64& x = value(site);
    const bool rows = by_ == AttributeBy::token;
    double all = 0;
    for (std::int64_t row = 0; row < g.rows; ++row) {
      double sum = 0;
      for (std::int64_t i = 0; i < g.cols; ++i) sum += g.at(row, i) * x.at(row, i);
      if (rows) out_.parts.push_back({to_text(site), {{"pos", row}}, sum});
      all += sum;
    }
    if (!rows) out_.parts.push_back({to_text(site), {}, all});
  }

  // `g` times what the columns hold, in groups of `width`: of the row of the measure, and of others that an
  // edit copied into it.
  void addends(const Site& site, const Matrix64& g, const Matrix64& x, const char* axis, std::int64_t width) {
    for (std::int64_t at = 0; at < g.cols; at += width) {
      double sum = 0;
      for (std::int64_t row = 0; row < g.rows; ++row)
        for (std::int64_t i = at; i < at + width; ++i) sum += g.at(row, i) * x.at(row, i);
      LogitPart part{to_text(site), {}, sum};
      if (axis) part.at = {{axis, at / width}};
      if (sum != 0) out_.parts.push_back(std::move(part));
    }
  }

  Matrix64 over_inputs(const Matrix64& g, const Site& site) const {
    return product(g, transposed(matrix64(weight(site, ".weight"))));
  }

  void attention(const Site& site, const Matrix64& g) {
    const Site z = site.near(StepRole::head_out), v = value_of(site);
    const Matrix64 along = edits_of(site, g).any() ? behind(site, computed_value(site), g) : g;
    const Matrix64 into = over_inputs(along, site);
    add_offset(site, along);
    hold(z.near(StepRole::pattern));
    if (by_ != AttributeBy::token) {
      const bool whole = by_ == AttributeBy::part;
      const std::int64_t width = whole ? into.cols : trace_.find(z)->shape[2];
      return addends(z, into, heads(site), whole ? nullptr : "head", width);
    }
    const Matrix64 over_z = behind(copies_of_heads(site), plain_heads(site), into);
    const Matrix64 values =
        behind(copies_of_values(v), values_of_heads(site), HeldAttention(trace_, z).spread(over_z));
    add_offset(v, values);
    send(flow_inputs(trace_, v).front(), over_inputs(values, v));
  }

  void mlp(const Site& site, const Matrix64& g) {
    const bool inside = by_ == AttributeBy::token || by_ == AttributeBy::neuron;
    if (!inside) return addends(site, g, value(site), nullptr, g.cols);
    const Matrix64 into = edits_of(site, g).any() ? behind(site, computed_value(site), g) : g;
    Matrix64 along = over_inputs(into, site);
    add_offset(site, into);
    if (by_ == AttributeBy::neuron)
      return addends(site.near(StepRole::neurons), along, neurons(site), "d_mlp", 1);
    const HeldMlp held = held_mlp(trace_, site);
    hold(held.gate);
    along = behind(site.near(StepRole::neurons), plain_neurons(held), std::move(along));
    for (std::size_t i = 0; i < along.cells.size(); ++i) along.cells[i] *= held.ratio.cells[i];
    along = behind(held.linear, plain_linear(held), std::move(along));
    add_offset(held.linear, along);
    send(flow_inputs(trace_, held.linear).front(), over_inputs(along, held.linear));
  }

  const Trace& trace_;
  AttributeBy by_;
  LinearTwin& out_;
  std::map<Site, Matrix64> values_;
  std::map<int, std::pair<Site, Matrix64>> waiting_;  // by their place in the run
  double bias_ = 0;
  Site entry_;
  Matrix64 over_entry_;
};

// Edits that are no part of the sum: of logits, and paths that are cut on the way to what the twin computes.
Status check_twin_edits(const Trace& trace) {
  for (const auto& edit : trace.edits) {
    const NumberEdit* number = edit->number();
    if (!number || number->where.kind != Target::Kind::step) continue;
    const Site& site = number->where.site;
    const bool looks = site.is(StepRole::split) && step_of(site.slot).hue != Hue::value;
    if (site.is(StepRole::logits) || (path_from(*number) && !looks))
      return fail(Code::unsupported, "error.lens.twin_edit", {to_text(*edit)});
  }
  return Done{};
}

}  // namespace

Result<LinearTwin> linear_twin(const Trace& trace, const LogitMeasure& measure, AttributeBy by) {
  TRY(const HeldMeasure asked, held_measure(trace, measure));
  TRY_OK(check_twin_edits(trace));
  LinearTwin out;
  out.run = asked.total;
  out.held = asked.held;
  Twin twin(trace, by, out);
  const Site end = stack_output(trace, trace.config().stack);
  const Matrix64& rows = twin.value(end);
  out.total = asked.bias;
  for (std::size_t i = 0; i < asked.g.size(); ++i)
    out.total += asked.g[i] * rows.at(asked.row, static_cast<std::int64_t>(i));
  twin.bias(asked.bias);
  twin.follow(end, asked.row, asked.g);
  out.rest = close_sum(out.total, out.parts);
  return out;
}

namespace {

// The matrix from a row of the input to the row of the measure, one backward pass for each of its rows.
Matrix64 token_matrix(const Twin& known, const Site& end, std::int64_t row, std::int64_t width,
                      std::int64_t pos) {
  std::vector<Direction> made(static_cast<std::size_t>(width));
  parallel_for(width, 1, [&](std::int64_t begin, std::int64_t last) {
    LinearTwin unused;
    Twin one(known, unused);
    for (std::int64_t i = begin; i < last; ++i) {
      unused.parts.clear();
      Direction unit(static_cast<std::size_t>(width), 0.0);
      unit[static_cast<std::size_t>(i)] = 1;
      one.follow(end, row, unit);
      made[static_cast<std::size_t>(i)] = one.over_entry(pos);
    }
  });
  Matrix64 out{width, std::ssize(made.front()), {}};
  for (const Direction& one : made) out.cells.insert(out.cells.end(), one.begin(), one.end());
  return out;
}

TwinDirection direction_of(const Singular& parts, std::size_t k, const Matrix64& x, std::int64_t pos,
                           const Direction& g) {
  TwinDirection out;
  const auto column = static_cast<std::int64_t>(k);
  out.singular = parts.values[k];
  for (std::int64_t i = 0; i < parts.right.rows; ++i) out.input += parts.right.at(i, column) * x.at(pos, i);
  const double sign = out.input < 0 ? -1 : 1;
  out.input *= sign;
  for (std::int64_t i = 0; i < parts.left.rows; ++i) {
    out.writes.push_back(sign * parts.left.at(i, column));
    out.measure += out.writes.back() * g[static_cast<std::size_t>(i)];
  }
  out.value = out.singular * out.input * out.measure;
  return out;
}

}  // namespace

Result<TwinDirections> twin_directions(const Trace& trace, const LogitMeasure& measure, std::int64_t pos) {
  TRY(const HeldMeasure asked, held_measure(trace, measure));
  TRY_OK(check_twin_edits(trace));
  const Stack stack = trace.config().stack;
  if (pos < 0 || pos >= trace.rows(stack))
    return fail(Code::out_of_range, "error.lens.twin_row", {pos, trace.rows(stack), trace.rows(stack) - 1});
  LinearTwin unused;
  Twin twin(trace, AttributeBy::token, unused);
  const Site end = stack_output(trace, stack);
  twin.follow(end, asked.row, asked.g);
  TwinDirections out;
  const Direction over = twin.over_entry(pos);
  if (std::all_of(over.begin(), over.end(), [](double one) { return one == 0; })) return out;
  const Matrix64 x = twin.entry_rows();
  for (std::int64_t i = 0; i < x.cols; ++i) out.total += over[static_cast<std::size_t>(i)] * x.at(pos, i);
  const Singular parts = singular_parts(token_matrix(twin, end, asked.row, std::ssize(asked.g), pos));
  out.rest = out.total;
  for (std::size_t k = 0; k < parts.values.size(); ++k) {
    out.directions.push_back(direction_of(parts, k, x, pos, asked.g));
    out.rest -= out.directions.back().value;
  }
  return out;
}

}  // namespace attnscope
