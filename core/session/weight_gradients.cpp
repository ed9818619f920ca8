#include "core/session/weight_gradients.h"

#include <algorithm>
#include <limits>

#include "core/base/text.h"
#include "core/trace/flow.h"
#include "core/trace/inside.h"

namespace attnscope {
namespace {

using Index = std::vector<std::int64_t>;

std::string weight_of_bias(const std::string& name) {
  return ends_with(name, ".bias") ? name.substr(0, name.size() - 4) + "weight" : std::string();
}

// True where the use is of this weight, or (with `bias`) of the weight beside this bias.
bool is_use_of(const WeightUse& use, const std::string& name, bool& bias) {
  bias = use.kind == WeightUse::Kind::product && use.name == weight_of_bias(name);
  return bias || use.name == name;
}

// One number that a use adds to the gradient of its weight (of the bias beside it) at (row, col).
double added(const WeightPart& part, std::int64_t row, std::int64_t col) {
  const WeightUse& use = *part.use;
  double sum = 0;
  if (use.kind == WeightUse::Kind::ready)
    return static_cast<double>(use.dy.rank() == 1 ? use.dy.at(col) : use.dy.at(row, col));
  for (std::int64_t pos = 0; pos < use.dy.size(0); ++pos) {
    const double dy = static_cast<double>(use.dy.at(pos, col));
    if (use.kind == WeightUse::Kind::rows)
      sum += use.ids[static_cast<std::size_t>(pos)] == row ? dy : 0.0;
    else
      sum += part.bias ? dy : static_cast<double>(use.x.at(pos, row)) * dy;
  }
  return sum;
}

// Adds the rectangle of what a use adds to `to` [row, col].
void add_rectangle(const WeightPart& part, Range rows, Range cols, float* to) {
  const WeightUse& use = *part.use;
  if (use.kind == WeightUse::Kind::product && !part.bias) {
    const Range in = part.transposed ? cols : rows, out = part.transposed ? rows : cols;
    const Tensor x = use.x.slice(1, in.begin, in.end).transpose().packed();  // [in, pos]
    Tensor product = linear(x, use.dy.slice(1, out.begin, out.end), {}, use.dy.axis(1));
    if (part.transposed) product = product.transpose();
    product = product.packed();
    for (std::int64_t i = 0; i < product.count(); ++i) to[i] += product.data()[i];
    return;
  }
  for (std::int64_t row = rows.begin; row < rows.end; ++row)
    for (std::int64_t col = cols.begin; col < cols.end; ++col)
      *to++ += static_cast<float>(part.transposed ? added(part, col, row) : added(part, row, col));
}

// The step that used a weight; `number` counts the uses of one name, the last step's first.
Site step_of_use(const Trace& trace, const WeightUse& use, int number) {
  std::string base = use.name;
  if (ends_with(base, ".weight")) base.erase(base.size() - 7);
  if (ends_with(base, ".bias")) base.erase(base.size() - 5);
  const auto step = parse_site(base), norm = parse_site(base + ".out");
  if (step && trace.find(*step)) return *step;
  if (norm && trace.find(*norm)) return *norm;
  for (const Stack stack : {Stack::single, Stack::enc, Stack::dec, Stack::vision}) {
    const std::string prefix(stack_prefix(stack));
    if (base == prefix + "class_embed") return site_of(StepRole::embedding, -1, stack);
    if (base == prefix + "rel_bias")
      return site_of(StepKind::bias, trace.config().of(stack).n_layers() - 1 - number, stack);
  }
  return trace.main(StepRole::logits);
}

}  // namespace

std::vector<WeightPart> weight_parts(const Gradients& gradients, const std::string& name) {
  const Trace& trace = gradients.trace();
  std::vector<WeightPart> out;
  if (trace.weights().get(name).empty()) return out;
  const WeightCell kept = kept_weight(trace.config(), name, {0, 1});
  std::map<std::string, int> seen;
  for (const WeightUse& use : gradients.uses()) {
    WeightPart part;
    part.use = &use;
    part.step = step_of_use(trace, use, seen[use.name]++);
    part.own = is_use_of(use, name, part.bias);
    const WeightCell other = kept_weight(trace.config(), use.name, {0, 1});
    if (!part.own && (part.bias || other.name != kept.name)) continue;
    part.transposed = !part.own && other.index != kept.index;
    out.push_back(part);
  }
  std::stable_partition(out.begin(), out.end(), [](const WeightPart& part) { return part.own; });
  return out;
}

Tensor weight_share(const Gradients& gradients, const std::string& name, const std::vector<WeightPart>& parts,
                    Range rows, Range cols) {
  const Tensor weight = gradients.trace().weights().get(name);
  if (weight.empty() || parts.empty()) return {};
  const bool vector = weight.rank() == 1;
  rows = cut_to(rows, vector ? 1 : weight.size(0));
  cols = cut_to(cols, weight.size(vector ? 0 : 1));
  Buffer out(
      {{vector ? Axis::unit : weight.axis(0), rows.size()}, {weight.axis(vector ? 0 : 1), cols.size()}});
  std::fill(out.data(), out.data() + out.count(), 0.f);
  for (const WeightPart& part : parts) add_rectangle(part, rows, cols, out.data());
  return std::move(out).freeze();
}

std::vector<std::string> weights_of_step(const Gradients& gradients, const Site& site) {
  std::string base = to_text(site);
  if (ends_with(base, ".out") && step_of(site.slot).rule == Rule::norm) base.erase(base.size() - 4);
  std::vector<std::string> out;
  for (const char* part : {".weight", ".bias"}) {
    const std::string name = base + part;
    if (gradients.trace().weights().get(name).empty()) continue;
    bool bias = false;
    if (std::any_of(gradients.uses().begin(), gradients.uses().end(),
                    [&](const WeightUse& use) { return is_use_of(use, name, bias); }))
      out.push_back(name);
  }
  return out;
}

double weight_gradient_cell(const Gradients& gradients, const std::string& name,
                            const std::vector<std::int64_t>& index) {
  const std::vector<WeightPart> parts = weight_parts(gradients, name);
  const std::int64_t row = index.size() > 1 ? index[0] : 0, col = index.back();
  double sum = 0;
  for (const WeightPart& part : parts) sum += part.transposed ? added(part, col, row) : added(part, row, col);
  return parts.empty() ? std::numeric_limits<double>::quiet_NaN() : sum;
}

// ---- one number spelled out -----------------------------------------------------------------------
namespace {

using WeightGradientsKind = GradientFactor::Kind;

// The sum of one use at (row, col) of the use's own weight: one function per kind of use.
class ShareOfWeight {
 public:
  ShareOfWeight(const Gradients& gradients, const WeightPart& part, std::int64_t row, std::int64_t col)
      : gradients_(gradients), trace_(gradients.trace()), part_(part), row_(row), col_(col) {
    out_.from = part.step;
    out_.rule = step_of(part.step.slot).rule;
  }
  GradientShare run() {
    const WeightUse& use = *part_.use;
    if (use.kind == WeightUse::Kind::product)
      product();
    else if (use.kind == WeightUse::Kind::rows)
      rows();
    else if (out_.rule == Rule::norm)
      norm();
    else if (part_.step.is(StepKind::bias))
      buckets();
    else
      add({gradient({0, col_})});  // the class token's row
    return std::move(out_);
  }

