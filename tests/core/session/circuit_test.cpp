// Graphs as files: what is written reads back, files of circuit-tracer's form open, what is wrong is told,
// and pruning keeps every sum.
#include "core/session/circuit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/golden_run.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;
using testing::TempFolder;

Circuit made(const std::string& name) {
  const OpenedModel opened = testing::golden_model(name);
  const auto trace = testing::golden_run(opened, {5, 9, 3, 7, 2}, {4, 8, 6, 3});
  const auto graph = attribution_graph(*trace, {LogitMeasure::Kind::logit, 7, -1, -1, {}}, 0.001, 400, {},
                                       name == "gpt2" ? GraphPatterns::followed : GraphPatterns::held);
  EXPECT_TRUE(graph) << graph.error().text();
  return circuit_of(opened, *trace, *graph, "logit:#7");
}

TEST(Circuit, WhatIsWrittenReadsBack) {
  for (const char* name : {"gpt2", "bert", "bart"}) {
    SCOPED_TRACE(name);
    const Circuit circuit = made(name);
    const TempFolder folder;
    const std::string path = folder.path() + "/graph.json";
    ASSERT_TRUE(write_circuit(path, circuit));
    const auto read = read_circuit(path);
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->tokens, circuit.tokens);
    EXPECT_EQ(read->layers, circuit.layers);
    EXPECT_EQ(read->measure, "logit:#7");
    EXPECT_NEAR(read->scale, circuit.scale, 1e-9 * circuit.scale);
    ASSERT_EQ(read->nodes.size(), circuit.nodes.size());
    ASSERT_EQ(read->links.size(), circuit.links.size());
    for (std::size_t i = 0; i < circuit.nodes.size(); ++i) {
      const CircuitNode &a = circuit.nodes[i], &b = read->nodes[i];
      EXPECT_EQ(b.id, a.id);
      EXPECT_EQ(b.kind, a.kind);
      EXPECT_EQ(b.layer, a.layer) << a.id;
      EXPECT_EQ(b.row, a.row);
      EXPECT_EQ(b.label, a.label);
      EXPECT_EQ(b.step, a.step);
      EXPECT_EQ(b.step_head, a.step_head);
      EXPECT_DOUBLE_EQ(b.value.value(), a.value.value());
      EXPECT_DOUBLE_EQ(b.rest.value(), a.rest.value());
    }
    EXPECT_EQ(read->followed, std::string(name) == "gpt2");
    EXPECT_DOUBLE_EQ(read->off, circuit.off);
    for (std::size_t i = 0; i < circuit.links.size(); ++i) {
      EXPECT_DOUBLE_EQ(read->links[i].weight, circuit.links[i].weight);
      EXPECT_EQ(read->links[i].side, circuit.links[i].side);
      EXPECT_EQ(read->links[i].alone, circuit.links[i].alone);
    }
  }
}

TEST(Circuit, TheFileHasTheFieldsThatViewersRead) {
  const Json json = to_json(made("gpt2"));
  for (const char* key : {"metadata", "qParams", "nodes", "links"}) EXPECT_TRUE(json.contains(key)) << key;
  for (const char* key : {"slug", "scan", "prompt", "prompt_tokens", "transcoder_list"})
    EXPECT_TRUE(json["metadata"].contains(key)) << key;
  int outputs = 0;
  for (const Json& node : json["nodes"]) {
    for (const char* key : {"node_id", "feature", "layer", "ctx_idx", "feature_type", "token_prob",
                            "is_target_logit", "run_idx", "reverse_ctx_idx", "jsNodeId", "clerp"})
      EXPECT_TRUE(node.contains(key)) << key;
    EXPECT_TRUE(node["layer"].is_string());
    outputs += node["is_target_logit"].get<bool>() ? 1 : 0;
  }
  EXPECT_EQ(outputs, 1);
  EXPECT_EQ(json["nodes"][0]["feature_type"], "logit");
}

