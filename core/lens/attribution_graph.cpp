#include "core/lens/attribution_graph.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "core/lens/head_side.h"
#include "core/lens/held_path.h"
#include "core/lens/moving_row.h"
#include "core/trace/flow.h"

namespace attnscope {
namespace {

using NodeKind = GraphNode::Kind;

constexpr double kLeastEdge = 0.02;  // of the total; smaller edges are not followed

// Follows nodes from the last one that was computed to the first, so that all that reads a node has been
// followed before it.
class Follower {
 public:
  Follower(const Trace& trace, double least, std::size_t most, GraphPatterns patterns = GraphPatterns::held)
      : trace_(trace), least_(least), most_(most), patterns_(patterns) {}

  // False where more nodes would be followed than are wanted, or `go_on` returned false.
  bool follow(const HeldMeasure& asked, const std::function<bool()>& go_on) {
    begin(asked);
    for (const GraphEdge& edge : out_.edges) out_.scale += std::fabs(edge.value);
    for (int next = latest(); next >= 0; next = latest()) {
      if ((go_on && !go_on()) || ++followed_ > most_) return false;
      followed_nodes_[static_cast<std::size_t>(next)] = true;
      follow_node(next);
    }
    settle();
    return true;
  }

  AttributionGraph take() { return std::move(out_); }

  // What runs into one node that the measure reads: into a head from the row that it read as `key`, into the
  // neuron `key` of an MLP.
  void open(const HeldMeasure& asked, const Site& site, std::int64_t head, std::int64_t key,
            Attribution& found) {
    begin(asked);
    const auto at = places_.find({site, head, asked.row});
    const std::size_t before = out_.edges.size();
    if (at != places_.end()) follow_node(at->second, key);
    for (std::size_t i = before; i < out_.edges.size(); ++i) {
      const GraphNode& from = out_.nodes[static_cast<std::size_t>(out_.edges[i].from)];
      const bool embed = from.kind == NodeKind::embed;
      LogitPart part{
          embed ? stream_entry(trace_, from.site.stack) : to_text(from.site), {}, out_.edges[i].value};
      if (from.head >= 0) part.at = {{"head", from.head}};
      found.parts.push_back(std::move(part));
    }
    const double offsets = at != places_.end() ? out_.nodes[static_cast<std::size_t>(at->second)].bias : 0;
    if (offsets != 0) found.parts.push_back({"bias", {}, offsets});
    found.held = out_.held;
  }

 private:
  // The measure, and all that it reads.
  void begin(const HeldMeasure& asked) {
    out_.total = asked.total;
    out_.held = asked.held;
    out_.least = least_;
    const Site logits = trace_.main(StepRole::logits);
    out_.nodes.push_back({NodeKind::output, logits, -1, asked.row, asked.total, asked.bias, 0, true});
    directions_.emplace_back();
    read(0, stack_output(trace_, trace_.config().stack), asked.row, asked.g);
  }

  // ---- nodes --------------------------------------------------------------------------------------

  int node(NodeKind kind, const Site& site, std::int64_t head, std::int64_t row) {
    const auto [at, fresh] = places_.try_emplace({site, head, row}, static_cast<int>(out_.nodes.size()));
    if (fresh) {
      out_.nodes.push_back({kind, site, head, row});
      directions_.emplace_back();
      followed_nodes_.resize(out_.nodes.size(), false);
    }
    return at->second;
  }

  // `reader` reads `value` of what a node wrote, along `g` over the residual stream; `write`: the row itself.
  void edge(int reader, int from, double value, const Direction& g, const Direction& write) {
    out_.edges.push_back({from, reader, value, side_, alone_ ? alone_(through_norms(write)) : value});
    out_.nodes[static_cast<std::size_t>(from)].value += value;
    Direction& sum = directions_[static_cast<std::size_t>(from)];
    if (sum.empty()) sum.assign(g.size(), 0.0);
    for (std::size_t i = 0; i < g.size(); ++i) sum[i] += g[i];
  }

