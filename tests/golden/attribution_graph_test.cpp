// The graph of who wrote what was read adds up in every family: all that runs into a node is what runs out of
// it, and what runs into the measure is what the attribution of heads says.
#include "core/lens/attribution_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/arch/open.h"
#include "core/lens/attribution.h"

namespace attnscope {
namespace {

using Kind = GraphNode::Kind;

OpenedModel golden(const std::string& name) {
  auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name);
  EXPECT_TRUE(opened) << opened.error().text();
  return *std::move(opened);
}
std::shared_ptr<const Trace> run(const OpenedModel& opened) {
  Input input{{5, 9, 3, 7, 2}, {}};
  if (opened.model->config().encoder()) input.source = {4, 8, 6, 3};
  auto trace = opened.model->run(input);
  EXPECT_TRUE(trace) << trace.error().text();
  return *trace;
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
  const OpenedModel opened = golden(GetParam());
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

// What a head read at one position, and what a neuron read, by who wrote it.
TEST_P(AttributionGraphs, WhatAHeadOrANeuronReadAddsUp) {
  const OpenedModel opened = golden(GetParam());
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
  const OpenedModel opened = golden("gpt2");
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

TEST(AttributionGraph, LessIsFollowedAndStillAddsUp) {
  const OpenedModel opened = golden("gpt2");
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
  const OpenedModel opened = golden("gpt2");
  const auto trace = run(opened);
  EXPECT_FALSE(attribution_graph(*trace, {LogitMeasure::Kind::prob, 7, -1, -1, {}}));
  const auto stopped = attribution_graph(*trace, kMeasure, 0, 100, [] { return false; });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::cancelled);
}

}  // namespace
}  // namespace attnscope
