// What the window says is true of the run that it shows. A row of the table: what is open, where one looks,
// what is changed, the text that is to be asked for then, the one that is not, and what the run has to hold
// for the text to be true. A claim more is a row more.
#include <cmath>
#include <functional>

#include "app/widgets/places.h"
#include "core/base/noted_words.h"
#include "core/lens/row_off_one.h"
#include "core/sample/cached_run.h"
#include "core/sample/chances.h"
#include "core/session/training_arm.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

struct Claim {
  const char *model, *view, *at;  ///< "tests/golden/models" or "model:NAME"; the cursor's step, or empty
  const char* edit;               ///< of the run; empty: none
  const char *says, *hides;       ///< keys; `hides` may be empty
  std::function<bool(const Session&, const std::string& text)> holds;
};

class Sentences : public testing::FrameTest {
 protected:
  void SetUp() override {
    FrameTest::SetUp();
    // Without OpenGL every cell is a rectangle: more vertices than 16-bit indices reach.
    ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
  }
  void TearDown() override {
    note_words(false);
    FrameTest::TearDown();
  }
  void open_one(const std::string& name) {
    if (!name.starts_with(kModelPrefix)) return open_model(name);
    state().open(name);
    settle();
    ASSERT_TRUE(session_->result()) << name;
  }
  void look(const char* view, const std::string& at) {
    workspace().view = view;
    if (!at.empty()) go_to_site(workspace(), run(), *parse_site(at));
    settle();
  }
  void edit(const std::string& text) {
    ASSERT_TRUE(session_->edit("edit", {}, [&](Document& document) {
      put_edit(document, *parse_edit(text));
      return Status(Done{});
    }));
    settle();
  }
  // The texts that are asked for by what is drawn from now on.
  std::map<std::string, std::string> said() {
    note_words(true);
    frames(4);
    return noted_words();
  }
};

bool names_the_sum(const Session& session, const std::string& text, const Site& site, std::int64_t head) {
  const auto off = row_off_one(session.result()->trace(0), site, head);
  if (!off) return false;
  const std::string sum = format("%.2f", off->sum);
  return text.find(sum.substr(0, 3)) != std::string::npos && std::fabs(off->sum - 1) > 1e-3;
}

TEST_F(Sentences, AreTrueOfTheRunThatIsShown) {
  const auto sums_to_one = [](const Session& session, const std::string&) {
    return !row_off_one(session.result()->trace(0), site_of(Slot::pattern, 1));
  };
  const auto off_pattern = [](const Session& session, const std::string& text) {
    return names_the_sum(session, text, site_of(Slot::pattern, 1), 0);
  };
  const auto no_cache = [](const Session& session, const std::string&) {
    return !runs_with_cache(session.result()->trace(0).config());
  };
  const auto sees_both_sides = [=](const Session& session, const std::string& text) {
    return no_cache(session, text) && !session.result()->trace(0).config().blocks[0].attention.causal;
  };
  const char *pattern = "blocks.1.attn.pattern",
             *set_weight = "blocks.1.attn.pattern[head=0,query=3,key=1]=0.75";
  const std::vector<Claim> claims{
      {"gpt2", "attention", pattern, "", "attention.sentence.pattern", "attention.sentence.pattern.off",
       sums_to_one},
      {"gpt2", "attention", pattern, set_weight, "attention.sentence.pattern.off",
       "attention.sentence.pattern", off_pattern},
      {"gpt2", "steps", pattern, set_weight, "steps.sentence.pattern_off", "", off_pattern},
      {"bert", "kv", "", "", "kv.none.both_sides", "kv.sentence", sees_both_sides},
      {"vit", "kv", "", "", "kv.none.image", "kv.sentence", no_cache},
  };
  for (const Claim& claim : claims) {
    const std::string where = std::string(claim.model) + " " + claim.view + " " + claim.edit;
    open_one(claim.model);
    if (HasFatalFailure()) return;
    note_words(true);  // sentences are kept once they are made
    if (*claim.edit) edit(claim.edit);
    look(claim.view, claim.at);
    frames(4);
    const auto texts = noted_words();
    const auto text = texts.find(claim.says);
    ASSERT_NE(text, texts.end()) << where << ": " << claim.says;
    EXPECT_TRUE(claim.holds(*session_, text->second)) << where << ": " << text->second;
    if (*claim.hides) {
      EXPECT_FALSE(texts.contains(claim.hides)) << where;
    }
  }
}