  bool is_edge(double value) const {
    return value != 0 && std::fabs(value) >= least_ * kLeastEdge * out_.scale;  // the scale is 0 at first
  }

  // The last node in order of execution that is large enough to follow and was not; -1: none.
  int latest() const {
    int best = -1, best_index = -1;
    for (std::size_t i = 1; i < out_.nodes.size(); ++i) {
      const GraphNode& one = out_.nodes[i];
      if (one.kind == NodeKind::embed || followed_nodes_[i]) continue;
      if (std::fabs(one.value) < least_ * out_.scale) continue;
      const int index = trace_.index_of(one.site);
      if (index > best_index) best = static_cast<int>(i), best_index = index;
    }
    return best;
  }

  // ---- what a row is made of ----------------------------------------------------------------------

  void hold(const std::string& name) { hold_once(out_.held, name); }
  double& bias(int reader) { return out_.nodes[static_cast<std::size_t>(reader)].bias; }

  // `reader` reads the row of `site` along g.
  void read(int reader, const Site& site, std::int64_t row, const Direction& g) {
    if (is_norm(site) && !site.is(StepKind::norm_embed)) {
      const HeldNorm held = through_norm(trace_, site, row, g);
      bias(reader) += held.bias;
      hold(without_out(site) + ".scale");
      const Site before = flow_inputs(trace_, site).front();
      if (edit_reaches(trace_, site))
        edited(reader, site, row, g, held.bias + dot(held.g, recorded_row(trace_, before, row)));
      norms_.push_back({site, row});
      read(reader, before, row, held.g);
      norms_.pop_back();
      return;
    }
    if (site.is(StepKind::output)) return read_heads(reader, site, row, g);
    if (site.is(StepKind::mlp_down)) return read_leaf(reader, NodeKind::mlp, site, row, g);
    const bool entry = site.layer < 0 || (site.is(StepKind::residual_in) && site.layer == 0);
    const std::vector<Site> made_of = entry ? std::vector<Site>() : flow_inputs(trace_, site);
    if (made_of.empty()) return read_leaf(reader, NodeKind::embed, site, row, g);
    if (edit_reaches(trace_, site)) {
      double made = 0;
      for (const Site& part : made_of) made += dot(g, recorded_row(trace_, part, row));
      edited(reader, site, row, g, made);
    }
    for (const Site& part : made_of) read(reader, part, row, g);
  }

  // What an edit put there counts as a bias, as in the linear twin.
  void edited(int reader, const Site& site, std::int64_t row, const Direction& g, double made) {
    bias(reader) += added_by_edit(trace_, site, row, g, made);
  }

  void read_leaf(int reader, NodeKind kind, const Site& site, std::int64_t row, const Direction& g) {
    const Tensor wrote = recorded_row(trace_, site, row);
    const double value = dot(g, wrote);
    if (!is_edge(value)) return;
    const std::vector<float> cells = wrote.values();
    edge(reader, node(kind, site, -1, row), value, g, {cells.begin(), cells.end()});
  }

  // A part of a row of the stream as what reads it has it, behind the norms on the way.
  Direction through_norms(Direction row) const {
    for (auto norm = norms_.rbegin(); norm != norms_.rend(); ++norm)
      row = part_through_norm(trace_, norm->first, norm->second, std::move(row));
    return row;
  }

  void read_heads(int reader, const Site& site, std::int64_t row, const Direction& g) {
    const Site z = site.near(StepRole::head_out);
    const std::vector<Direction>& written = written_by(site, row);
    double made = 0;
    for (std::size_t head = 0; head < written.size(); ++head) {
      const double value = std::inner_product(g.begin(), g.end(), written[head].begin(), 0.0);
      made += value;
      if (is_edge(value))
        edge(reader, node(NodeKind::head, z, static_cast<std::int64_t>(head), row), value, g, written[head]);
    }
    const Tensor offset = part_of(site, ".bias");
    const double own = offset.empty() ? 0 : dot(g, offset);
    bias(reader) += own;
    if (edit_reaches(trace_, site)) edited(reader, site, row, g, made + own);
  }

