// The story of the shipped Storyteller, found with the mouse: which heads it needs, where the difference of
// two prompts is carried, who wrote the answer; the measure beside it all; and sentences where there is
// nothing to ask.
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/state/session_look.h"
#include "app/views/ask_parts.h"
#include "core/lens/donor.h"
#include "core/lens/rollout.h"
#include "core/session/circuit.h"
#include "core/session/fingerprint.h"
#include "core/trace/rows.h"
#include "tests/app/ui_driver.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

constexpr const char* kStory = "The cat sat on the mat because it was tired. So the";
constexpr const char* kSoft = "The cat sat on the mat because it was soft. So the";

class AskViewTest : public testing::FrameTest {
 protected:
  void tell() {
    if (!open_shipped_or_skip("storyteller")) return;
    ASSERT_TRUE(session_->edit("text", {}, [](Document& d) { return set_text(d, 0, kStory); }));
    workspace().view = "ask", workspace().ask_more = true;
    settle();
    ASSERT_TRUE(shows("ask_measure"));
    type_into("ask_measure", "logit_diff:cat,mat");
  }
  void type_into(const std::string& item, const std::string& text) {
    click(item);
    key(compat::Key::a, true);
    type(text);
    key(compat::Key::enter);
    settle();
  }
  // The texts of the figure on the stage, with their boxes.
  std::multimap<std::string, DrawItem> texts() {
    const DisplayList list = drawn();
    std::multimap<std::string, DrawItem> out;
    for (const DrawItem& item : list.items())
      if (item.kind == DrawItem::Kind::text) out.emplace(list.text(item), item);
    return out;
  }
  const SweepAnswer& answer() { return *workspace().asking.answer(); }
  double measure() { return workspace().asking.measure.newest()->value; }
  std::size_t cell(const std::string& text) {
    const auto& cells = answer().sweep->cells();
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (to_text(cells[i].site) + to_text(cells[i].at) == text) return i;
    ADD_FAILURE() << text;
    return 0;
  }
  double value(const std::string& text) { return answer().values[cell(text)]; }
  void click_cell(std::int64_t row, std::int64_t col, int button = 0) {
    click_in("matrix.ask_sweep", row, col, button);
    settle();
  }
};

TEST_F(AskViewTest, HeadsThatTheStoryNeedsAreFoundAndKnockedOutWithTheMouse) {
  tell();
  ASSERT_TRUE(workspace().asking.answer());
  EXPECT_NEAR(answer().base(), 10.479, 1e-3);
  EXPECT_NEAR(answer().base() - value("blocks.0.attn.z[head=2]"), 8.6, 0.05);
  EXPECT_NEAR(answer().base() - value("blocks.1.attn.z[head=3]"), 3.4, 0.05);
  const Tensor picture = painter_.shown("ask_sweep");
  ASSERT_EQ(picture.sizes(), (std::vector<std::int64_t>{2, 4}));
  for (std::int64_t layer = 0; layer < 2; ++layer)
    for (std::int64_t head = 0; head < 4; ++head)
      EXPECT_NEAR(picture.at(1 - layer, head),
                  answer().values[static_cast<std::size_t>(layer * 4 + head)] - answer().base(), 1e-5)
          << "later blocks stand higher";
  click_cell(1, 2);
  ASSERT_EQ(document().edits.size(), 1u);
  EXPECT_EQ(to_text(*document().edits[0]), "blocks.0.attn.z[head=2]=0");
  EXPECT_NEAR(measure(), value("blocks.0.attn.z[head=2]"), 1e-4);
  EXPECT_NEAR(workspace().asking.measure.newest()->change(), -8.583, 0.01);
  EXPECT_FALSE(shows("ask.earlier")) << "the answer is still of this question";
  click_cell(1, 2);
  EXPECT_TRUE(document().edits.empty());
  EXPECT_NEAR(measure(), 10.479, 1e-3);
  session_->undo();
  settle();
  EXPECT_EQ(document().edits.size(), 1u) << "undoable";
}

