#include "core/lens/rollout.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::int64_t kRolloutMostPairs = std::int64_t{1} << 26;  // weights of all blocks in memory
constexpr double kMostFlow = 6e7;                                  // edges x sinks

struct Edge {
  std::int64_t to;
  double left;
  std::size_t back;  // of its reverse edge, among those of `to`
};

// Dinic's algorithm: breadth first levels, then blocking flows along them.
class FlowGraph {
 public:
  explicit FlowGraph(std::int64_t nodes) : edges_(static_cast<std::size_t>(nodes)) {}

  void add(std::int64_t from, std::int64_t to, double capacity) {
    if (!(capacity > 0)) return;
    at(from).push_back({to, capacity, at(to).size()});
    at(to).push_back({from, 0, at(from).size() - 1});
    added_.push_back({from, at(from).size() - 1, capacity});
  }

  /// Every edge as it was added.
  void restore() {
    for (const Added& one : added_) {
      Edge& edge = at(one.from)[one.index];
      edge.left = one.capacity;
      at(edge.to)[edge.back].left = 0;
    }
  }

  double flow(std::int64_t source, std::int64_t sink) {
    double total = 0;
    while (reach(source, sink)) {
      next_.assign(edges_.size(), 0);
      for (double pushed = push(source, sink, kAll); pushed > 0; pushed = push(source, sink, kAll))
        total += pushed;
    }
    return total;
  }

 private:
  static constexpr double kAll = std::numeric_limits<double>::infinity(), kNothing = 1e-12;
  struct Added {
    std::int64_t from;
    std::size_t index;
    double capacity;
  };
  std::vector<Edge>& at(std::int64_t node) { return edges_[static_cast<std::size_t>(node)]; }

  bool reach(std::int64_t source, std::int64_t sink) {
    level_.assign(edges_.size(), -1);
    level_[static_cast<std::size_t>(source)] = 0;
    std::queue<std::int64_t> open;
    open.push(source);
    while (!open.empty()) {
      const std::int64_t node = open.front();
      open.pop();
      for (const Edge& edge : at(node)) {
        int& level = level_[static_cast<std::size_t>(edge.to)];
        if (edge.left <= kNothing || level >= 0) continue;
        level = level_[static_cast<std::size_t>(node)] + 1;
        open.push(edge.to);
      }
    }
    return level_[static_cast<std::size_t>(sink)] >= 0;
  }

  double push(std::int64_t node, std::int64_t sink, double room) {
    if (node == sink) return room;
    for (std::size_t& i = next_[static_cast<std::size_t>(node)]; i < at(node).size(); ++i) {
      Edge& edge = at(node)[i];
      const bool down =
          level_[static_cast<std::size_t>(edge.to)] == level_[static_cast<std::size_t>(node)] + 1;
      if (edge.left <= kNothing || !down) continue;
      const double pushed = push(edge.to, sink, std::min(room, edge.left));
      if (!(pushed > 0)) continue;
      edge.left -= pushed;
      at(edge.to)[edge.back].left += pushed;
      return pushed;
    }
    return 0;
  }

  std::vector<std::vector<Edge>> edges_;
  std::vector<Added> added_;
  std::vector<int> level_;
  std::vector<std::size_t> next_;
};

// row [n] times weights [n, m].
std::vector<double> rollout_times(const std::vector<double>& row, const Tensor& weights) {
  std::vector<double> out(static_cast<std::size_t>(weights.size(1)), 0.0);
  for (std::int64_t i = 0; i < weights.size(0); ++i) {
    const double by = row[static_cast<std::size_t>(i)];
    if (by == 0) continue;
    const float* from = weights.data() + i * weights.stride(0);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += by * static_cast<double>(from[j]);
  }
  return out;
}

// Row `query` seen from above block `last` down to the input.
std::vector<double> rolled(const std::vector<Tensor>& steps, std::size_t last, std::int64_t query) {
  std::vector<double> row(static_cast<std::size_t>(steps[last].size(0)), 0.0);
  row[static_cast<std::size_t>(query)] = 1;
  for (std::size_t step = last + 1; step-- > 0;) row = rollout_times(row, steps[step]);
  return row;
}

// Flow from (last, query) to each row of the input; nodes are (level, row), level 0 the input.
Result<std::vector<double>> flowed(const std::vector<Tensor>& steps, std::size_t last, std::int64_t query,
                                   const std::function<bool()>& go_on) {
  const std::int64_t rows = steps[0].size(1);
  FlowGraph graph(rows * static_cast<std::int64_t>(last + 2));
  for (std::size_t step = 0; step <= last; ++step)
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < rows; ++j)
        graph.add(static_cast<std::int64_t>(step + 1) * rows + i, static_cast<std::int64_t>(step) * rows + j,
                  static_cast<double>(steps[step].at(i, j)));
  std::vector<double> out;
  for (std::int64_t sink = 0; sink < rows; ++sink) {
    if (go_on && !go_on()) return fail(Code::cancelled, "error.model.stopped");
    graph.restore();
    out.push_back(graph.flow(static_cast<std::int64_t>(last + 1) * rows + query, sink));
  }
  return out;
}