  // ".weight" or ".bias" of a step; empty: none.
  Tensor part_of(const Site& site, const char* which) const {
    return trace_.weights().get(to_text(site) + which);
  }

  // What each head adds to a row of the residual stream.
  const std::vector<Direction>& written_by(const Site& site, std::int64_t row) {
    std::vector<Direction>& out = written_[{site, row}];
    if (out.empty()) out = written_by_heads(trace_, site, row);
    return out;
  }

  // ---- through a node -----------------------------------------------------------------------------

  // `only`: one key of a head, one neuron of an MLP; -1: all.
  void follow_node(int at, std::int64_t only = -1) {
    const GraphNode one = out_.nodes[static_cast<std::size_t>(at)];
    const Direction g = std::move(directions_[static_cast<std::size_t>(at)]);
    if (one.kind == NodeKind::head)
      through_head(at, one, g, only);
    else
      through_mlp(at, one, g, only);
    out_.nodes[static_cast<std::size_t>(at)].followed = true;
  }

  // From z to the rows that the head read values of, the pattern held.
  void through_head(int at, const GraphNode& one, const Direction& g, std::int64_t only) {
    const Site out_site = one.site.near(StepRole::branch, Hue::output),
               v_site = one.site.near(StepRole::projection, Hue::value);
    const AttentionState& state = *trace_.attention(one.site);
    const std::int64_t heads = state.in.q.size(0), kv_heads = state.in.v.size(0), d_head = state.in.v.size(2),
                       keys = state.in.k.size(1), kv = one.head * kv_heads / heads;
    const Tensor w_out = part_of(out_site, ".weight");
    const Direction gz = through(w_out.slice(0, one.head * d_head, (one.head + 1) * d_head), g);
    if (patterns_ == GraphPatterns::followed && !state.edits) return through_moving_head(at, one, gz);
    const Tensor w_v = part_of(v_site, ".weight"), b_v = part_of(v_site, ".bias");
    const Direction into = through(w_v.slice(1, kv * d_head, (kv + 1) * d_head), gz);
    const double offset = b_v.empty() ? 0 : dot(gz, b_v.slice(0, kv * d_head, (kv + 1) * d_head));
    const Tensor pattern =
        state.stage(ScoreStage::pattern, one.head, {one.row, one.row + 1}, {0, keys}).packed();
    hold(to_text(one.site.near(StepRole::pattern)));
    const Site source = flow_inputs(trace_, v_site).front();
    for (std::int64_t key = 0; key < keys; ++key) {
      const auto weight = static_cast<double>(pattern.at(0, key));
      if (weight == 0 || (only >= 0 && only != key)) continue;
      Direction own = into;
      for (double& x : own) x *= weight;
      bias(at) += weight * offset;
      read(at, source, key, own);
    }
  }