TEST_F(AskViewTest, NeuronsAreKnockedOutInGroups) {
  tell();
  click("ask.out.neurons");
  click("ask.group.32");
  settle();
  ASSERT_EQ(answer().values.size(), 16u);
  click_cell(0, 7);
  ASSERT_EQ(document().edits.size(), 1u);
  EXPECT_EQ(to_text(*document().edits[0]), "blocks.1.mlp.post[d_mlp=224-255]=0");
  EXPECT_NEAR(measure(), value("blocks.1.mlp.post[d_mlp=224-255]"), 1e-4);
}

TEST_F(AskViewTest, ARightClickOnACellOpensTheEditMenuThere) {
  tell();
  click_cell(0, 3, 1);
  EXPECT_TRUE(shows("edit_place:blocks.1.attn.z[head=3]"));
}

TEST_F(AskViewTest, TheOtherPromptLightsTiredAndTheLastPosition) {
  tell();
  click("ask.page.patch");
  settle();
  EXPECT_TRUE(shows("ask.no_other"));
  type_into("ask_other", kSoft);
  ASSERT_TRUE(workspace().asking.answer());
  EXPECT_NEAR(answer().base(), -9.980, 1e-3);
  EXPECT_NEAR(*answer().donor, 10.479, 1e-3);
  EXPECT_EQ(run().label(0, 10), "tired");
  EXPECT_NEAR(value("blocks.0.resid_pre[pos=10]"), 10.48, 0.01);
  EXPECT_NEAR(value("blocks.1.resid_pre[pos=13]"), 10.08, 0.01);
  for (std::size_t i = 0; i < answer().values.size(); ++i)
    if (i != cell("blocks.0.resid_pre[pos=10]") && i != cell("blocks.1.resid_pre[pos=13]")) {
      EXPECT_LT(answer().values[i], -9.0) << "nothing else brings it back";
    }
  ASSERT_TRUE(answer().self);
  EXPECT_EQ(answer().self->largest, 0);
  EXPECT_TRUE(shows("ask_self"));
  click("ask.show.value");
  frames();
  EXPECT_NEAR(painter_.shown("ask_sweep").at(1, 10), 10.48, 0.01);
  click_cell(1, 10);
  EXPECT_EQ(document().sequences[0].text, kSoft);
  EXPECT_NEAR(measure(), 10.48, 0.01);
  EXPECT_EQ(workspace().asking.settings.other, kStory);
  EXPECT_FALSE(shows("ask.earlier"));
}

TEST_F(AskViewTest, APatchHasAScaleBetweenItsTwoPrompts) {
  tell();
  EXPECT_FALSE(shows("ask.show.normalised")) << "a knock-out has one prompt";
  click("ask.page.patch");
  settle();
  type_into("ask_other", kSoft);
  const double corrupt = answer().base(), clean = *answer().donor;
  click("ask.show.normalised");
  settle();
  const auto shown = [&](std::int64_t col) {
    return static_cast<double>(painter_.shown("ask_sweep").at(1, col));
  };
  EXPECT_NEAR(shown(10), 1, 1e-3) << "it brings all of it back";
  const double other = value("blocks.0.resid_pre[pos=2]");
  EXPECT_NEAR(shown(2), (other - corrupt) / (clean - corrupt), 1e-5);
  const nlohmann::json look = look_of(workspace());
  click("ask.into.own");
  settle();
  EXPECT_NEAR(answer().clean(), clean, 1e-6);
  EXPECT_NEAR(answer().corrupt(), corrupt, 1e-6);
  EXPECT_NEAR(shown(10), 0, 1e-3) << "it spoils all of it";
  click("ask.show.change");
  settle();
  EXPECT_NEAR(shown(10), corrupt - clean, 0.01);
  take_look(look, workspace());
  EXPECT_TRUE(workspace().asking.settings.normalised);
}

