// The graph of who wrote what was read adds up in every family: all that runs into a node is what runs out of
// it, and what runs into the measure is what the attribution of heads says.
#include "core/lens/attribution_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/lens/attribution.h"
#include "tests/golden_run.h"

namespace attnscope {
namespace {

using Kind = GraphNode::Kind;

std::shared_ptr<const Trace> run(const OpenedModel& opened) {
  return testing::golden_run(opened, {5, 9, 3, 7, 2}, {4, 8, 6, 3});
}
const LogitMeasure kMeasure{LogitMeasure::Kind::logit_diff, 7, 11, -1, {}};

// What runs into each node with its bias and rest, and out of it.
void expect_closed(const AttributionGraph& graph) {
  std::vector<double> in(graph.nodes.size(), 0), out(graph.nodes.size(), 0);
  for (const GraphEdge& edge : graph.edges) {
    in[std::size_t(edge.to)] += edge.value;
    out[std::size_t(edge.from)] += edge.value;
  }
  for (std::size_t i = 0; i < in.size(); ++i) {
    const GraphNode& node = graph.nodes[i];
    if (node.kind != Kind::embed) {
      EXPECT_NEAR(in[i] + node.bias + node.rest, node.value, 1e-9);
    }
    if (node.kind != Kind::output) {
      EXPECT_NEAR(out[i], node.value, 1e-9);
    }
  }
}

class AttributionGraphs : public ::testing::TestWithParam<const char*> {};

TEST_P(AttributionGraphs, EveryNodeAddsUpToRounding) {
  const OpenedModel opened = testing::golden_model(GetParam());
  const auto trace = run(opened);
  const auto graph = attribution_graph(*trace, kMeasure, 0, 100000);
  ASSERT_TRUE(graph) << graph.error().text();
  expect_closed(*graph);
  EXPECT_NEAR(graph->total, *measured(kMeasure, *trace), 1e-9);
  double leaves = 0;
  for (const GraphNode& node : graph->nodes) {
    EXPECT_TRUE(node.followed || node.kind == Kind::embed);
    EXPECT_LE(std::fabs(node.rest), 1e-4 * std::max(1.0, graph->scale)) << to_text(node.site);
    leaves += node.kind == Kind::embed ? node.value : node.bias;
  }
  EXPECT_NEAR(leaves, graph->total, 2e-4 * std::max(1.0, graph->scale))
      << "embeddings and biases are all there is";
  const auto parts = attribute(*trace, kMeasure, AttributeBy::head);
  ASSERT_TRUE(parts);
  for (const GraphEdge& edge : graph->edges) {
    if (edge.to != 0) continue;
    const GraphNode& from = graph->nodes[std::size_t(edge.from)];
    for (const LogitPart& part : parts->parts)
      if (part.step == to_text(from.site) && (part.at.empty() ? -1 : part.at[0].begin) == from.head) {
        EXPECT_NEAR(edge.value, part.value, 1e-5 * std::max(1.0, graph->scale));
      }
  }
}

// What an edit puts into a norm, a branch or the stream counts as a bias, so that no node has more of a rest.
TEST_P(AttributionGraphs, CloseUnderEdits) {
  const OpenedModel opened = testing::golden_model(GetParam());
  Input input{{5, 9, 3, 7, 2}, {}};
  if (opened.model->config().encoder()) input.source = {4, 8, 6, 3};
  const std::string block = std::string(stack_prefix(opened.model->config().stack)) + "blocks.0.";
  for (const char* text : {"resid_post*=1.5", "ln1.out*=2", "ln2.out*=0.5", "attn.out*=1.5"}) {
    RunOptions options;
    options.edits = {*parse_edit(block + text)};
    const auto run = opened.model->run(input, options);
    if (!run || !(*run)->unreached.empty()) continue;  // a step that this family does not have
    const auto graph = attribution_graph(**run, kMeasure, 0, 100000);
    ASSERT_TRUE(graph) << graph.error().text();
    expect_closed(*graph);
    for (const GraphNode& node : graph->nodes)
      EXPECT_LE(std::fabs(node.rest), 2e-4 * std::max(1.0, graph->scale))
          << text << " " << to_text(node.site);
  }
}

// Patterns followed through queries and keys: the same sums close, no pattern is held, and what each head is
// read through adds up to what it adds.
TEST_P(AttributionGraphs, PatternsAreFollowedAndEveryNodeAddsUp) {
  const OpenedModel opened = testing::golden_model(GetParam());
  const auto trace = run(opened);
  const auto graph = attribution_graph(*trace, kMeasure, 0, 100000, {}, GraphPatterns::followed);
  ASSERT_TRUE(graph) << graph.error().text();
  expect_closed(*graph);
  double leaves = 0;
  std::map<GraphSide, double> sides;
  for (const GraphEdge& edge : graph->edges) {
    sides[edge.side] += std::fabs(edge.value);
    EXPECT_EQ(edge.side != GraphSide::any, graph->nodes[std::size_t(edge.to)].kind == Kind::head);
  }
  EXPECT_GT(sides[GraphSide::query], 0);
  EXPECT_GT(sides[GraphSide::key], 0);
  EXPECT_GT(sides[GraphSide::value], 0);
  for (const std::string& held : graph->held) EXPECT_EQ(held.find("pattern"), std::string::npos) << held;
  for (const GraphNode& node : graph->nodes) {
    EXPECT_LE(std::fabs(node.rest), 1e-4 * std::max(1.0, graph->scale)) << to_text(node.site);
    leaves += node.kind == Kind::embed ? node.value : node.bias;
  }
  EXPECT_NEAR(leaves, graph->total, 2e-4 * std::max(1.0, graph->scale));
}

// What a head read at one position, and what a neuron read, by who wrote it.
TEST_P(AttributionGraphs, WhatAHeadOrANeuronReadAddsUp) {
  const OpenedModel opened = testing::golden_model(GetParam());
  const auto trace = run(opened);
  std::size_t opened_parts = 0;
  for (const AttributeBy by : {AttributeBy::token, AttributeBy::neuron}) {
    const auto sum = attribute(*trace, kMeasure, by);
    ASSERT_TRUE(sum) << sum.error().text();
    std::size_t of_this = 0;
    for (const LogitPart& part : sum->parts) {
      const bool inside =
          !part.at.empty() && part.at.back().axis == (by == AttributeBy::token ? "pos" : "d_mlp");
      if (!inside || ++of_this % 7 != 0) continue;
      const auto found = attribute_inside(*trace, kMeasure, part);
      ASSERT_TRUE(found) << found.error().text();
      ++opened_parts;
      EXPECT_EQ(found->total, part.value);
      EXPECT_LE(std::fabs(found->rest), 1e-5 * std::max(1.0, std::fabs(part.value))) << part.step;
      EXPECT_TRUE(part.value == 0 || !found->parts.empty());
    }
  }
  EXPECT_GT(opened_parts, 4u);
  EXPECT_FALSE(attribute_inside(*trace, kMeasure, {"embed", {}, 1}));
}

INSTANTIATE_TEST_SUITE_P(Families, AttributionGraphs,
                         ::testing::Values("gpt2", "llama", "qwen2", "gemma2", "qwen3", "gpt_neox", "bloom",
                                           "bert", "bart", "t5", "marian"),
                         [](const auto& one) { return std::string(one.param); });

// From the embedding of a token through one head of block 0 to the logits, spelled out.
TEST(AttributionGraph, OneEdgeIsTheProductOfAllThatStandsOnTheWay) {
  const OpenedModel opened = testing::golden_model("gpt2");
  const auto trace = run(opened);
  const auto graph = attribution_graph(*trace, {LogitMeasure::Kind::logit, 7, -1, -1, {}}, 0, 100000);
  ASSERT_TRUE(graph);
  const Weights& w = trace->weights();
  const auto width = std::int64_t{trace->config().d_model},
             d_head = std::int64_t{trace->config().blocks[0].attention.d_head};
  const std::int64_t key = 2, row = 4, head = 1;
  const auto norm = [&](const std::string& base, std::vector<double> x, std::int64_t at) {
    double mean = 0;
    for (const double v : x) mean += v / double(width);
    const double scale = trace->cell(*parse_site(base + ".scale"), {at, 0});
    for (std::int64_t i = 0; i < width; ++i)
      x[size_t(i)] = (x[size_t(i)] - mean) / scale * double(w.get(base + ".weight").at(i));
    return x;
  };
  std::vector<double> x;
  for (std::int64_t i = 0; i < width; ++i) x.push_back(trace->cell(site_of(Slot::resid_pre, 0), {key, i}));
  x = norm("blocks.0.ln1", x, key);
  std::vector<double> v(size_t(d_head), 0.0), written(size_t(width), 0.0);
  for (std::int64_t d = 0; d < d_head; ++d)
    for (std::int64_t i = 0; i < width; ++i)
      v[size_t(d)] += x[size_t(i)] * double(w.get("blocks.0.attn.v.weight").at(i, head * d_head + d));
  const double weight = trace->cell(site_of(Slot::pattern, 0), {head, row, key});
  for (std::int64_t j = 0; j < width; ++j)
    for (std::int64_t d = 0; d < d_head; ++d)
      written[size_t(j)] +=
          weight * v[size_t(d)] * double(w.get("blocks.0.attn.out.weight").at(head * d_head + d, j));
  // The head's direct path alone: what it wrote, read by the final norm.
  written = norm("ln_final", written, row);
  double direct = 0;
  for (std::int64_t j = 0; j < width; ++j)
    direct += written[size_t(j)] * double(w.get("logits.weight").at(j, 7));
  // A graph that follows the head by its direct path only: edges of the head times the share of that path.
  double found = 0, out_of_head = 0, to_output = 0;
  for (const GraphEdge& edge : graph->edges) {
    const GraphNode &from = graph->nodes[size_t(edge.from)], &to = graph->nodes[size_t(edge.to)];
    const auto is_head = [&](const GraphNode& node) {
      return node.kind == Kind::head && node.site.layer == 0 && node.head == head && node.row == row;
    };
    if (is_head(from)) out_of_head += edge.value;
    if (is_head(from) && to.kind == Kind::output) to_output += edge.value;
    if (is_head(to) && from.kind == Kind::embed && from.row == key) found += edge.value;
  }
  EXPECT_NE(out_of_head, to_output) << "later parts read it too";
  EXPECT_NE(found, 0);
  // Without later readers: cut them off by hand.
  Input cut{{5, 9, 3, 7, 2}, {}};
  RunOptions options;
  for (int layer = 0; layer < trace->config().n_layers(); ++layer) {
    options.edits.push_back(*parse_edit("blocks." + std::to_string(layer) + ".mlp.out=0"));
    if (layer > 0) options.edits.push_back(*parse_edit("blocks." + std::to_string(layer) + ".attn.z=0"));
  }
  const auto alone = opened.model->run(cut, options);
  ASSERT_TRUE(alone) << alone.error().text();
  const auto small = attribution_graph(**alone, {LogitMeasure::Kind::logit, 7, -1, -1, {}}, 0, 100000);
  ASSERT_TRUE(small);
  double edge_value = 0;
  for (const GraphEdge& edge : small->edges) {
    const GraphNode &from = small->nodes[size_t(edge.from)], &to = small->nodes[size_t(edge.to)];
    if (to.kind == Kind::head && to.site.layer == 0 && to.head == head && to.row == row &&
        from.kind == Kind::embed && from.row == key)
      edge_value = edge.value;
  }
  const double ratio = trace->cell(*parse_site("ln_final.scale"), {row, 0}) /
                       (*alone)->cell(*parse_site("ln_final.scale"), {row, 0});
  EXPECT_NEAR(edge_value, direct * ratio, 1e-5);
}

// Through the query of one head, spelled out: the mean derivative over 4,000 steps of a plain loop in double,
// and what the head adds where one write leaves its query, its key or its value alone.
class OneHeadByHand {
 public:
  OneHeadByHand(const Trace& trace, int layer, std::int64_t head, std::int64_t row)
      : w_(trace.weights()), trace_(trace), base_("blocks." + std::to_string(layer)), head_(head), row_(row) {
    width_ = trace.config().d_model, d_ = trace.config().blocks[0].attention.d_head;
    const Site pre = site_of(Slot::resid_pre, layer);
    for (std::int64_t pos = 0; pos <= row; ++pos) {
      std::vector<double> x;
      for (std::int64_t i = 0; i < width_; ++i) x.push_back(trace.cell(pre, {pos, i}));
      const std::vector<double> read = normed(x, pos, true);
      for (const char side : {'q', 'k', 'v'}) rows_[side].push_back(projected(side, read, true));
    }
  }
  // What a part of the stream at `pos` is in a projection.
  std::vector<double> part(char side, const std::vector<double>& write, std::int64_t pos) const {
    return projected(side, normed(write, pos, false), false);
  }
  // What the head adds along `gz` with query, keys and values at `share` of theirs, less `missing`.
  double adds(const std::vector<double>& gz, double share, char side = 0, std::int64_t pos = 0,
              const std::vector<double>& missing = {}) const {
    const auto at = [&](char which, std::int64_t key, std::int64_t i) {
      const double whole = share * rows_.at(which)[size_t(key)][size_t(i)];
      return which == side && key == pos ? whole - missing[size_t(i)] : whole;
    };
    std::vector<double> weight;
    double sum = 0, out = 0;
    for (std::int64_t key = 0; key <= row_; ++key) {
      double score = 0;
      for (std::int64_t i = 0; i < d_; ++i) score += at('q', row_, i) * at('k', key, i);
      weight.push_back(std::exp(score / std::sqrt(double(d_))));
      sum += weight.back();
    }
    for (std::int64_t key = 0; key <= row_; ++key)
      for (std::int64_t i = 0; i < d_; ++i)
        out += weight[size_t(key)] / sum * gz[size_t(i)] * at('v', key, i);
    return out;
  }
  // The part of `write` on one side: the mean over the way of the change that 1e-6 of it makes.
  double along(const std::vector<double>& gz, char side, std::int64_t pos, std::vector<double> write) const {
    const double step = 1e-5;
    for (double& x : write) x *= step;
    double mean = 0;
    for (int i = 0; i < 4000; ++i) {
      const double share = (i + 0.5) / 4000;
      std::vector<double> other = write;
      for (double& x : other) x = -x;
      mean += (adds(gz, share, side, pos, other) - adds(gz, share, side, pos, write)) / (2 * step) / 4000;
    }
    return mean;
  }

