// A LoRA adapter in the window: dropped on it, switched and scaled in the list of edits, taken back by undo;
// and the flag that opens a model with it.
#include "tests/adapter.h"

#include "app/panels/inspector/inspector_parts.h"
#include "app/shell/options.h"
#include "app/shell/startup.h"
#include "core/arch/shipped.h"
#include "core/sample/sampler.h"
#include "core/session/made_try.h"
#include "core/session/reference_check.h"
#include "tests/app/ui_driver.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

class AdapterTest : public testing::FrameTest {
 protected:
  void SetUp() override {
    FrameTest::SetUp();
    const auto model = open_shipped_or_path(model_, {});
    const ModelConfig& config = model->model->config();
    write_adapter(adapter_, {{"transformer.h.1.mlp.c_fc", "w", config.d_model, config.blocks[1].mlp.d_mlp}},
                  {{"fan_in_fan_out", true}});
  }
  std::vector<float> logits(const LoraChoice& lora) {
    const auto model = open_shipped_or_path(model_, {.lora = lora});
    return (*model->model->run(inputs_of(document()).front()))->tensor(*parse_site("logits"))->values();
  }
  std::vector<float> shown() { return run().trace(0).tensor(*parse_site("logits"))->values(); }

  const TempFolder folder_;
  const std::string adapter_ = folder_ / "adapter",
                    model_ = std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2";
};

TEST_F(AdapterTest, IsSwitchedScaledAndTakenAwayInTheListOfEdits) {
  open_model("gpt2");
  workspace().level = Level::full;
  settle();
  const std::vector<float> base = shown();
  state().drop(adapter_);
  settle();
  ASSERT_FALSE(session_->error()) << session_->error()->text();
  EXPECT_EQ(shown(), logits({adapter_, 1, true}));
  ASSERT_TRUE(shows("on_adapter"));
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
  click("on_adapter");
  settle();
  EXPECT_EQ(shown(), base);
  session_->undo();
  settle();
  EXPECT_EQ(shown(), logits({adapter_, 1, true}));
  drag("adapter_strength", -60);
  settle();
  const double strength = document().opened->lora.strength;
  EXPECT_LT(strength, 1);
  EXPECT_EQ(shown(), logits({adapter_, strength, true}));
  session_->undo();
  settle();
  EXPECT_EQ(document().opened->lora.strength, 1) << "one drag is one undo point";
  click("remove_adapter");
  settle();
  EXPECT_FALSE(shows("on_adapter"));
  EXPECT_EQ(shown(), base);
}

TEST_F(AdapterTest, TheFlagOpensTheModelWithItAsTheCommandLineDoes) {
  const std::string words = adapter_ + ":0.5";
  const std::vector<const char*> arguments{"attnscope", model_.c_str(), "--lora", words.c_str()};
  const CommandLine line = read_command_line(static_cast<int>(arguments.size()), arguments.data());
  ASSERT_TRUE(line.run) << line.text;
  open_asked(state(), line.options);
  settle();
  ASSERT_TRUE(session_->result());
  EXPECT_EQ(document().opened->lora, (LoraChoice{adapter_, 0.5, true}));
  EXPECT_EQ(shown(), logits({adapter_, 0.5, true}));
  const std::string much = adapter_ + ":much";
  const std::vector<const char*> wrong{"attnscope", "--lora", much.c_str()};
  const CommandLine refused = read_command_line(static_cast<int>(wrong.size()), wrong.data());
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.text.find("much"), std::string::npos);
}

// What the tables say of a shipped model is said of its own weights: with an adapter it is another model.
TEST_F(AdapterTest, WhatIsToBeTriedIsOfTheModelWithIt) {
  workspace().animate = false, workspace().level = Level::easy, workspace().view = "attention";
  state().open_shipped_model("storyteller-llama");
  settle();
  EXPECT_TRUE(has_reference(*document().opened));
  const std::string of_llama = folder_ / "of_llama";
  write_adapter(of_llama, {{"model.layers.1.self_attn.q_proj", "w", 64, 64}}, {{"bias", "none"}});
  session_->adapt({of_llama, 8, true}, Text("x"));
  settle();
  ASSERT_FALSE(session_->error()) << session_->error()->text();
  settle();
  frames();
  EXPECT_TRUE(shows("try_sentence"));
  EXPECT_FALSE(shows("try_of_before"));
  EXPECT_FALSE(has_reference(*document().opened));
  const auto refused = reference_of(*document().opened);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what().key(), "error.session.reference.adapted");
  const Document before = document();
  const auto made = made_try(before, run().traces.front(), run().trace(0).length - 1, TryKind::hide);
  ASSERT_TRUE(made && *made);
  click("try_show");
  settle();
  const auto changed = try_changed(before, **made);
  ASSERT_TRUE(changed);
  EXPECT_TRUE(same_computation(document(), *changed)) << "of this run, not of the table";
  const Trace& trace = run().trace(0);
  const auto tokens = next_tokens(trace.logits_row(trace.length - 1), Sampling{});
  EXPECT_NEAR(static_cast<double>(tokens.front().prob), (*made)->share_after, 1e-4);
  session_->adapt({of_llama, 8, false}, Text("x"));
  settle();
  EXPECT_TRUE(has_reference(*document().opened)) << "switched off, the weights are its own";
}

}  // namespace
}  // namespace attnscope
