// Circuits against an independent recomputation in float64 (make_circuit.py): heads, MLPs and edges kept, the
// rest replaced by means, by another prompt's values, by zero; the curve, best first; names and patterns.
#include "core/session/kept_circuit.h"

#include "core/session/request.h"
#include "tests/golden/helpers.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

class KeptCircuit : public ::testing::Test {
 protected:
  void SetUp() override {
    expected_ = *read_json_file(source_path("tests/golden/circuits/gpt2.json"));
    opened_ = must_open(model_path("gpt2"));
  }
  std::string prompts(std::size_t count) const {
    std::ofstream out(folder_ / "p.jsonl");
    for (std::size_t i = 0; i < count; ++i) {
      const Json& one = expected_["prompts"][i];
      out << Json{{"ids", one["ids"]},
                  {"answer", "#" + one["answer"].dump()},
                  {"wrong", "#" + one["wrong"].dump()}}
                 .dump()
          << "\n";
    }
    return folder_ / "p.jsonl";
  }
  static CircuitQuestion question(const std::string& how, bool edges) {
    using From = DataKnockout::From;
    CircuitQuestion out;
    out.data.measure = "logit_diff";
    out.data.how.from = how == "zero"       ? From::itself
                        : how == "mean"     ? From::mean
                        : how == "mean:pos" ? From::mean_by_pos
                                            : From::resample;
    out.data.steps = edges ? kCircuitSenders : kCircuitNodes;
    if (edges) out.to = kCircuitReceivers;
    return out;
  }
  DataRuns runs(std::size_t count) const {
    return DataRuns(DataChoice{prompts(count), {}, 0, 0}, blank_document(opened_));
  }

  Json expected_;
  OpenedModel opened_;
  TempFolder folder_;
};

constexpr double kCircuitNear = 1e-4;  // of logits of about 1

TEST_F(KeptCircuit, CasesAreThoseOfTheRecomputation) {
  for (const Json& one : expected_["cases"]) {
    SCOPED_TRACE(one["how"].get<std::string>() + " " + one["parts"].get<std::string>());
    DataRuns data = runs(one["prompts"]);
    auto circuit = CircuitRuns::prepare(data, question(one["how"], one["parts"] == "edges"));
    ASSERT_TRUE(circuit) << circuit.error().text();
    const auto found = circuit->keep(one["keep"]);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(found->parts.size(), one["parts"].get<std::string>() == "edges" ? 262u : 15u);
    EXPECT_EQ(found->points.front().kept, std::ssize(one["keep"]));
    EXPECT_NEAR(found->full.mean(), one["full"].get<double>(), kCircuitNear);
    EXPECT_NEAR(found->none.mean(), one["none"].get<double>(), kCircuitNear);
    EXPECT_NEAR(found->points.front().value.mean(), one["value"].get<double>(), kCircuitNear);
    EXPECT_NEAR(found->recovered(found->points.front().value), one["recovered"].get<double>(),
                10 * kCircuitNear);
    EXPECT_EQ(found->full.n(), one["prompts"].get<std::int64_t>());
  }
}

TEST_F(KeptCircuit, TheCurveKeepsTheBestFirstAndEndsAtTheRunItself) {
  const Json& one = expected_["curves"][0];
  DataRuns data = runs(one["prompts"]);
  auto circuit = CircuitRuns::prepare(data, question(one["how"], false));
  ASSERT_TRUE(circuit) << circuit.error().text();
  const auto found = circuit->curve(0);
  ASSERT_TRUE(found) << found.error().text();
  ASSERT_EQ(found->points.size(), one["values"].size());
  for (std::size_t i = 0; i < found->points.size(); ++i) {
    EXPECT_EQ(found->points[i].kept, static_cast<std::int64_t>(i));
    EXPECT_NEAR(found->points[i].value.mean(), one["values"][i].get<double>(), kCircuitNear) << i;
    if (i == 0) continue;
    EXPECT_EQ(found->effects[i - 1].part, one["order"][i - 1].get<std::string>());
    EXPECT_NEAR(found->effects[i - 1].effect, one["effects"][i - 1].get<double>(), kCircuitNear);
  }
  EXPECT_EQ(found->points.back().value.mean(), found->full.mean()) << "all kept: nothing is replaced";
  EXPECT_EQ(found->recovered(found->points.front().value), 0);
  EXPECT_EQ(found->recovered(found->points.back().value), 1);
  const auto three = circuit->curve(3);
  ASSERT_TRUE(three);
  ASSERT_EQ(three->points.size(), 4u);
  EXPECT_EQ(three->points[3].value.mean(), found->points[3].value.mean());
  // Estimates order a curve, too, and of the same parts.
  CircuitQuestion estimated = question(one["how"], false);
  estimated.estimate = true;
  auto other = CircuitRuns::prepare(data, estimated);
  const auto curve = other->curve(0);
  ASSERT_TRUE(curve) << curve.error().text();
  EXPECT_EQ(curve->points.back().value.mean(), found->full.mean());
  EXPECT_NE(curve->effects.front().effect, found->effects.front().effect);
}

// The cheapest check of the order of edges: one edge alone is what path says, replaced by nothing or by a
// mean.
TEST_F(KeptCircuit, AllEdgesButOneAreThePathGridsOwnCell) {
  DataRuns data = runs(1);
  auto circuit = CircuitRuns::prepare(data, question("zero", true));
  ASSERT_TRUE(circuit);
  const auto curve = circuit->curve(1);
  ASSERT_TRUE(curve) << curve.error().text();
  std::vector<std::string> others;
  const std::string best = curve->effects.front().part;
  for (const std::string& part : curve->parts)
    if (part != best) others.push_back(part);
  const auto without = circuit->keep(others);
  ASSERT_TRUE(without);
  EXPECT_NEAR(without->points.front().value.mean() - without->full.mean(), curve->effects.front().effect,
              1e-9);
}

TEST_F(KeptCircuit, NamesArePatternsAndWrongOnesAreRefused) {
  DataRuns data = runs(2);
  auto circuit = CircuitRuns::prepare(data, question("mean", false));
  ASSERT_TRUE(circuit);
  ASSERT_TRUE(circuit->keep(circuit_parts("blocks.*.mlp.out, blocks.-1.attn.z[head=1-2]")));
  EXPECT_EQ(circuit->kept_names(),
            (std::vector<std::string>{"blocks.0.mlp.out", "blocks.1.mlp.out", "blocks.2.attn.z[head=1]",
                                      "blocks.2.attn.z[head=2]", "blocks.2.mlp.out"}));
  for (const char* wrong : {"blocks.7.mlp.out", "blocks.0.attn.z[head=9]", "blocks.0.attn.q", "nothing",
                            "blocks.0.mlp.out->logits", "blocks.0.attn.z[head=1"}) {
    const auto refused = circuit->keep({wrong});
    EXPECT_FALSE(refused) << wrong;
  }
  auto edges = CircuitRuns::prepare(data, question("mean", true));
  ASSERT_TRUE(edges);
  ASSERT_TRUE(edges->keep({"blocks.0.attn.z[head=0-1]->blocks.*.attn.q[head=3]", "embed->logits"}));
  EXPECT_EQ(edges->kept_names().size(), 5u);
  EXPECT_FALSE(edges->keep({"blocks.0.mlp.out"})) << "a part of the other kind";
}

}  // namespace
}  // namespace attnscope
