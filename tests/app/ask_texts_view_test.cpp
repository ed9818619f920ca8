// Texts in which a head or a neuron is strongest, with the mouse: one click for the model's own examples, the
// list against the function that makes it, one text opened and taken back, a neuron from the edit menu.
#include "core/session/prompt_list.h"
#include "core/session/strongest_texts.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

class AskTextsViewTest : public testing::FrameTest {
 protected:
  void open_page() { ask_the_storyteller("ask.page.texts"); }
  void open_data() {
    click("ask.texts.own");
    settle();
    ASSERT_TRUE(document().data.prompts);
    settle();
  }
  Strongest plain(const std::string& cell, StrengthBy by) {
    Document start = document();
    start.data = {};
    DataRuns runs(*document().data.prompts, start);
    const auto place = strength_place(*parse_cell(cell), by);
    return (*strongest_texts(runs, {*place}, 20)).front();
  }
};

TEST_F(AskTextsViewTest, OneClickListsTheTextsAndOneOfThemOpensThatRun) {
  open_page();
  EXPECT_FALSE(shows("ask_texts_facts"));
  workspace().asking.settings.strongest = "blocks.1.attn.z[head=3]";
  open_data();
  ASSERT_TRUE(shows("ask_texts_facts"));
  EXPECT_TRUE(shows("ask_texts_histogram"));
  click("ask.texts.by.weight");
  settle();
  const Strongest found = plain("blocks.1.attn.z[head=3]", StrengthBy::weight);
  const StrongText& first = *found.top().front();
  const std::string text = document().sequences[0].text, id = "ask_text_" + std::to_string(first.prompt);
  ASSERT_TRUE(shows(id));
  click(id);
  settle();
  EXPECT_EQ(prompt_looked_at(document()), first.prompt);
  EXPECT_EQ(workspace().cursor.query, first.pos);
  EXPECT_EQ(workspace().cursor.head, 3);
  const Trace& run = *session_->result()->traces.front();
  const auto weight = run.cell(*parse_site("blocks.1.attn.pattern"),
                               {3, first.pos, first.at.keys[static_cast<std::size_t>(first.pos)]});
  EXPECT_FLOAT_EQ(weight, static_cast<float>(first.value)) << "that very run";
  key(compat::Key::z, true);
  settle();
  EXPECT_EQ(document().sequences[0].text, text);
  click("ask.texts.spread");
  settle();
  EXPECT_TRUE(shows("ask_text_" + std::to_string(found.spread().front()->prompt)));
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(AskTextsViewTest, TheMenuOfANeuronLeadsThere) {
  open_page();
  open_data();
  workspace().view = "mlp";
  settle();
  workspace().edit_at = Place{{*parse_site("blocks.0.mlp.post"), {{"pos", 1}, {"d_mlp", 17}}}, {}, {}};
  frames(3);
  ASSERT_TRUE(shows("edit_menu.texts"));
  click("edit_menu.texts");
  settle();
  EXPECT_EQ(workspace().view, "ask");
  EXPECT_EQ(workspace().asking.settings.strongest, "blocks.0.mlp.post[d_mlp=17]");
  const Strongest found = plain("blocks.0.mlp.post[d_mlp=17]", StrengthBy::value);
  ASSERT_TRUE(shows("ask_text_" + std::to_string(found.top().front()->prompt)));
  click("ask.texts.heads");
  settle();
  EXPECT_EQ(workspace().asking.settings.strongest, "blocks.0.attn.z[head=0]");
}

}  // namespace
}  // namespace attnscope