  // A head as a function of its query, its keys and its values: `gz` over what it makes.
  void through_moving_head(int at, const GraphNode& one, const Direction& gz) {
    const AttentionInputs& in = trace_.attention(one.site)->in;
    const std::int64_t heads = in.q.size(0), kv = one.head * in.v.size(0) / heads, keys = in.k.size(1);
    std::vector<double> along;
    for (std::int64_t key = 0; key < keys; ++key) along.push_back(dot(gz, in.v.select(0, kv).select(0, key)));
    const MovingRow row(*trace_.attention(one.site), one.head, one.row, along);
    const auto scale = static_cast<double>(in.scale);
    Direction query(static_cast<std::size_t>(in.q.size(2)), 0.0);
    for (std::int64_t key = 0; key < keys; ++key)
      for (std::size_t i = 0; i < query.size(); ++i)
        query[i] += scale * row.by_score()[static_cast<std::size_t>(key)] *
                    static_cast<double>(in.k.at(kv, key, static_cast<std::int64_t>(i)));
    read_side(at, one, {Hue::query, GraphSide::query, one.head, one.row}, query,
              [&](const Direction& missing) {
                std::vector<double> taken;
                for (std::int64_t key = 0; key < keys; ++key)
                  taken.push_back(scale * dot(missing, in.k.select(0, kv).select(0, key)));
                return row.value() - row.without(taken);
              });
    const Tensor q = in.q.select(0, one.head).select(0, one.row);
    for (std::int64_t key = 0; key < keys; ++key) {
      const auto k = static_cast<std::size_t>(key);
      if (row.by_value()[k] == 0) continue;  // masked
      Direction into(query.size());
      for (std::size_t i = 0; i < into.size(); ++i)
        into[i] = scale * row.by_score()[k] * static_cast<double>(q.at(static_cast<std::int64_t>(i)));
      read_side(at, one, {Hue::key, GraphSide::key, kv, key}, into, [&](const Direction& missing) {
        std::vector<double> taken(static_cast<std::size_t>(keys), 0.0);
        taken[k] = scale * dot(missing, q);
        return row.value() - row.without(taken);
      });
      Direction value = gz;
      for (double& x : value) x *= row.by_value()[k];
      read_side(at, one, {Hue::value, GraphSide::value, kv, key}, value, [&](const Direction& missing) {
        return row.pattern()[k] * std::inner_product(gz.begin(), gz.end(), missing.begin(), 0.0);
      });
    }
  }

  // One projection of a head at one row, read along `g` over what scores or the sum over values use; `alone`
  // of what is missing there.
  struct HeadRow {
    Hue hue;
    GraphSide side;
    std::int64_t head, row;
  };
  void read_side(int at, const GraphNode& one, const HeadRow& where, Direction g,
                 const std::function<double(const Direction&)>& alone) {
    const Site site = one.site.near(StepRole::projection, where.hue);
    const std::int64_t d = std::ssize(g);
    const Tensor weight = part_of(site, ".weight").slice(1, where.head * d, (where.head + 1) * d),
                 offset = part_of(site, ".bias");
    const bool scores = where.side != GraphSide::value;
    if (scores) back_through_head_side(trace_, one.site, where.hue, where.head, where.row, g);
    if (!offset.empty()) bias(at) += dot(g, offset.slice(0, where.head * d, (where.head + 1) * d));
    side_ = where.side;
    alone_ = [&](const Direction& row) {
      Direction missing = times(row, weight);
      if (scores) through_head_side(trace_, one.site, where.hue, where.head, where.row, missing);
      return alone(missing);
    };
    read(at, flow_inputs(trace_, site).front(), where.row, through(weight, g));
    side_ = GraphSide::any;
    alone_ = {};
  }

  // From the MLP's result to what it read, its gates held.
  void through_mlp(int at, const GraphNode& one, const Direction& g, std::int64_t only) {
    const auto add_bias = [&](const Site& site, const Direction& along) {
      const Tensor offset = part_of(site, ".bias");
      if (!offset.empty()) bias(at) += dot(along, offset);
    };
    if (only < 0) add_bias(one.site, g);
    Direction neurons = through(part_of(one.site, ".weight"), g);  // [d_mlp]
    const bool gated = trace_.find(one.site.with(Slot::mlp_up)) != nullptr;
    const Site linear = one.site.with(gated ? Slot::mlp_up : Slot::mlp_pre),
               gate = one.site.with(gated ? Slot::mlp_act : Slot::mlp_post);
    const Tensor before = recorded_row(trace_, linear, one.row), after = recorded_row(trace_, gate, one.row);
    for (std::size_t i = 0; i < neurons.size(); ++i) {
      const auto n = static_cast<std::int64_t>(i);
      if (only >= 0 && only != n) neurons[i] = 0;
      neurons[i] *= gated ? static_cast<double>(after.at(n))
                          : held_gate(static_cast<double>(before.at(n)), static_cast<double>(after.at(n)));
    }
    hold(to_text(gate));
    add_bias(linear, neurons);
    read(at, flow_inputs(trace_, linear).front(), one.row, through(part_of(linear, ".weight"), neurons));
  }