Result<std::vector<Tensor>> steps_of(const Trace& trace, const std::vector<const Record*>& patterns,
                                     bool residual, const std::function<bool()>& go_on) {
  std::vector<Tensor> out;
  for (const Record* record : patterns) {
    if (go_on && !go_on()) return fail(Code::cancelled, "error.model.stopped");
    TRY(out.emplace_back(), block_weights(trace, record->site, residual));
  }
  return out;
}

}  // namespace

std::string_view path_name(AttentionPath path) { return name_of_value(path, kAttentionPaths); }

double max_flow(const std::vector<double>& capacities, std::int64_t count, std::int64_t source,
                std::int64_t sink) {
  FlowGraph graph(count);
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t j = 0; j < count; ++j)
      graph.add(i, j, capacities[static_cast<std::size_t>(i * count + j)]);
  return graph.flow(source, sink);
}

Result<Tensor> block_weights(const Trace& trace, const Site& pattern, bool residual) {
  const Record* record = pattern.is(StepRole::pattern) ? trace.find(pattern) : nullptr;
  if (!record) return fail(Code::not_found, "error.lens.no_pattern", {to_text(pattern)});
  const std::int64_t heads = record->shape[0], rows = record->shape[1], keys = record->shape[2];
  std::vector<double> sum(static_cast<std::size_t>(rows * keys), 0.0);
  for (std::int64_t head = 0; head < heads; ++head) {
    const std::vector<float> plane = trace.slice(pattern, head, {0, rows}, {0, keys}).values();
    for (std::size_t i = 0; i < sum.size(); ++i)
      sum[i] += static_cast<double>(plane[i]) / static_cast<double>(heads);
  }
  Buffer out({{Axis::query, rows}, {Axis::key, keys}});
  for (std::int64_t i = 0; i < rows; ++i) {
    double* row = sum.data() + i * keys;
    if (residual) {
      for (std::int64_t j = 0; j < keys; ++j) row[j] /= 2;
      if (i < keys) row[i] += 0.5;
    }
    double all = 0;
    for (std::int64_t j = 0; j < keys; ++j) all += row[j];
    for (std::int64_t j = 0; j < keys; ++j)
      out.data()[i * keys + j] = static_cast<float>(residual && all > 0 ? row[j] / all : row[j]);
  }
  return std::move(out).freeze();
}

Result<PathRows> attention_path(const Trace& trace, const AttentionPlace& place, AttentionPath path,
                                std::int64_t query, const std::function<bool()>& go_on) {
  const std::vector<const Record*> patterns = patterns_of(trace, place);
  if (patterns.empty()) return fail(Code::not_found, "error.lens.no_pattern", {to_text(place.pattern(0))});
  const std::int64_t rows = patterns[0]->shape[1], keys = patterns[0]->shape[2];
  if (query < 0 || query >= rows) return fail(Code::out_of_range, "error.lens.path_row", {query, rows});
  const bool self = looks_at_itself(place);
  if (path == AttentionPath::flow && !self) return fail(Code::unsupported, "error.lens.flow_cross");
  const auto count = std::ssize(patterns);
  if (rows * keys * count > kRolloutMostPairs)
    return fail(Code::no_memory, "error.lens.path_long", {rows, kRolloutMostPairs / (keys * count)});
  const double work = static_cast<double>(rows * rows * rows) * static_cast<double>(count * count) / 2;
  if (path == AttentionPath::flow && work > kMostFlow)
    return fail(Code::no_memory, "error.lens.flow_long", {rows});
  PathRows out;
  for (const Record* record : patterns) out.layers.push_back(record->site.layer);
  TRY(const std::vector<Tensor> steps, steps_of(trace, patterns, path != AttentionPath::raw && self, go_on));
  std::vector<Tensor> below;  // of cross-attention: the encoder's own
  if (!self && path == AttentionPath::rollout) {
    TRY(below, steps_of(trace, patterns_of(trace, {place.keys(), Part::attn}), true, go_on));
  }
  std::vector<float> values;
  for (std::size_t block = 0; block < steps.size(); ++block) {
    if (go_on && !go_on()) return fail(Code::cancelled, "error.model.stopped");
    std::vector<double> row;
    if (path == AttentionPath::raw || !self) {
      for (std::int64_t key = 0; key < keys; ++key)
        row.push_back(static_cast<double>(steps[block].at(query, key)));
      for (std::size_t step = below.size(); step-- > 0;) row = rollout_times(row, below[step]);
    } else if (path == AttentionPath::rollout) {
      row = rolled(steps, block, query);
    } else {
      TRY(row, flowed(steps, block, query, go_on));
    }
    values.insert(values.end(), row.begin(), row.end());
  }
  out.weights = Tensor::from(std::move(values), {{Axis::none, count}, {Axis::key, keys}});
  return out;
}

}  // namespace attnscope