 private:
  GradientFactor gradient(Index index) const {
    const auto value = static_cast<double>(gradients_.cell(part_.step, index));
    return {WeightGradientsKind::gradient, gradient_name(part_.step), part_.step, std::move(index), value};
  }
  void add(std::vector<GradientFactor> factors) {
    GradientTerm term{false, std::move(factors), 1.0};
    for (const GradientFactor& factor : term.factors) term.value *= factor.value;
    out_.value += term.value;
    out_.terms.push_back(std::move(term));
  }
  // The rows of the step that a product has: of the logits those that have a target.
  std::vector<std::int64_t> rows_of_use() const {
    std::vector<std::int64_t> out;
    const bool words = part_.step == trace_.main(StepRole::logits);
    const std::vector<int>& targets = gradients_.objective().targets;
    const std::int64_t rows = words ? static_cast<std::int64_t>(targets.size()) : part_.use->dy.size(0);
    for (std::int64_t row = 0; row < rows; ++row)
      if (!words || targets[static_cast<std::size_t>(row)] >= 0) out.push_back(row);
    return out;
  }
  void product() {
    const WeightUse& use = *part_.use;
    const Site from = read_by(trace_, part_.step);
    const std::vector<std::int64_t> rows = rows_of_use();
    for (std::int64_t at = 0; at < use.dy.size(0); ++at) {
      const std::int64_t pos = rows[static_cast<std::size_t>(at)];
      // As the use has them: logits are scaled and capped behind their product.
      std::vector<GradientFactor> factors{{WeightGradientsKind::gradient,
                                           gradient_name(part_.step),
                                           part_.step,
                                           {pos, col_},
                                           use.dy.at(at, col_)}};
      if (!part_.bias)
        factors.insert(factors.begin(),
                       {WeightGradientsKind::step, to_text(from), from, {pos, row_}, use.x.at(at, row_)});
      add(std::move(factors));
    }
  }
  void rows() {
    const WeightUse& use = *part_.use;
    for (std::int64_t pos = 0; pos < use.dy.size(0); ++pos)
      if (use.ids[static_cast<std::size_t>(pos)] == row_)
        add({{WeightGradientsKind::gradient,
              gradient_name(part_.step),
              part_.step,
              {pos, col_},
              use.dy.at(pos, col_)}});
  }
  void norm() {
    const std::vector<std::int64_t>& shape = gradients_.find(part_.step)->shape;
    const bool heads = shape.size() > 2, bias = ends_with(part_.use->name, ".bias");
    for (std::int64_t head = 0; head < (heads ? shape[0] : 1); ++head) {
      const NormBack back = norm_back(gradients_, part_.step, head, {0, shape[shape.size() - 2]});
      for (std::int64_t pos = 0; pos < back.arrived.size(0); ++pos) {
        std::vector<GradientFactor> factors{gradient(heads ? Index{head, pos, col_} : Index{pos, col_})};
        if (!bias) factors.push_back({WeightGradientsKind::number, "x̂", {}, {}, back.normed.at(pos, col_)});
        add(std::move(factors));
      }
    }
  }
  // Every pair at the distance of the bucket.
  void buckets() {
    const AttentionInputs& in = trace_.attention(part_.step)->in;
    const std::int64_t queries = in.q.size(1), keys = in.k.size(1);
    const Tensor ds = gradients_.slice(part_.step, col_, {0, queries}, {0, keys});
    for (std::int64_t query = 0; query < queries; ++query)
      for (std::int64_t key = 0; key < keys; ++key)
        if (in.bias.bucket(in.first_query + query, key) == row_)
          add({{WeightGradientsKind::gradient,
                gradient_name(part_.step),
                part_.step,
                {col_, query, key},
                ds.at(query, key)}});
  }

  const Gradients& gradients_;
  const Trace& trace_;
  const WeightPart& part_;
  const std::int64_t row_, col_;
  GradientShare out_;
};

}  // namespace

Result<GradientExplanation> explain_weight_gradient(const Gradients& gradients, const std::string& name,
                                                    const std::vector<std::int64_t>& index) {
  const std::vector<WeightPart> parts = weight_parts(gradients, name);
  if (parts.empty()) return fail(Code::not_found, "error.session.no_weight_gradient", {name});
  const std::vector<std::int64_t> shape = gradients.trace().weights().get(name).sizes();
  if (!is_cell(index, shape))
    return fail(Code::out_of_range, "error.trace.no_cell", {name, shape_text(shape)});
  GradientExplanation out;
  const std::int64_t row = index.size() > 1 ? index[0] : 0, col = index.back();
  for (const WeightPart& part : parts) {
    out.shares.push_back(part.transposed ? ShareOfWeight(gradients, part, col, row).run()
                                         : ShareOfWeight(gradients, part, row, col).run());
    out.result += out.shares.back().value;
  }
  out.recorded = weight_gradient_cell(gradients, name, index);
  return out;
}

}  // namespace attnscope
