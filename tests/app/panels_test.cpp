// The panels beside the stage, drawn without a screen: for the scene, two families and no run at all; where
// clicks lead; what a breakpoint does; following a score to the weights it came from.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "app/panels/inspector/inspector_parts.h"
#include "app/panels/network/network_edits.h"
#include "app/panels/network/network_layout.h"
#include "app/panels/network/network_links.h"
#include "app/panels/timeline/timeline_layout.h"
#include "app/state/panel.h"
#include "app/widgets/cell_edit.h"
#include "app/widgets/navigation.h"
#include "core/base/noted_words.h"
#include "core/base/words.h"
#include "tests/app/widgets/imgui_fixture.h"

namespace attnscope {
namespace {

const char* const kScene = "assets/scenes/nine_steps.json";
const char* const kGpt2 = "tests/golden/models/gpt2";
const char* const kLlama = "tests/golden/models/llama";

class PanelsTest : public testing::ImguiFixture {
 protected:
  void open(const std::string& path) {
    session_.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/" + path);
    session_.wait();
    ASSERT_TRUE(session_.result()) << path;
    take();
    go_to_step(workspace_, *run_, 0);
  }
  void take() {
    session_.wait();
    run_ = session_.result();
    before_ = session_.previous();
  }
  PanelContext context() { return {session_, run_.get(), before_.get(), workspace_, commands_, painter_}; }
  void draw(void (*panel)(const PanelContext&), ImVec2 size, int frames = 2) {
    for (int i = 0; i < frames; ++i) {
      frame([&] { panel(context()); }, size);
      commands_.carry_out(session_);
      take();
    }
  }
  void draw_all() {
    draw(draw_network_map, ImVec2(216, 640));
    draw(draw_inspector, ImVec2(318, 640));
    draw(draw_timeline, ImVec2(1440, 92));
  }
  void click(void (*panel)(const PanelContext&), ImVec2 size, ImVec2 at) {
    point_at(at.x, at.y);
    draw(panel, size);
    press(true);
    draw(panel, size);
    press(false);
    draw(panel, size);
  }
  void pin(const std::string& cell) {
    const auto parsed = parse_cell(cell);
    ASSERT_TRUE(parsed) << cell;
    pin_cell(workspace_, *run_, *parsed);
    keep_trail(workspace_);
  }
  /// What the inspector says of a cell, once nothing is computed any more.
  std::string inspected(const std::string& cell) {
    const ImVec2 size(318, 2400);
    pin(cell);
    draw(draw_inspector, size, 2);
    for (int wait = 0; wait < 500 && session_.workers().any_busy(); ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    frame(
        [&] {
          ImGui::LogToClipboard();
          draw_inspector(context());
          ImGui::LogFinish();
        },
        size);
    return ImGui::GetClipboardText();
  }
  Explanation explained() {
    const Cell& cell = *workspace_.cursor.pinned;
    const Trace& trace = run_->trace(workspace_.cursor.sequence);
    return *explain(trace, cell.site, cell_index(trace, cell));
  }

  Session session_;
  std::shared_ptr<const RunResult> run_, before_;
  Workspace workspace_;
  Commands commands_;
};

// Sequences of different lengths, each by itself: the shape is that of the sequence that is shown.
TEST_F(PanelsTest, TheShapeIsThatOfTheSequenceThatIsShown) {
  open("assets/scenes/three_sentences.json");
  ASSERT_TRUE(session_.edit("pad", {}, [](Document& document) {
    document.padding.on = false;  // each sequence has its own length
    return Status(Done{});
  }));
  take();
  for (int sequence = 0; sequence < static_cast<int>(run_->traces.size()); ++sequence) {
    workspace_.cursor.sequence = sequence;
    draw(draw_inspector, ImVec2(318, 2400), 2);
    frame(
        [&] {
          ImGui::LogToClipboard();
          draw_inspector(context());
          ImGui::LogFinish();
        },
        ImVec2(318, 2400));
    const std::string said = ImGui::GetClipboardText();
    const auto length =
        static_cast<long long>(run_->document.sequences[static_cast<std::size_t>(sequence)].input.ids.size());
    EXPECT_NE(said.find(format("(1, %lld, 8)", length)), std::string::npos) << said;
  }
}

// What an edit did is told of itself, though another one came after it: runs made anew, a loop over the row.
TEST_F(PanelsTest, WhatFollowsFromAnEditIsWithItMinusWithoutIt) {
  open(kGpt2);
  const std::string first = "blocks.0.attn.z[head=1,pos=1]=0.5", later = "blocks.1.mlp.out[pos=0]*=1.5";
  for (const std::string& text : {first, later})
    ASSERT_TRUE(session_.edit("edit", {}, [&](Document& document) {
      document.edits.push_back(*parse_edit(text));
      return Status(Done{});
    }));
  take();
  RunOptions with, without;
  with.edits = {*parse_edit(first), *parse_edit(later)};
  without.edits = {*parse_edit(later)};
  const Model& model = *run_->document.model;
  const Input input = inputs_of(run_->document).front();
  const Site out = site_of(Slot::attn_out, 0);
  const auto now = *model.run(input, with), old = *model.run(input, without);
  double most = 0;
  for (std::int64_t i = 0; i < now->config().d_model; ++i)
    most = std::max(most, std::fabs(static_cast<double>(now->cell(out, {1, i})) - old->cell(out, {1, i})));
  ASSERT_GT(most, 0);
  const std::string said = inspected("blocks.0.attn.z[head=1,query=1,d_head=0]");
  EXPECT_NE(said.find(tr("inspector.after")), std::string::npos) << said;
  EXPECT_NE(said.find(tr("inspector.after.row", {shown_number(most)})), std::string::npos) << said;
}

TEST_F(PanelsTest, MeansOfAHeadSayOfHowManyRowsTheyAre) {
  open(kGpt2);
  ASSERT_TRUE(session_.edit("sequences", {}, [](Document& document) -> Status {
    TRY_OK(add_sequence(document, 0));
    TRY_OK(set_ids(document, 0, {1, 2, 3}, {}));
    TRY_OK(set_ids(document, 1, {1, 2, 3, 4, 5}, {}));
    return set_padding(document, {true, PadSide::right, 5});
  }));
  take();
  const auto said_of = [&](int sequence) {
    workspace_.cursor.sequence = sequence;
    return inspected("blocks.0.attn.pattern[head=1,query=1,key=0]");
  };
  const std::string padded = said_of(0), whole = said_of(1);
  EXPECT_NE(padded.find(tr("inspector.head.some", {"3", "5"})), std::string::npos) << padded;
  EXPECT_EQ(padded.find(tr("inspector.head.all")), std::string::npos) << padded;
  EXPECT_NE(whole.find(tr("inspector.head.all")), std::string::npos) << whole;
}

TEST_F(PanelsTest, WithoutARunThePanelsSayWhatToDo) {
  draw_all();
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(PanelsTest, EveryStepOfEveryModelIsDrawn) {
  for (const char* path : {kScene, kGpt2, kLlama}) {
    open(path);
    for (int step = 0; step < static_cast<int>(run_->steps.size()); ++step) {
      go_to_step(workspace_, *run_, step);
      EXPECT_EQ(current_step(workspace_, *run_), step) << path;
      draw(draw_network_map, ImVec2(196, 500), 1);
      draw(draw_timeline, ImVec2(1280, 92), 1);
    }
  }
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(PanelsTest, TheInspectorExplainsACellOfEveryRecord) {
  for (const char* path : {kScene, kGpt2, kLlama}) {
    open(path);
    for (const Record& record : run_->trace(0).records()) {
      std::vector<std::int64_t> index;
      for (const std::int64_t size : record.shape) index.push_back(size - 1);
      pin_cell(workspace_, *run_, cell_at(run_->trace(0), record.site, index));
      EXPECT_EQ(workspace_.cursor.step, record.site);
      draw(draw_inspector, ImVec2(318, 640), 1);
    }
  }
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(PanelsTest, EveryRecordOfABlockHasABoxOnTheMap) {
  for (const char* path : {kScene, kGpt2, kLlama}) {
    open(path);
    const NetworkLayout layout = network_layout(*run_, 0, {}, 200);
    for (const Record& record : run_->trace(0).records())
      EXPECT_GE(layout.box_of(record.site), 0) << path << " " << to_text(record.site);
    for (const NetworkBox& box : layout.boxes) {
      EXPECT_TRUE(run_->trace(0).find(box.target)) << box.key;
      EXPECT_LE(box.x + box.w, 200) << box.key;
    }
  }
}

TEST_F(PanelsTest, EditsOfEveryKindAreMarkedOnTheMap) {
  open(kLlama);
  const auto marked = [&](const char* text) {
    EXPECT_TRUE(session_.edit("Edit", {}, [&](Document& changed) -> Status {
      changed.edits = {*parse_edit(text)};
      return Done{};
    }));
    take();
    std::string out;
    for (const NetworkBox& box : network_layout(*run_, 0, {}, 200).boxes)
      if (const auto edits = edits_of(box, *run_, 0); !edits.empty())
        out += (out.empty() ? "" : " ") + box.key.substr(4) + (box.cut ? "(cut)" : "") +
               (edits.front() == text ? "" : "?");
    return out;
  };
  EXPECT_EQ(marked("blocks.0.order=post"), "norm norm");
  EXPECT_EQ(marked("blocks.0.attn.skip=off"), "add(cut)");
  EXPECT_EQ(marked("blocks.*.mlp.skip=off"), "add(cut) block block");
  EXPECT_EQ(marked("blocks.0.mlp.activation=relu"), "mlp");
  EXPECT_EQ(marked("blocks.*.attn.scaling=off"), "attention block block");
  EXPECT_EQ(marked("blocks.1.attn.kv_heads=1"), "block");
  EXPECT_EQ(marked("blocks.0.attn.kv_heads=1"), "k v");
  EXPECT_EQ(marked("blocks.0.attn.mask_order=before"), "attention");
  EXPECT_EQ(marked("blocks.0.attn.q.weight[in=1]*=2"), "q");
  EXPECT_EQ(marked("blocks.1.attn.z[head=1]=0"), "block");
  EXPECT_TRUE(session_.edit("Mask", {}, [](Document& changed) -> Status {
    changed.edits.clear();
    return set_mask_text(changed, "full");
  }));
  take();
  int masks = 0;
  for (const NetworkBox& box : network_layout(*run_, 0, {}, 200).boxes)
    masks += edits_of(box, *run_, 0).empty() ? 0 : 1;
  EXPECT_EQ(masks, run_->trace(0).config().n_layers()) << "every block's attention";
}

TEST_F(PanelsTest, AClickOnABoxMovesTheCursor) {
  open(kGpt2);
  const NetworkLayout layout = network_layout(*run_, 0, {}, 200);
  const NetworkBox& mlp = *std::find_if(layout.boxes.begin(), layout.boxes.end(),
                                        [](const NetworkBox& box) { return box.key == "map.mlp"; });
  // The boxes begin under the title, inside the window's padding.
  const float top = ImGui::GetStyle().WindowPadding.y + ImGui::GetStyle().ItemSpacing.y +
                    compat::font_size(fonts().body_bold);
  click(draw_network_map, ImVec2(224, 640), ImVec2(110, top + mlp.y + mlp.h / 2));
  EXPECT_EQ(to_text(workspace_.cursor.step), "blocks.0.mlp.pre");
}

TEST_F(PanelsTest, AClickOnTheBarMovesTheCursorAndOneAboveItSetsABreakpoint) {
  open(kScene);
  const ImVec2 size(1440, 92);
  const float left = ImGui::GetStyle().WindowPadding.x + 202,
              width = 1440 - 2 * ImGui::GetStyle().WindowPadding.x - 224;
  const float top = ImGui::GetStyle().WindowPadding.y + 32;
  const float step6 = left + width / 9 * 6.5f;
  click(draw_timeline, size, ImVec2(step6, top + 9));
  EXPECT_EQ(current_step(workspace_, *run_), 6);
  const auto hovered = [&] {
    note_words(true);
    point_at(step6, top - 11);
    draw(draw_timeline, size);
    const auto texts = noted_words();
    note_words(false);
    return texts;
  };
  EXPECT_TRUE(hovered().contains("timeline.breakpoint.none"));
  EXPECT_FALSE(hovered().contains("timeline.breakpoint.set"));
  click(draw_timeline, size, ImVec2(step6, top - 11));
  ASSERT_EQ(workspace_.breakpoints.size(), 1u);
  EXPECT_EQ(workspace_.breakpoints.front(), "blocks.0.attn.z");
  EXPECT_TRUE(hovered().contains("timeline.breakpoint.set"));
  EXPECT_FALSE(hovered().contains("timeline.breakpoint.none"));

  workspace_.playing = true;
  go_to_step(workspace_, *run_, 4);
  draw(draw_timeline, size, 1);
  for (int step = 5; step < 9 && workspace_.playing; ++step) {
    go_to_step(workspace_, *run_, step);
    draw(draw_timeline, size, 1);
  }
  EXPECT_FALSE(workspace_.playing);
  EXPECT_EQ(current_step(workspace_, *run_), 6);
  click(draw_timeline, size, ImVec2(step6, top - 11));
  EXPECT_TRUE(workspace_.breakpoints.empty());
}

TEST_F(PanelsTest, AScoreIsFollowedToAWeightAndBack) {
  open(kScene);
  pin("blocks.0.attn.scores[head=0,query=2,key=1]");
  Source source = explained().terms[0].factors[0];
  EXPECT_EQ(source.name, "blocks.0.attn.split_q");
  double value = source.value;
  while (!source.is_weight) {  // split, view, projection: the same number until the product with W
    follow_source(workspace_, *run_, source);
    draw(draw_inspector, ImVec2(318, 640), 1);
    const Explanation next = explained();
    EXPECT_NEAR(next.recorded, value, 1e-6);
    source = next.rule == Rule::dot ? next.terms[0].factors[1] : next.terms[0].factors[0];
    if (next.rule != Rule::dot) value = source.value;
  }
  EXPECT_EQ(source.name, "blocks.0.attn.q.weight");
  follow_source(workspace_, *run_, source);
  draw(draw_inspector, ImVec2(318, 640));
  ASSERT_TRUE(place_of(workspace_));
  EXPECT_TRUE(place_of(workspace_)->is_weight());
  EXPECT_EQ(to_text(workspace_.cursor.pinned->site),
            "blocks.0.attn.q");  // the stage stays where the weight is used
  go_back(workspace_, *run_, 1);
  EXPECT_EQ(to_text(workspace_.cursor.step), "blocks.0.attn.scores");
  EXPECT_EQ(workspace_.inspector.trail.size(), 1u);
}

TEST_F(PanelsTest, PinningAnotherCellBeginsTheTrailAnew) {
  open(kScene);
  pin("blocks.0.attn.scores[head=0,query=2,key=1]");
  follow_source(workspace_, *run_, explained().terms[0].factors[1]);
  EXPECT_EQ(workspace_.inspector.trail.size(), 2u);
  EXPECT_EQ(workspace_.cursor.key, 1);
  pin("blocks.0.attn.z[query=1,head=1,d_head=0]");
  EXPECT_EQ(workspace_.inspector.trail.size(), 1u);
  workspace_.cursor.pinned.reset();
  keep_trail(workspace_);
  EXPECT_FALSE(place_of(workspace_));
}

TEST_F(PanelsTest, ATiedWeightIsSaidUnderBothNames) {
  open(kGpt2);
  const std::string both = weight_cell_names(*run_, "logits.weight", {3, 7});
  EXPECT_EQ(both, "tok_embed.weight[vocab=7, d_model=3] = logits.weight[in=3, vocab=7]");
  EXPECT_EQ(weight_cell_names(*run_, "blocks.0.attn.q.weight", {0, 1}),
            weight_cell_text(*run_, "blocks.0.attn.q.weight", {0, 1}));
  edit_weight(commands_, *run_, "logits.weight", {3, 7}, 0.25f, {});
  commands_.carry_out(session_);
  EXPECT_NE(session_.history().undo_sentence().find(both), std::string::npos)
      << session_.history().undo_sentence();
  take();
  draw_all();
  EXPECT_EQ(session_.result()->trace(0).weights().get("tok_embed.weight").at(7, 3), 0.25f);
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(PanelsTest, EditsAreListedAndTakenBack) {
  open(kScene);
  pin("blocks.0.attn.scores[head=0,query=2,key=1]");
  edit_cell(commands_, *run_, 0, *workspace_.cursor.pinned, 0.5f, {});
  edit_weight(commands_, *run_, "blocks.0.attn.q.weight", {0, 1}, 0.25f, {});
  commands_.carry_out(session_);
  take();
  draw_all();
  const Document& document = session_.document();
  ASSERT_EQ(document.edits.size(), 2u);
  EXPECT_EQ(to_text(*document.edits[1]), "blocks.0.attn.q.weight[in=0,out=1]=0.25");
  Document back = document;
  ASSERT_TRUE(remove_edit(back, 1));
  EXPECT_EQ(back.edits.size(), 1u);
  EXPECT_FALSE(remove_edit(back, 1));
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST(TimelineLayout, ManyBlocksFoldAroundTheOpenOne) {
  std::vector<TimelineStep> steps;
  for (int layer = 0; layer < 48; ++layer)
    for (int i = 0; i < 16; ++i) steps.push_back({StepKind::scores, layer, {}, site_of(Slot::scores, layer)});
  const TimelineLayout layout = timeline_layout(steps, {Stack::single, 20}, 1000, 15, 2);
  EXPECT_EQ(layout.segments.size(), 47u + 16u);
  EXPECT_LE(layout.segments.back().x1, 1001);
  for (int step = 0; step < static_cast<int>(steps.size()); ++step) EXPECT_GE(layout.segment_of(step), 0);
  const int open = layout.segment_of(20 * 16 + 3);
  const TimelineSegment& segment = layout.segments[static_cast<std::size_t>(open)];
  EXPECT_FALSE(segment.folded());
  EXPECT_EQ(layout.step_at((segment.x0 + segment.x1) / 2), 20 * 16 + 3);
  EXPECT_EQ(layout.step_at(-5), 0);
  EXPECT_EQ(layout.step_at(5000), 48 * 16 - 1);
}

TEST(ShownNumber, HasARealMinusAndKeepsSmallNumbers) {
  EXPECT_EQ(shown_number(-0.0634), "−0.0634");
  EXPECT_EQ(shown_number(0), "0");
  EXPECT_EQ(shown_number(-INFINITY), "−∞");
  EXPECT_EQ(shown_number(1.25e-7), "1.250e−7");
  EXPECT_EQ(shown_number(NAN), "NaN");
  EXPECT_EQ(subscript(12), "₁₂");
}

TEST(ShownNumber, HasOneFormInAList) {
  EXPECT_EQ(shown_in_list(0.00114, 5e-4), "0.0011");
  EXPECT_EQ(shown_in_list(0.00114, 3.776e-4), "0.001140");
  EXPECT_EQ(shown_in_list(3.776e-4, 3.776e-4), "0.000378");
  EXPECT_EQ(shown_in_list(1, 2.5e-44), "1.000e0");
  EXPECT_EQ(shown_in_list(2.5e-44, 2.5e-44), "2.500e−44");
  EXPECT_EQ(shown_in_list(0, 2.5e-44), "0");
}

// Of a softmax every key has its exponential, however narrow the panel and long the word is.
TEST_F(PanelsTest, NoTermOfASoftmaxIsLeftOut) {
  open("assets/models/storyteller");
  pin("blocks.1.attn.pattern[head=3,query=10,key=2]");
  workspace_.inspector.all_terms = true;
  for (const float width : {420.f, 318.f, 220.f}) {
    draw(draw_inspector, ImVec2(width, 1400));
    frame(
        [&] {
          ImGui::LogToClipboard(8);
          draw_inspector(context());
          ImGui::LogFinish();
        },
        ImVec2(width, 1400));
    const std::string text = ImGui::GetClipboardText();
    std::size_t count = 0;
    for (std::size_t at = text.find("exp "); at != std::string::npos; at = text.find("exp ", at + 1))
      count += std::isdigit(static_cast<unsigned char>(text[at + 4])) &&
               text.compare(at - std::min<std::size_t>(at, 3), 3, "of ") != 0;  // "sum of exp"
    EXPECT_EQ(count, explained().terms.size()) << width << "\n" << text;
  }
}

// What the inspector says where a number can be changed, and where not: never that nothing follows.
TEST_F(PanelsTest, TheInspectorSaysWhatAChangeDoes) {
  const auto said = [&] {
    std::string text;
    frame(
        [&] {
          ImGui::LogToClipboard(8);
          draw_inspector(context());
          ImGui::LogFinish();
        },
        ImVec2(318, 1400));
    if (const char* copied = ImGui::GetClipboardText()) text = copied;
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  };
  const auto says = [&](const char* step, const std::vector<std::int64_t>& index, const char* key) {
    pin_cell(workspace_, *run_, cell_at(run_->trace(0), *parse_site(step), index));
    keep_trail(workspace_);
    draw(draw_inspector, ImVec2(318, 1400));
    const std::string text = said();
    EXPECT_NE(text.find(std::string(tr(key)).substr(0, 30)), std::string::npos) << step << ": " << text;
  };
  open(kGpt2);
  says("blocks.0.attn.scores", {0, 2, 1}, "inspector.edit.help");
  go_to_step(workspace_, *run_, static_cast<int>(run_->steps.size()) - 1);
  says("blocks.0.attn.scores", {0, 2, 1}, "inspector.edit.help");
  says("logits", {1, 3}, "inspector.edit.help");
  says("probs", {1, 3}, "cell_edit.fixed.probs");
  says("blocks.0.ln1.scale", {1, 0}, "inspector.edit.help");
  open(kScene);
  says("blocks.0.attn.out", {2, 1}, "inspector.edit.last");
  says("blocks.0.attn.z", {1, 2, 0}, "inspector.edit.help");
}

// Of the head that is looked at: on each side the strongest score with a head of another block.
TEST_F(PanelsTest, CompositionIsLinesOfTheMap) {
  open("assets/models/induction");
  const auto circuits = circuits_of(*run_->document.model);
  ASSERT_TRUE(circuits);
  const Stack stack = run_->trace(0).config().stack;
  const NetworkLayout layout = network_layout(*run_, 0, {stack, 1}, 200);
  const std::vector<NetworkLink> links = composition_links(layout, *circuits, stack, 1, 1);
  ASSERT_EQ(links.size(), 3u) << "into its queries, keys and values";
  for (const NetworkLink& link : links) {
    double most = 0;
    int head = -1;
    for (const Composition& one : circuits->composition)
      if (one.side == link.side && one.to_block == 1 && one.to_head == 1 && one.score > most)
        most = one.score, head = one.from_head;
    EXPECT_EQ(link.score, most);
    EXPECT_EQ(link.head, head);
    EXPECT_EQ(link.block, 0);
    EXPECT_EQ(layout.boxes[static_cast<std::size_t>(link.from)].kind, NetworkBox::Kind::folded);
    EXPECT_EQ(layout.boxes[static_cast<std::size_t>(link.to)].key,
              std::string("map.") + reads_name(link.side));
  }
  const NetworkLayout before = network_layout(*run_, 0, {stack, 0}, 200);
  const std::vector<NetworkLink> out = composition_links(before, *circuits, stack, 0, 0);
  ASSERT_EQ(out.size(), 3u) << "out of it, into block 1";
  EXPECT_EQ(out.front().block, 1);
  workspace_.view = "circuits", workspace_.cursor.layer = 1;
  // A line is seen through the box of the norm that stands between its ends.
  int seen_through = 0;
  for (int tries = 0; tries < 500 && seen_through == 0; ++tries) {  // until the circuits are computed
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    draw(draw_network_map, ImVec2(216, 640), 4);
    const ImDrawData& drawn = *ImGui::GetDrawData();
    for (int list = 0; list < drawn.CmdListsCount; ++list)
      for (const ImDrawCmd& command : drawn.CmdLists[list]->CmdBuffer) {
        const float tall = command.ClipRect.w - command.ClipRect.y;
        if (command.ElemCount > 0 && tall > 8 * ui_scale() && tall < 40 * ui_scale()) ++seen_through;
      }
  }
  EXPECT_GE(seen_through, 1);
}

}  // namespace
}  // namespace attnscope