// In a low window, in a narrow one, with long words.
TEST_F(AskViewTest, NoTextOfItIsCutOff) {
  tell();
  const float title = text_size(fonts().small, tr("ask.scatter.x")).x;
  int without = 0;
  for (float height = 560; height <= 760; height += 10) {
    ImGui::GetIO().DisplaySize = ImVec2(1280, height);
    settle();
    if (!shows("ask_scatter") && ++without) continue;
    const ItemRect scatter = noted_items().at("ask_scatter");
    EXPECT_GE(scatter.p1.x - scatter.p0.x, title + 8) << height;
  }
  EXPECT_GT(without, 0) << "some are too low for it";
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  click("ask.page.patch");
  settle();
  type_into("ask_other", "The cat sat on the mat because it was tired. So the hungry");
  ASSERT_TRUE(session_->edit("text", {}, [](Document& d) {
    return set_text(d, 0, "The cat sat on the mat because it was tired. So the soft");
  }));
  settle();
  ASSERT_TRUE(shows("matrix.ask_sweep"));
  const ItemRect cells = noted_items().at("matrix.ask_sweep");
  const float name = text_size(fonts().mono_small, "soft→hungry").x,
              column = (cells.p1.x - cells.p0.x) / static_cast<float>(cells.cols);
  EXPECT_LE(cells.p1.x - column / 2 + 0.64f * name, state().stage_max.x) << "the slanted name has room";
  type_into("ask_measure", "logit_diff:because,tired");
  point_at(0, 0);
  frames();
  const ItemRect field = noted_items().at("ask_measure");
  bool there = text_size(fonts().mono_small, "logit_diff:because,tired").x < field.p1.x - field.p0.x;
  for (const auto& [text, item] : texts())
    there |= text.starts_with("logit") && text.ends_with("tired") &&
             text_size(fonts().mono_small, text).x < field.p1.x - field.p0.x;
  EXPECT_TRUE(there) << "both ends of the measure";
}

