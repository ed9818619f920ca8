// Gradients of weights from their uses: every sum goes through the rows of all runs in their order, on any
// number of threads.
#include <algorithm>
#include <set>

#include "core/base/thread_pool.h"
#include "core/model/gradients.h"
#include "core/model/model.h"
#include "core/tensor/shape_of.h"
#include "core/trace/ties.h"

namespace attnscope {
namespace {

using Uses = std::vector<const WeightUse*>;

// Rows of all these on top of each other [rows, width]; one alone is taken as it is.
Tensor stacked(const Uses& uses, Tensor WeightUse::*part) {
  if (uses.size() == 1) return uses.front()->*part;
  std::int64_t rows = 0;
  for (const WeightUse* use : uses) rows += (use->*part).size(0);
  const Tensor& first = uses.front()->*part;
  Buffer out({{first.axis(0), rows}, {first.axis(1), first.size(1)}});
  float* to = out.data();
  for (const WeightUse* use : uses) {
    (use->*part).read(to);
    to += (use->*part).count();
  }
  return std::move(out).freeze();
}

Tensor rows_gradient(const Uses& uses, const Tensor& table) {
  std::vector<int> ids;
  for (const WeightUse* use : uses) ids.insert(ids.end(), use->ids.begin(), use->ids.end());
  return gather_rows_backward(stacked(uses, &WeightUse::dy), ids, table.size(0))
      .rename({table.axis(0), table.axis(1)});
}

Tensor ready_gradient(const Uses& uses) {
  const Tensor first = uses.front()->dy.packed();
  std::vector<double> sum(static_cast<std::size_t>(first.count()), 0.0);
  for (const WeightUse* use : uses) {
    const Tensor gradient = use->dy.packed();
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(gradient.data()[i]);
  }
  return Tensor::from(std::vector<float>(sum.begin(), sum.end()), shape_of(first));
}

// Everything that one weight (and the bias beside it) collects.
struct Share {
  std::string name;
  WeightUse::Kind kind = WeightUse::Kind::ready;
  Uses uses;
  Tensor weight, bias;  // results
  std::int64_t cost() const {
    std::int64_t sum = 0;
    for (const WeightUse* use : uses)
      sum += use->dy.count() * (kind == WeightUse::Kind::product ? use->x.size(1) : 1);
    return sum;
  }
};

std::string bias_name(const std::string& weight) { return weight.substr(0, weight.size() - 6) + "bias"; }

void multiply_out(Share& share, const Weights& weights) {
  const Tensor weight = weights.get(share.name);
  if (share.kind == WeightUse::Kind::rows) share.weight = rows_gradient(share.uses, weight);
  if (share.kind == WeightUse::Kind::ready) share.weight = ready_gradient(share.uses);
  if (share.kind != WeightUse::Kind::product) return;
  std::vector<LinearUse> uses;
  for (const WeightUse* use : share.uses) uses.push_back({use->dy, use->x});
  LinearGrads grads = linear_backward_weights(uses, weight, weights.get(bias_name(share.name)));
  share.weight = std::move(grads.w);
  share.bias = std::move(grads.bias);
}

std::vector<Share> shares_of(std::span<const std::shared_ptr<const Gradients>> runs) {
  std::map<std::pair<std::string, WeightUse::Kind>, Uses> by_name;
  for (const auto& run : runs)
    for (const WeightUse& use : run->uses()) by_name[{use.name, use.kind}].push_back(&use);
  std::vector<Share> out;
  for (auto& [key, uses] : by_name) out.push_back({key.first, key.second, std::move(uses), {}, {}});
  return out;
}

// Large ones first, those that read the same rows (q, k, v) beside each other, dealt out to the threads in
// turn: parallel_for gives each thread one run of neighbours.
std::vector<std::size_t> dealt(const std::vector<Share>& shares) {
  std::vector<std::size_t> order(shares.size());
  std::vector<std::int64_t> costs;
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    costs.push_back(shares[i].cost());
  }
  const auto read_by = [&](std::size_t i) {
    const Tensor& x = shares[i].uses.front()->x;
    return x.empty() ? nullptr : x.data();
  };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return costs[a] != costs[b] ? costs[a] > costs[b] : std::less<>()(read_by(a), read_by(b));
  });
  const auto hands = static_cast<std::size_t>(thread_count());
  std::vector<std::size_t> out;
  for (std::size_t hand = 0; hand < hands; ++hand)
    for (std::size_t i = hand; i < order.size(); i += hands) out.push_back(order[i]);
  return out;
}

void add_to(std::map<std::string, Tensor>& sums, const std::string& name, Tensor gradient) {
  if (gradient.empty()) return;
  auto [at, fresh] = sums.try_emplace(name, gradient);
  if (!fresh) at->second = add(at->second, gradient.rename({at->second.axis(0), at->second.axis(1)}));
}

}  // namespace

std::map<std::string, Tensor> collect(std::span<const std::shared_ptr<const Gradients>> runs) {
  if (runs.empty()) return {};
  const Trace& first = runs.front()->trace();
  std::vector<Share> shares = shares_of(runs);
  const std::vector<std::size_t> order = dealt(shares);
  parallel_for(static_cast<std::int64_t>(order.size()), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      multiply_out(shares[order[static_cast<std::size_t>(i)]], first.weights());
  });
  std::map<std::string, Tensor> out;
  for (Share& share : shares) {
    const std::string name = kept_weight(first.config(), share.name).name;
    const bool transposed =
        name != share.name && share.kind == WeightUse::Kind::product;  // [d, vocab] of a table
    add_to(out, name, transposed ? share.weight.transpose().packed() : share.weight);
    if (!share.bias.empty()) out[bias_name(share.name)] = share.bias;
  }
  return out;
}

std::map<std::string, Tensor> Gradients::weights() const {
  const auto self = std::shared_ptr<const Gradients>(std::shared_ptr<const Gradients>(), this);
  return collect({&self, 1});
}

std::vector<std::string> parameters(const ModelConfig& config, const Weights& weights) {
  std::vector<std::string> out;
  for (const WeightShape& expected : expected_weights(config))
    if (weights.find(expected.name) && kept_weight(config, expected.name).name == expected.name)
      out.push_back(expected.name);
  return out;
}

Weights with_parameters(const ModelConfig& config, const Weights& weights,
                        const std::map<std::string, Tensor>& changed) {
  Weights out = weights;
  for (const auto& [name, value] : changed) out.set(name, value);
  tie_tables(config, out);
  return out;
}

}  // namespace attnscope