  // Readers first, and of each reader the largest edges first.
  void settle() {
    std::vector<double> in(out_.nodes.size(), 0.0);
    for (const GraphEdge& edge : out_.edges) in[static_cast<std::size_t>(edge.to)] += edge.value;
    for (std::size_t i = 0; i < in.size(); ++i) {
      GraphNode& one = out_.nodes[i];
      one.rest = one.kind == NodeKind::embed ? 0 : one.value - one.bias - in[i];
    }
    double missed = 0, all = 0;
    for (const GraphEdge& edge : out_.edges) {
      if (edge.side != GraphSide::query && edge.side != GraphSide::key) continue;
      missed += std::fabs(edge.value - edge.alone), all += std::fabs(edge.alone);
    }
    out_.off = all > 0 ? missed / all : 0;
    std::stable_sort(out_.edges.begin(), out_.edges.end(), [](const GraphEdge& a, const GraphEdge& b) {
      return a.to != b.to ? a.to < b.to : std::fabs(a.value) > std::fabs(b.value);
    });
  }

  const Trace& trace_;
  double least_;
  std::size_t most_, followed_ = 0;
  GraphPatterns patterns_;
  AttributionGraph out_;
  std::vector<std::pair<Site, std::int64_t>> norms_;  // passed on the way to what is read, the first reader's
                                                      // first
  GraphSide side_ = GraphSide::any;
  std::function<double(const Direction&)> alone_;  // of a part of the row that a head's projection reads
  std::vector<Direction> directions_;              // of each node's readers, summed, over what it writes into
  std::vector<bool> followed_nodes_ = {true};
  std::map<std::tuple<Site, std::int64_t, std::int64_t>, int> places_;
  std::map<std::pair<Site, std::int64_t>, std::vector<Direction>> written_;
};

}  // namespace

std::string graph_side_name(GraphSide side) {
  constexpr const char* kNames[] = {"", "q", "k", "v"};
  return kNames[static_cast<std::size_t>(side)];
}

Result<AttributionGraph> attribution_graph(const Trace& trace, const LogitMeasure& measure, double least,
                                           std::size_t most, const std::function<bool()>& go_on,
                                           GraphPatterns patterns) {
  TRY(const HeldMeasure asked, held_measure(trace, measure));
  for (double share = least;; share = std::max(share * 1.6, 1e-4)) {
    Follower follower(trace, share, most, patterns);
    if (follower.follow(asked, go_on)) return follower.take();
    if (go_on && !go_on()) return fail(Code::cancelled, "error.model.stopped");
    if (share > 1) return fail(Code::no_memory, "error.lens.needs_run");
  }
}

Result<Attribution> attribute_inside(const Trace& trace, const LogitMeasure& measure, const LogitPart& part) {
  TRY(const HeldMeasure asked, held_measure(trace, measure));
  TRY(Site site, parse_site(part.step));
  const auto index = [&](std::string_view axis) {
    const AxisRange* const found = range_on(part.at, axis);
    return found ? found->begin : -1;
  };
  const bool neuron = site.is(StepRole::neurons);
  const std::int64_t head = neuron ? -1 : index("head"), key = index(neuron ? "d_mlp" : "pos");
  if ((!neuron && (!site.is(StepRole::head_out) || head < 0)) || key < 0)
    return fail(Code::unsupported, "error.lens.no_inside", {part.step});
  if (neuron) site = site.near(StepRole::branch, Hue::mlp);
  Attribution out;
  out.total = out.rest = part.value;
  Follower(trace, 0, 1).open(asked, site, head, key, out);
  for (const LogitPart& one : out.parts) out.rest -= one.value;
  return out;
}

}  // namespace attnscope