TEST_F(Sentences, TheCheckAsksForNoPinThatIsThere) {
  open_model("gpt2");
  look("check", "");
  EXPECT_TRUE(said().contains("check.nothing"));
  key(compat::Key::p);
  ASSERT_TRUE(session_->pinned());
  const auto pinned = said();
  EXPECT_TRUE(pinned.contains("check.nothing.pinned"));
  EXPECT_FALSE(pinned.contains("check.nothing"));
}

TEST_F(Sentences, TheDifferenceIsToldByWhatItSubtracts) {
  open_model("gpt2");
  const auto help = [&] {
    const ItemRect rect = noted_items().at("difference");
    point_at((rect.p0.x + rect.p1.x) / 2, (rect.p0.y + rect.p1.y) / 2);
    frames(60);
    return said();
  };
  EXPECT_TRUE(help().contains("toolbar.difference.help.none")) << "nothing is edited";
  edit("blocks.1.attn.z[head=1,pos=2]=0");
  EXPECT_TRUE(help().contains("toolbar.difference.help"));
  key(compat::Key::p);
  EXPECT_TRUE(help().contains("toolbar.difference.help.pinned"));
}

TEST_F(Sentences, TheLeastCertainRowIsTheOneOfHighestEntropy) {
  if (state().models().empty()) GTEST_SKIP() << "built without models";
  note_words(true);
  open_one(std::string(kModelPrefix) + "storyteller");
  look("output", "");
  const Trace& trace = run().trace(0);
  const auto chances = row_chances(trace, {0, trace.length});
  const auto texts = noted_words();
  const auto told = texts.find("output.telling");
  EXPECT_TRUE(shows("output_telling"));
  const auto least =
      std::max_element(chances.begin(), chances.end() - 1,
                       [](const RowChance& a, const RowChance& b) { return a.entropy < b.entropy; });
  EXPECT_LE(least->best_prob, 0.9f) << "a row that is decided is not called the least certain one";
  for (auto row = chances.begin(); row != chances.end() - 1; ++row)
    EXPECT_TRUE(row == least || row->entropy < least->entropy - 1e-9) << "a tie names no row: " << row->row;
  EXPECT_GT(chances.back().best_prob, 0.9f) << "else the last row is the one to look at";
  if (told == texts.end()) return;  // a test before this one had it made; alone, as ctest runs it, it is new
  EXPECT_EQ(told->second, tr("output.telling", {std::to_string(least->row),
                                                row_name(run(), 0, trace.config().stack, least->row),
                                                format("%.2f", static_cast<double>(least->best_prob))}));
}

TEST_F(Sentences, ThePilotIsOfferedNoEighthAction) {
  if (state().models().empty()) GTEST_SKIP() << "built without models";
  open_one(std::string(kModelPrefix) + "pilot");
  const auto left = [&] { return *arm_actions_left(*run().document.opened->tokenizer, run().trace(0).ids); };
  ASSERT_EQ(left(), 0);
  look("output", "");
  EXPECT_TRUE(shows("next_0")) << "it opens at a row that says an action";
  click("output_last");
  settle();
  EXPECT_FALSE(shows("next_0"));
  EXPECT_TRUE(said().contains("output.answered"));
  const std::vector<int> ids = document().sequences[0].input.ids;
  key(compat::Key::g);
  session_->generate(0, 3, Text("more"));
  settle();
  EXPECT_EQ(document().sequences[0].input.ids, ids);
  // Three actions taken away come back, and no more than these.
  ASSERT_TRUE(session_->edit("cut", {}, [&](Document& document) {
    return set_ids(document, 0, {ids.begin(), ids.end() - 3}, document.sequences[0].input.spans);
  }));
  settle();
  EXPECT_EQ(left(), 3);
  session_->generate(0, 10, Text("more"));
  settle();
  EXPECT_EQ(left(), 0);
  EXPECT_EQ(document().sequences[0].input.ids.size(), ids.size());
}

TEST_F(Sentences, ABoxOfSeveralStepsIsNotCalledByOneOfThem) {
  open_model("gpt2");
  look("steps", "blocks.1.attn.pattern");
  note_words(true);
  for (float y = 130; y < 700; y += 12) {  // down the map at the left
    point_at(120, y);
    frames(2);
  }
  const auto texts = noted_words();
  ASSERT_TRUE(texts.contains("map.steps"));
  EXPECT_TRUE(texts.contains("map.parameters"));
}

TEST_F(Sentences, PanesOfTheCalculatorStandWhereTheyStood) {
  open_model("gpt2");
  look("calculator", "");
  const ImVec2 before = noted_items().at("calc_training").p0;
  click("calc_training");
  settle();
  EXPECT_EQ(noted_items().at("calc_training").p0.y, before.y);
  EXPECT_EQ(noted_items().at("calc_training").p0.x, before.x);
}

}  // namespace
}  // namespace attnscope