TEST_F(AskViewTest, TheBarsAddUpAndLeadToTheHead) {
  tell();
  click("ask.page.parts");
  settle();
  ASSERT_TRUE(workspace().asking.parts.sum);
  const Attribution& sum = *workspace().asking.parts.sum;
  EXPECT_NEAR(sum.total, 10.479, 1e-3);
  EXPECT_LT(std::fabs(sum.rest), 1e-3);
  const std::vector<PartBar> bars = part_bars(sum);
  ASSERT_GE(bars.size(), 4u);
  const std::pair<const char*, double> largest[] = {{"blocks.1.mlp.out", 7.05},
                                                    {"blocks.1.attn.z[head=3]", 2.11},
                                                    {"blocks.0.mlp.out", 0.82},
                                                    {"blocks.1.attn.z[head=1]", 0.69}};
  double total = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(bars[i].id, largest[i].first);
    EXPECT_NEAR(bars[i].value, largest[i].second, 0.01);
  }
  for (const PartBar& bar : bars) total += bar.value;
  EXPECT_NEAR(total + sum.rest, sum.total, 1e-6) << "no part is lost";
  click("part_blocks.1.attn.z[head=3]");
  settle();
  EXPECT_EQ(workspace().cursor.layer, 1);
  EXPECT_EQ(workspace().cursor.head, 3);
  EXPECT_EQ(to_text(workspace().cursor.step), "blocks.1.attn.pattern");
  ASSERT_TRUE(shows("inside_blocks.1.attn.z[head=3,pos=2]")) << "it read the cat";
  click("inside_blocks.1.attn.z[head=3,pos=2]");  // and what it read there, by who wrote it
  settle();
  EXPECT_TRUE(shows("ask_deeper_sum"));
  click("deeper_blocks.0.mlp.out");
  settle();
  EXPECT_EQ(workspace().cursor.layer, 0);
  click("ask.inside.tokens");
  frames();
  EXPECT_FALSE(shows("ask_deeper_sum"));
  click("part_blocks.1.mlp.out");
  settle();
  click("inside_blocks.1.mlp.post[d_mlp=57]");
  settle();
  EXPECT_TRUE(shows("ask_deeper_sum"));
  EXPECT_TRUE(shows("deeper_blocks.1.attn.z[head=3]"));
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
  click("part_blocks.1.attn.z[head=3]");
  settle();
  EXPECT_EQ(workspace().cursor.key, 2);
  click("ask.inside.why");
  settle();
  ASSERT_TRUE(shows("ask_score_sum"));
  const Tensor table = painter_.shown("ask_score");
  ASSERT_FALSE(table.empty());
  double score = 0;
  for (const float cell : table.values()) score += static_cast<double>(cell);
  const float scaled_score = run().trace(0).cell(*parse_site("blocks.1.attn.scaled"), {3, 13, 2});
  EXPECT_NEAR(score, scaled_score, 1e-3);
  EXPECT_TRUE(shows("ask_score_pairs"));
  std::int64_t rows = table.size(0);
  for (const char* by : {"ask.score.by.head", "ask.score.by.token"}) {  // finer, and the same sum
    click(by);
    settle();
    const Tensor finer = painter_.shown("ask_score");
    EXPECT_GT(finer.size(0), rows);
    rows = finer.size(0);
    score = 0;
    for (const float cell : finer.values()) score += static_cast<double>(cell);
    EXPECT_NEAR(score, scaled_score, 1e-3) << by;
    EXPECT_EQ(workspace().asking.parts.score->split->query_sources.size(), static_cast<std::size_t>(rows));
  }
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(AskViewTest, ARightClickOnATokenOfTheOutputMeasuresIt) {
  tell();
  workspace().view = "output";
  settle();
  click("output_last");
  settle();
  click("next_1", 1);
  ASSERT_TRUE(shows("measure_target"));
  click("measure_target");
  settle();
  const auto answer = workspace().asking.measure.newest();
  const Tensor logits = run().trace(0).logits_row(13);
  int higher = 0;
  for (int id = 0; id < logits.size(0); ++id)
    higher += logits.at(id) > logits.at(answer->measure->target) ? 1 : 0;
  EXPECT_EQ(higher, 1) << "the second most likely";
}

TEST_F(AskViewTest, WhatIsNoMeasureIsToldAndTheOldOneStays) {
  tell();
  type_into("ask_measure", "logit:quasar");
  EXPECT_TRUE(shows("measure_error"));
  EXPECT_NEAR(measure(), 10.479, 1e-3);
}

TEST_F(AskViewTest, TheToolbarShowsTheMeasureAndOpensItsField) {
  tell();
  ASSERT_TRUE(shows("measure_box"));
  click("measure_box");
  ASSERT_TRUE(shows("ask.kind.prob"));
  click("ask.kind.prob");
  settle();
  EXPECT_EQ(workspace().asking.measure.newest()->text, "prob:cat");
  EXPECT_GT(measure(), 0.9);
  EXPECT_LE(measure(), 1.0);
}

TEST_F(AskViewTest, TheQuestionIsKeptWithTheSession) {
  tell();
  workspace().asking.settings.page = AskPage::patch;
  workspace().asking.settings.other = kSoft;
  workspace().asking.settings.patch = "mlp";
  const nlohmann::json look = look_of(workspace());
  Workspace fresh;
  take_look(look, fresh);
  EXPECT_EQ(fresh.asking.measure.text, "logit_diff:cat,mat");
  EXPECT_EQ(fresh.asking.settings.other, kSoft);
  EXPECT_EQ(fresh.asking.settings.patch, "mlp");
  EXPECT_EQ(fresh.asking.settings.page, AskPage::patch);
}