 private:
  std::vector<double> normed(const std::vector<double>& x, std::int64_t pos, bool offset) const {
    double mean = 0;
    for (const double v : x) mean += v / double(width_);
    const double scale = trace_.cell(*parse_site(base_ + ".ln1.scale"), {pos, 0});
    std::vector<double> out;
    for (std::int64_t i = 0; i < width_; ++i)
      out.push_back((x[size_t(i)] - mean) / scale * double(w_.get(base_ + ".ln1.weight").at(i)) +
                    (offset ? double(w_.get(base_ + ".ln1.bias").at(i)) : 0));
    return out;
  }
  std::vector<double> projected(char side, const std::vector<double>& x, bool offset) const {
    const std::string name = base_ + ".attn." + side;
    std::vector<double> out;
    for (std::int64_t j = head_ * d_; j < (head_ + 1) * d_; ++j) {
      double sum = offset ? double(w_.get(name + ".bias").at(j)) : 0;
      for (std::int64_t i = 0; i < width_; ++i)
        sum += x[size_t(i)] * double(w_.get(name + ".weight").at(i, j));
      out.push_back(sum);
    }
    return out;
  }

  const Weights& w_;
  const Trace& trace_;
  std::string base_;
  std::int64_t head_, row_, width_ = 0, d_ = 0;
  std::map<char, std::vector<std::vector<double>>> rows_;
};

TEST(AttributionGraph, EdgesThroughQueryKeyAndValueAreThoseOfAPlainLoop) {
  const OpenedModel opened = testing::golden_model("gpt2");
  const auto trace = run(opened);
  const LogitMeasure asked{LogitMeasure::Kind::logit, 7, -1, -1, {}};
  const int last = trace->config().n_layers() - 1;
  // Without the last MLP the head is read by the final norm alone.
  const std::int64_t row = 4, head = 1, width = trace->config().d_model,
                     d = trace->config().blocks[0].attention.d_head;
  RunOptions cut;
  cut.edits = {*parse_edit("blocks." + std::to_string(last) + ".mlp.out=0")};
  const auto alone = *opened.model->run(trace->input, cut);
  const auto small = attribution_graph(*alone, asked, 0, 100000, {}, GraphPatterns::followed);
  ASSERT_TRUE(small);
  const Weights& w = alone->weights();
  std::vector<double> g(static_cast<size_t>(width)), gz;
  double mean = 0;
  for (std::int64_t i = 0; i < width; ++i) {
    g[size_t(i)] = double(w.get("logits.weight").at(i, 7)) * double(w.get("ln_final.weight").at(i)) /
                   alone->cell(*parse_site("ln_final.scale"), {row, 0});
    mean += g[size_t(i)] / double(width);
  }
  for (double& x : g) x -= mean;
  for (std::int64_t i = head * d; i < (head + 1) * d; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < width; ++j)
      sum += double(w.get("blocks." + std::to_string(last) + ".attn.out.weight").at(i, j)) * g[size_t(j)];
    gz.push_back(sum);
  }
  const OneHeadByHand hand(*alone, last, head, row);
  int tried = 0;
  double whole = 0;
  for (const GraphEdge& edge : small->edges) {
    const GraphNode &from = small->nodes[size_t(edge.from)], &to = small->nodes[size_t(edge.to)];
    if (to.kind != Kind::head || to.site.layer != last || to.head != head || to.row != row) continue;
    whole += edge.value;
    if (from.kind == Kind::head || ++tried % 2 != 0)
      continue;  // half of the writes that stand in the run whole
    std::vector<double> write;
    for (std::int64_t i = 0; i < width; ++i)
      write.push_back(
          alone->cell(from.kind == Kind::embed ? site_of(Slot::resid_pre, 0) : from.site, {from.row, i}));
    const char side = graph_side_name(edge.side)[0];
    const std::vector<double> part = hand.part(side, write, from.row);
    EXPECT_NEAR(edge.value, hand.along(gz, side, from.row, part), 1e-6) << side << from.row;
    EXPECT_NEAR(edge.alone, hand.adds(gz, 1) - hand.adds(gz, 1, side, from.row, part), 2e-6)
        << side << from.row;
  }
  EXPECT_GT(tried, 10);
  const auto found = std::find_if(small->nodes.begin(), small->nodes.end(), [&](const GraphNode& node) {
    return node.kind == Kind::head && node.site.layer == last && node.head == head && node.row == row;
  });
  ASSERT_NE(found, small->nodes.end());
  EXPECT_NEAR(found->value, hand.adds(gz, 1), 2e-5);
  EXPECT_NEAR(whole + found->bias, found->value, 2e-5);
}

TEST(AttributionGraph, AnEditedPatternIsHeld) {
  const OpenedModel opened = testing::golden_model("gpt2");
  RunOptions options;
  options.edits = {*parse_edit("blocks.0.attn.pattern[head=1,query=4,key=0]=0.5")};
  const auto trace = *opened.model->run({{5, 9, 3, 7, 2}, {}}, options);
  const auto graph = attribution_graph(*trace, kMeasure, 0, 100000, {}, GraphPatterns::followed);
  ASSERT_TRUE(graph);
  expect_closed(*graph);
  EXPECT_EQ(std::count(graph->held.begin(), graph->held.end(), "blocks.0.attn.pattern"), 1);
}

TEST(AttributionGraph, LessIsFollowedAndStillAddsUp) {
  const OpenedModel opened = testing::golden_model("gpt2");
  const auto trace = run(opened);
  const auto all = attribution_graph(*trace, kMeasure, 0, 100000),
             some = attribution_graph(*trace, kMeasure, 0.05),
             few = attribution_graph(*trace, kMeasure, 0, 6);
  ASSERT_TRUE(all && some && few);
  const auto followed = [](const AttributionGraph& graph) {
    return std::count_if(graph.nodes.begin() + 1, graph.nodes.end(),
                         [](const GraphNode& n) { return n.followed; });
  };
  EXPECT_LT(followed(*some), followed(*all));
  EXPECT_LE(followed(*few), 6);
  EXPECT_GT(few->least, 0);
  expect_closed(*some);
  expect_closed(*few);
}

TEST(AttributionGraph, WhatIsNoSumIsRefusedAndItStops) {
  const OpenedModel opened = testing::golden_model("gpt2");
  const auto trace = run(opened);
  EXPECT_FALSE(attribution_graph(*trace, {LogitMeasure::Kind::prob, 7, -1, -1, {}}));
  const auto stopped = attribution_graph(*trace, kMeasure, 0, 100, [] { return false; });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), Code::cancelled);
}

}  // namespace
}  // namespace attnscope
