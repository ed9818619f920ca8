// Circuits with the mouse: the curve of the model's own examples against the function that makes it, the best
// parts kept under a name, taken away, undone.
#include "core/session/kept_circuit.h"
#include "core/session/named_circuits.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

class AskCircuitViewTest : public testing::FrameTest {
 protected:
  void open_page() {
    if (!open_shipped_or_skip("storyteller")) return;
    state().open_data({"task:storyteller", {}, 24, 0});
    settle();
    workspace().view = "ask", workspace().ask_more = true;
    settle();
    click("ask.page.circuit");
    settle();
  }
};

TEST_F(AskCircuitViewTest, TheBestPartsAreKeptUnderANameAndUndoTakesThemBack) {
  open_page();
  ASSERT_TRUE(shows("ask_circuit_facts"));
  Document start = document();
  start.data = {};
  CircuitQuestion question;
  question.data.measure = "logit_diff", question.data.steps = kCircuitNodes;
  question.data.how.from = DataKnockout::From::mean;
  DataRuns runs(*document().data.prompts, start);
  auto circuit = CircuitRuns::prepare(runs, question);
  ASSERT_TRUE(circuit);
  const auto curve = circuit->curve(64);
  ASSERT_TRUE(curve);
  ASSERT_EQ(curve->effects.size(), 10u);
  ASSERT_TRUE(shows("ask_circuit_4"));
  click("ask_circuit_4");
  settle();
  click("ask_circuit_keep");
  settle();
  ASSERT_EQ(document().circuits.size(), 1u);
  const NamedCircuit kept = document().circuits.front();
  ASSERT_EQ(kept.parts.size(), 4u);
  EXPECT_EQ(kept.measure, "logit_diff");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(kept.parts[i], curve->effects[i].part);
  EXPECT_TRUE(shows("ask_circuit_kept_0"));
  click("ask_circuit_keep");
  settle();
  EXPECT_EQ(document().circuits.size(), 2u) << "another name";
  click("ask_circuit_drop_0");
  settle();
  EXPECT_FALSE(circuit_named(document(), kept.name));
  for (int i = 0; i < 3; ++i) {
    key(compat::Key::z, true);
    settle();
  }
  EXPECT_TRUE(document().circuits.empty());
  click("ask.circuit.how.zero");
  settle();
  EXPECT_TRUE(shows("ask_circuit_facts"));
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(AskCircuitViewTest, AMeasureThatEachPromptFillsInIsNoMistakeThere) {
  open_page();
  click("ask_measure");
  key(compat::Key::a, true);
  type("logit_diff");
  key(compat::Key::enter);
  settle();
  EXPECT_EQ(workspace().asking.measure.text, "logit_diff");
  ASSERT_TRUE(shows("ask_circuit_facts"));
  EXPECT_FALSE(shows("measure_error"));
}

}  // namespace
}  // namespace attnscope