TEST_F(AskViewTest, EveryQuestionHasAnAnswerAndNoPlaceIsEmpty) {
  tell();
  workspace().asking.settings.other = kSoft;
  for (const PlaceQuestion& question : place_questions()) {
    SCOPED_TRACE(question.id);
    AskSettings& settings = workspace().asking.settings;
    settings.page = question.patch ? AskPage::patch : AskPage::knock_out;
    (question.patch ? settings.patch : settings.knock_out) = question.id;
    settle();
    ASSERT_TRUE(workspace().asking.answer());
    EXPECT_FALSE(answer().error) << answer().error->text();
    ASSERT_TRUE(answer().sweep);
    EXPECT_EQ(answer().known(), std::ssize(answer().values));
    EXPECT_TRUE(workspace().asking.is_fresh(answer()));
    EXPECT_TRUE(shows("matrix.ask_sweep"));
  }
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(AskViewTest, BesideAnotherViewItIsReachedAndReadable) {
  tell();
  workspace().view = "steps";
  workspace().second_view = "attention";
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  settle();
  EXPECT_FALSE(shows("tab_ask")) << "no room for all words";
  click_view("ask");
  settle();
  EXPECT_TRUE(workspace().view == "ask" || workspace().second_view == "ask");
  EXPECT_TRUE(shows("tab_ask")) << "the open one is always there";
  ASSERT_TRUE(shows("matrix.ask_sweep"));
  const ItemRect cells = noted_items().at("matrix.ask_sweep");
  EXPECT_GT((cells.p1.x - cells.p0.x) / static_cast<float>(cells.cols), 30.f);
  click("ask.page.parts");  // the two lists stand one above the other: no number is cut
  settle();
  ASSERT_TRUE(shows("part_blocks.1.mlp.out"));
  const ItemRect bar = noted_items().at("part_blocks.1.mlp.out");
  EXPECT_GT(bar.p1.x - bar.p0.x, 240.f);
  type_into("ask_measure", "logit_diff:because,tired");
  EXPECT_TRUE(texts().contains("What makes it say “because” and not “tired”?"))
      << "in one line of smaller letters";
}

TEST_F(AskViewTest, ARecordingIsMeasuredButNotRunAnew) {
  tell();
  auto opened = std::make_shared<OpenedModel>(*document().opened);
  opened->recorded = run().traces;
  session_->open_document(
      [opened](const std::atomic<bool>&) { return Result<Document>(new_document(opened)); });
  settle();
  ASSERT_TRUE(run().recorded());
  EXPECT_TRUE(shows("measure_box"));
  EXPECT_TRUE(shows("ask.recorded"));
  EXPECT_FALSE(workspace().asking.answer()) << "that of the model before is gone";
}

TEST_F(AskViewTest, ModelsWithoutLogitsSayWhy) {
  open_default();
  workspace().view = "ask", workspace().ask_more = true;
  settle();
  EXPECT_FALSE(shows("measure_box"));
  EXPECT_FALSE(shows("ask_measure"));
  EXPECT_NE(state().view("ask")->unavailable(run()), "");
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(AskViewTest, EncoderDecodersAnswerInBothStacks) {
  if (!open_shipped_or_skip("translator")) return;
  workspace().view = "ask", workspace().ask_more = true;
  settle();
  ASSERT_TRUE(workspace().asking.answer());
  ASSERT_TRUE(answer().sweep) << answer().error->text();
  bool cross = false, encoder = false;
  for (const SweepCell& one : answer().sweep->cells()) {
    cross |= one.site.part == Part::cross;
    encoder |= one.site.stack == Stack::enc;
  }
  EXPECT_TRUE(cross && encoder);
  workspace().asking.settings.knock_out = "positions";
  workspace().asking.settings.stack = Stack::enc;
  settle();
  for (const SweepCell& one : answer().sweep->cells()) EXPECT_EQ(one.site.stack, Stack::enc);
}

TEST_F(AskViewTest, TheColumnOfTheChangeSaysWhatItIsAgainst) {
  tell();
  click("ask.page.heads");
  settle();
  ASSERT_FALSE(session_->pinned());
  EXPECT_FALSE(texts().contains(tr("ask.heads.change"))) << "nothing is pinned";
  ASSERT_TRUE(session_->edit("text", {}, [](Document& d) { return set_text(d, 0, kSoft); }));
  settle();
  EXPECT_TRUE(texts().contains(tr("ask.heads.change.before")));
  EXPECT_FALSE(texts().contains(tr("ask.heads.change")));
  session_->pin();
  settle();
  EXPECT_TRUE(texts().contains(tr("ask.heads.change")));
  EXPECT_FALSE(texts().contains(tr("ask.heads.change.before")));
}

TEST_F(AskViewTest, TheHeadsAreRankedByAnyTitle) {
  tell();
  click("ask.page.heads");
  settle();
  const auto top = [&](const std::string& id) { return noted_items().at(id).p0.y; };
  const std::string mover = "ask_head_blocks.1.attn.pattern.3", carrier = "ask_head_blocks.0.attn.pattern.2";
  ASSERT_TRUE(shows(mover) && shows(carrier));
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  ASSERT_TRUE(session_->edit("text", {}, [](Document& d) { return set_text(d, 0, kSoft); }));
  settle();
  ASSERT_TRUE(shows("ask_heads_by_change") && shows("ask_heads_by_effect"));
  EXPECT_LT(noted_items().at("ask_heads_by_effect").p1.x, state().stage_max.x) << "every column is whole";
  session_->undo();
  settle();
  EXPECT_LT(top(carrier), top(mover)) << "by effect: -8.6 before -3.4";
  click("ask_heads_by_antecedent");
  frames();
  EXPECT_LT(top(mover), top(carrier)) << "it reads the cat";
  click("ask_heads_by_antecedent");
  frames();
  EXPECT_GT(top(mover), top(carrier)) << "the smallest first";
  click(mover);
  settle();
  EXPECT_EQ(to_text(workspace().cursor.step), "blocks.1.attn.pattern");
  EXPECT_EQ(workspace().cursor.head, 3);
  EXPECT_EQ(workspace().cursor.key, 2) << "at the cat";
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(AskViewTest, RolloutAndFlowStandBesideRawAttention) {
  tell();
  click("ask.page.paths");
  click("ask.paths.rollout");
  settle();
  ASSERT_TRUE(shows("matrix.ask_paths"));
  const AttentionPlace place{Stack::single, Part::attn};
  for (const AttentionPath path : {AttentionPath::rollout, AttentionPath::flow, AttentionPath::raw}) {
    click("ask.paths." + std::string(path_name(path)));
    settle();
    const auto want = attention_path(run().trace(0), place, path, 13);
    ASSERT_TRUE(want);
    const Tensor shown = painter_.shown("ask_paths");
    ASSERT_EQ(shown.sizes(), want->weights.sizes());
    for (std::int64_t key = 0; key < 14; ++key) EXPECT_EQ(shown.at(0, key), want->weights.at(1, key));
  }
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(AskViewTest, TheGraphLeadsFromTheAnswerToTheCatAndIsSaved) {
  tell();
  click("ask.page.graph");
  settle();
  ASSERT_TRUE(shows("ask_graph_sum"));
  ASSERT_TRUE(shows("ask_node_1_3_13")) << "head 1.3 at the last word";
  ASSERT_TRUE(shows("ask_node_0_4_2")) << "MLP 0 at the cat";
  click("ask_node_1_3_13");
  settle();
  EXPECT_EQ(to_text(workspace().cursor.step), "blocks.1.attn.pattern");
  EXPECT_EQ(workspace().cursor.head, 3);
  EXPECT_EQ(workspace().cursor.query, 13);
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
  const testing::TempFolder folder;
  state().settings.last_folder = folder.path();
  click("ask_graph_save");
  settle();
  ASSERT_TRUE(shows("browser.name"));
  key(compat::Key::enter);
  settle();
  const std::string file = folder / "graph.json";
  const auto saved = read_circuit(file);
  ASSERT_TRUE(saved) << saved.error().text();
  const auto told = nlohmann::json::parse(saved->run);
  EXPECT_EQ(told["model"]["fingerprint"], model_fingerprint(*run().document.opened))
      << "it says what was run";
  EXPECT_EQ(told["inputs"]["text"]["ids"], run().trace(0).ids);
  EXPECT_EQ(told["command"][1], "session") << "rerun takes it from the run itself";
  EXPECT_TRUE(told["session"]["inputs"].is_array());
  EXPECT_EQ(told["measure"]["row"], 13);
  EXPECT_EQ(told["method"]["qk"], false);
  EXPECT_FALSE(told["version"].get<std::string>().empty());
}

TEST_F(AskViewTest, SweepsOverHeadsAndPositionsHaveARowPerHead) {
  tell();
  click("ask.out.heads_at");
  settle();
  ASSERT_TRUE(shows("matrix.ask_sweep"));
  const ItemRect cells = noted_items().at("matrix.ask_sweep");
  EXPECT_EQ(cells.rows, 8);
  EXPECT_EQ(cells.cols, 14);
  EXPECT_NEAR(painter_.shown("ask_sweep").at(3, 13),
              value("blocks.1.attn.z[head=3,pos=13]") - answer().base(), 1e-5);
}

TEST_F(AskViewTest, ProbesAreFittedAndLeadToTheirStep) {
  tell();
  click("ask.page.probes");
  settle();
  ASSERT_TRUE(shows("ask_probes_state")) << "a small model is probed at once";
  ASSERT_TRUE(shows("ask_probe_2"));
  EXPECT_FALSE(texts().contains("1.5")) << "there is no half of a block";
  click("ask_probe_2");
  frames();
  EXPECT_EQ(to_text(workspace().cursor.step), "blocks.1.resid_post");
  workspace().view = "ask", workspace().ask_more = true;
  click("ask_probes_start");
  click("ask_probes_start");
  settle();
  EXPECT_TRUE(shows("ask_probes_state"));
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

// A and B side by side: A is the story, B the one in which it is soft.
class PatchDragTest : public AskViewTest {
 protected:
  void side_by_side(const std::string& view) {
    tell();
    state().session.pin();
    settle();
    ASSERT_TRUE(session_->edit("text", {}, [](Document& d) { return set_text(d, 0, kSoft); }));
    workspace().view = workspace().second_view = view;
    workspace().shows_pinned = {true, false};
    ImGui::GetIO().DisplaySize = ImVec2(1920, 1080);
    settle();
  }
  void drag(ImVec2 from, ImVec2 to) {
    point_at(from.x, from.y);
    frames();
    compat::feed_mouse_button(ImGui::GetIO(), 0, true);
    frames();
    for (int i = 1; i <= 4; ++i) {
      const float share = static_cast<float>(i) / 4;
      point_at(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share);
      frames();
    }
  }
  void let_go() {
    compat::feed_mouse_button(ImGui::GetIO(), 0, false);
    settle();
  }
  ImVec2 middle(const std::string& item) {
    if (!shows(item)) ADD_FAILURE() << item;
    const ItemRect r = shows(item) ? noted_items().at(item) : ItemRect{};
    return ImVec2((r.p0.x + r.p1.x) / 2, (r.p0.y + r.p1.y) / 2);
  }
};

TEST_F(PatchDragTest, AHeadOfAIsDroppedOnBAndItsConeIsShaded) {
  side_by_side("attention");
  const double before = measure();
  const Tensor given = *session_->pinned()->trace(0).tensor(*parse_site("blocks.1.attn.z"));
  drag(middle("head_1_3"), middle("second.head_0_0"));
  EXPECT_TRUE(shows("patch_drag"));
  EXPECT_FALSE(shows("second.shaded.head_0_0")) << "nothing flows back";
  let_go();
  ASSERT_EQ(document().edits.size(), 1u);
  EXPECT_EQ(to_text(*document().edits[0]), "blocks.1.attn.z[head=3]=@run:A");
  const Tensor now = *run().trace(0).tensor(*parse_site("blocks.1.attn.z"));
  ASSERT_EQ(now.sizes(), given.sizes());
  const int head = now.find(Axis::head);
  EXPECT_EQ(max_abs_difference(now.select(head, 3).packed(), given.select(head, 3).packed()), 0);
  EXPECT_GT(measure(), before) << "the head brings the cat back";
  session_->undo();
  settle();
  EXPECT_TRUE(document().edits.empty());
}

TEST_F(PatchDragTest, WhatABlockReachesIsTintedUntilTheNextPress) {
  side_by_side("attention");
  drag(middle("head_0_2"), middle("second.head_0_0"));
  EXPECT_TRUE(shows("second.shaded.head_1_0"));
  EXPECT_FALSE(shows("second.shaded.head_0_2")) << "z stands behind its own pattern";
  EXPECT_FALSE(shows("shaded.head_1_0")) << "A stays as it is";
  let_go();
  EXPECT_TRUE(shows("second.shaded.head_1_0"));
  click("second.head_0_0");
  frames();
  EXPECT_FALSE(shows("second.shaded.head_1_0"));
}

TEST_F(PatchDragTest, ACellOfTheStreamIsPatched) {
  side_by_side("residual");
  ASSERT_TRUE(shows("matrix.residual_lens") && shows("second.matrix.residual_lens"));
  const ItemRect grid = noted_items().at("matrix.residual_lens");
  const float wide = (grid.p1.x - grid.p0.x) / static_cast<float>(grid.col1 - grid.col0),
              high = (grid.p1.y - grid.p0.y) / static_cast<float>(grid.row1 - grid.row0);
  drag(ImVec2(grid.p0.x + wide * static_cast<float>(10.5 - grid.col0), grid.p1.y - high * 0.5f),
       middle("second.matrix.residual_lens"));
  EXPECT_TRUE(shows("second.shaded.matrix.residual_lens"));
  let_go();
  ASSERT_EQ(document().edits.size(), 1u);
  EXPECT_NE(to_text(*document().edits[0]).find("[pos=10]=@run:A"), std::string::npos)
      << to_text(*document().edits[0]);
  EXPECT_GT(measure(), 10) << "tired before block 0 decides";
}

TEST_F(PatchDragTest, DroppedBesideBNothingHappens) {
  side_by_side("attention");
  drag(middle("head_1_3"), middle("head_0_0"));
  let_go();
  EXPECT_TRUE(document().edits.empty());
}

TEST_F(PatchDragTest, TokensAreMatchedWhereTheLengthsDiffer) {
  side_by_side("residual");
  ASSERT_TRUE(session_->edit("text", {}, [](Document& d) {
    return set_text(d, 0, "So the cat sat on the mat because it was soft. So the");
  }));
  settle();
  const Donor donor(run().traces[0], session_->pinned()->traces[0]);
  const auto edit = donor.edit({*parse_site("blocks.0.resid_pre"), {{"pos", 10}}}, "run:A");
  ASSERT_TRUE(edit) << edit.error().text();
  EXPECT_EQ(edit->where.at.front().begin, 11) << "one more word stands in front";
}

// The question and its result first: pages that few need, settings and the graph of the estimates after a
// click.
TEST_F(AskViewTest, SettingsStandBehindMore) {
  tell();
  if (IsSkipped() || HasFatalFailure()) return;
  workspace().ask_more = false;
  settle();
  EXPECT_TRUE(shows("ask_result"));
  EXPECT_TRUE(shows("ask_measure"));
  const auto hidden = {"ask.page.graph", "ask.page.probes", "ask.out.neurons",
                       "ask.how.mean",   "ask_scatter",     "ask_start"};
  for (const char* item : hidden) EXPECT_FALSE(shows(item)) << item;
  click("ask_more");
  settle();
  for (const char* item : hidden) EXPECT_TRUE(shows(item)) << item;
  click("ask.page.graph");
  click("ask_more");
  settle();
  EXPECT_TRUE(shows("ask.page.graph")) << "the page that is open stays";
}

}  // namespace
}  // namespace attnscope