const char* kForeign =
    R"({"metadata": {"slug": "s", "scan": "m", "prompt": "a b", "prompt_tokens": ["a", "b"]},
  "qParams": {}, "nodes": [
  {"node_id": "E_5_0", "feature": 0, "layer": "E", "ctx_idx": 0, "feature_type": "embedding", "clerp": ""},
  {"node_id": "0_123_1", "feature": 7749, "layer": "0", "ctx_idx": 1, "feature_type": "cross layer transcoder",
   "clerp": "cities", "influence": 0.3},
  {"node_id": "0_error_1", "feature": -1, "layer": 0, "ctx_idx": 1, "feature_type": "mlp reconstruction error"},
  {"node_id": "27_9_1", "feature": 9, "layer": "27", "ctx_idx": 1, "feature_type": "logit", "clerp": "b"}],
  "links": [{"source": "E_5_0", "target": "0_123_1", "weight": 2.0},
  {"source": "0_error_1", "target": "27_9_1", "weight": -0.5},
  {"source": "0_123_1", "target": "27_9_1", "weight": 1.5}]})";

TEST(Circuit, GraphsOfOthersOpen) {
  const auto read = circuit_from_json(Json::parse(kForeign));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->tokens, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read->layers, 1);
  EXPECT_EQ(read->nodes[3].layer, 1) << "the output stands right above the last layer that is there";
  EXPECT_EQ(read->nodes[1].kind, CircuitNode::Kind::other);
  EXPECT_FALSE(read->nodes[1].value);
  EXPECT_DOUBLE_EQ(read->scale, 2.0);
  const Circuit few = pruned(*read, 0.5);
  ASSERT_EQ(few.nodes.size(), 3u) << "the error goes, its link being a quarter of all";
  EXPECT_EQ(few.links.size(), 2u);
}

TEST(Circuit, PruningKeepsEverySum) {
  const Circuit all = made("gpt2");
  for (const double share : {0.0, 0.01, 0.05, 0.3, 2.0}) {
    const Circuit cut = pruned(all, share);
    std::vector<double> in(cut.nodes.size(), 0);
    for (const CircuitLink& link : cut.links) {
      EXPECT_GE(std::fabs(link.weight), share * all.scale);
      in[std::size_t(link.to)] += link.weight;
    }
    for (std::size_t i = 0; i < in.size(); ++i)
      if (cut.nodes[i].kind != CircuitNode::Kind::embed) {
        EXPECT_NEAR(in[i] + *cut.nodes[i].bias + *cut.nodes[i].rest, *cut.nodes[i].value, 1e-9);
      }
  }
  EXPECT_EQ(pruned(all, 2.0).nodes.size(), 1u);
}

TEST(Circuit, WhatIsWrongIsTold) {
  const auto broken = [](const std::function<void(Json&)>& change) {
    Json json = Json::parse(kForeign);
    change(json);
    const auto read = circuit_from_json(json);
    EXPECT_FALSE(read) << json.dump();
    return read ? std::string() : read.error().sentence();
  };
  EXPECT_FALSE(broken([](Json& j) { j = Json::array(); }).empty());
  EXPECT_FALSE(broken([](Json& j) { j.erase("links"); }).empty());
  EXPECT_FALSE(broken([](Json& j) { j["nodes"][1].erase("node_id"); }).empty());
  EXPECT_FALSE(broken([](Json& j) { j["nodes"][1]["layer"] = "first"; }).empty());
  for (const Json& layer : {Json(4294967296), Json(4294967295), Json(18446744073709551615u), Json(1e300),
                            Json(100000), Json(-2), Json(1.5), Json("4294967296")})
    EXPECT_FALSE(broken([&](Json& j) { j["nodes"][1]["layer"] = layer; }).empty())
        << "not cut down to 32 bits";
  EXPECT_FALSE(broken([](Json& j) { j["nodes"][1]["ctx_idx"] = -4; }).empty());
  EXPECT_FALSE(broken([](Json& j) { j["nodes"][1]["node_id"] = "E_5_0"; }).empty());
  EXPECT_NE(broken([](Json& j) { j["links"][2]["source"] = "nobody"; }).find('2'), std::string::npos);
  EXPECT_FALSE(broken([](Json& j) { j["links"][0]["weight"] = "much"; }).empty());
}

}  // namespace
}  // namespace attnscope
