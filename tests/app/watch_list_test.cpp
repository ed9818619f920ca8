// What the right button offers beside edits, the watch list, rules at which playing stops, what is pointed
// at, the names of the checkpoint, and editing a number whose cell is too small for digits.
#include <functional>

#include "app/look/pointed.h"
#include "app/panels/network/network_layout.h"
#include "app/panels/network/network_tree.h"
#include "app/state/session_look.h"
#include "tests/app/ui_driver.h"

namespace attnscope::testing {
namespace {

class WatchList : public FrameTest {
 protected:
  void SetUp() override {
    FrameTest::SetUp();
    workspace().animate = false;
  }
  /// The right button's menu at a cell.
  void ask(const char* cell) {
    workspace().edit_at = Place{*parse_cell(cell), {}, {}};
    frames(3);
  }
  /// Points at a cell of a matrix that was drawn in the last frame.
  void point_at_cell(const std::string& matrix, std::int64_t row, std::int64_t col) {
    ASSERT_TRUE(shows(matrix)) << matrix;
    const ItemRect at = noted_items().at(matrix);
    const auto place = [](float from, float to, double begin, double end, std::int64_t i) {
      return from + (to - from) * static_cast<float>((static_cast<double>(i) + 0.5 - begin) / (end - begin));
    };
    point_at(place(at.p0.x, at.p1.x, at.col0, at.col1, col), place(at.p0.y, at.p1.y, at.row0, at.row1, row));
    frames(3);
  }
};

TEST_F(WatchList, TheMenuCopiesGoesAndWatches) {
  open_default();
  const std::string cell = "blocks.0.attn.scores[head=0,query=2,key=1]";
  ask(cell.c_str());
  click("edit_menu.copy_address");
  EXPECT_EQ(std::string(ImGui::GetClipboardText()), cell);
  ask(cell.c_str());
  click("edit_menu.copy_number");
  EXPECT_NEAR(std::stod(ImGui::GetClipboardText()),
              static_cast<double>(run().trace(0).cell(site_of(Slot::scores, 0), {0, 2, 1})), 1e-7);
  ask(cell.c_str());
  click("edit_menu.go");
  EXPECT_EQ(to_text(workspace().cursor.step), "blocks.0.attn.scores");
  ask(cell.c_str());
  click("edit_menu.why");
  ASSERT_TRUE(workspace().cursor.pinned);
  EXPECT_EQ(to_text(*workspace().cursor.pinned), cell);
  ask(cell.c_str());
  click("edit_menu.watch");
  EXPECT_EQ(workspace().watched, std::vector<std::string>{cell});
  const auto look = look_of(workspace());
  Workspace other;
  take_look(look, other);
  EXPECT_EQ(other.watched, workspace().watched);
}

TEST_F(WatchList, PlayingStopsWhereARuleIsMet) {
  open_default();
  workspace().stops = {"entropy < 100"};
  workspace().speed = 8;
  go_to_step(workspace(), run(), 0);
  frames(1);
  workspace().playing = true;
  for (int i = 0; i < 600 && workspace().playing; ++i) frames(1);
  EXPECT_FALSE(workspace().playing);
  const TimelineStep& here = run().steps[static_cast<std::size_t>(step())];
  EXPECT_TRUE(std::any_of(here.sites.begin(), here.sites.end(), [](const Site& s) {
    return s.slot == Slot::pattern;
  })) << "weights are the only step that has an entropy";
  EXPECT_NE(workspace().stopped_by, "");
  go_to_step(workspace(), run(), 0);
  frames(2);
  EXPECT_EQ(workspace().stopped_by, "") << "it is said at that step only";
}

TEST_F(WatchList, ANoteIsWrittenChangedAndRemovedInOneField) {
  ImGui::GetIO().DisplaySize.y = 2000;  // the inspector to its end
  open_default();
  go_to_site(workspace(), run(), site_of(Slot::scores, 0));
  settle();
  const auto write = [&](const char* words) {
    click("new_note");
    key(compat::Key::a, true);
    type(words);
    key(compat::Key::enter);
    settle();
  };
  const auto noted_cells = [&] {  // outlined in the figure
    const DisplayList list = drawn();
    return std::count_if(list.items().begin(), list.items().end(), [](const DrawItem& item) {
      return item.kind == DrawItem::Kind::rect && item.stroke == theme().residual && item.fill == 0;
    });
  };
  using Notes = std::map<std::string, std::string>;
  const std::string place = "blocks.0.attn.scores", cell = place + "[head=0,query=1,key=2]";
  write("old");
  EXPECT_EQ(document().notes, (Notes{{place, "old"}}));
  click("new_note");
  key(compat::Key::end);
  type("er");
  key(compat::Key::enter);
  settle();
  EXPECT_EQ(document().notes, (Notes{{place, "older"}})) << "the field holds the note of this place";
  pin_cell(workspace(), run(), *parse_cell(cell));
  settle();
  write("a number");
  EXPECT_EQ(document().notes, (Notes{{place, "older"}, {cell, "a number"}}));
  EXPECT_EQ(noted_cells(), 1);
  click("new_note");
  key(compat::Key::a, true);
  key(compat::Key::backspace);
  key(compat::Key::enter);
  settle();
  EXPECT_EQ(document().notes, (Notes{{place, "older"}})) << "an empty note is none";
  EXPECT_EQ(noted_cells(), 0);
  click("remove_note0");
  settle();
  EXPECT_TRUE(document().notes.empty());
}

TEST_F(WatchList, ANoteToAPlaceThatIsGoneSaysSo) {
  ImGui::GetIO().DisplaySize.y = 2000;
  open_default();
  ASSERT_TRUE(session_->edit(Text::of("notes.title"), {}, [](Document& changed) -> Status {
    changed.notes = {{"blocks.0.attn.scores[head=0,query=9,key=0]", "of a longer input"}};
    return Done{};
  }));
  settle();
  click("note0");
  settle();
  EXPECT_TRUE(session_->error());
  EXPECT_FALSE(workspace().cursor.pinned);
}

TEST_F(WatchList, WhatIsPointedAtIsKnownToAll) {
  open_default();
  go_to_site(workspace(), run(), site_of(Slot::scores, 0));
  settle();
  point_at_cell("matrix.steps/result", 2, 1);
  const Stack stack = run().trace(0).config().stack;
  EXPECT_TRUE(token_pointed(stack, 2));
  EXPECT_TRUE(token_pointed(stack, 1));
  EXPECT_FALSE(token_pointed(stack, 0));
  EXPECT_TRUE(head_pointed(stack, Part::attn, 0, workspace().cursor.head));
  point_at(2, 2);
  frames(3);
  EXPECT_FALSE(token_pointed(stack, 2)) << "as long as it is pointed at";
}

TEST_F(WatchList, AHeadAndANeuronArePointedAtWhereverTheyAreDrawn) {
  open_model("gpt2");
  const Stack stack = run().trace(0).config().stack;
  workspace().view = "attention";
  settle();
  ASSERT_TRUE(shows("head_0_1"));
  const ItemRect thumbnail = noted_items().at("head_0_1");
  point_at((thumbnail.p0.x + thumbnail.p1.x) / 2, (thumbnail.p0.y + thumbnail.p1.y) / 2);
  frames(3);
  EXPECT_EQ(pointed_head(stack, Part::attn, 0), 1);
  workspace().view = "mlp";
  settle();
  click("mlp_neurons_page");
  settle();
  point_at_cell("matrix.mlp_neurons", 0, 1);
  EXPECT_GE(pointed_neuron(stack, workspace().cursor.layer), 0);
  EXPECT_TRUE(token_pointed(stack, 1));
}

TEST_F(WatchList, TheMenuHandsOutTheFigure) {
  open_default();
  ask("blocks.0.attn.scores[head=0,query=2,key=1]");
  click("edit_menu.figure_text");
  ASSERT_TRUE(state().export_request);
  EXPECT_EQ(state().export_request->copies, CopyAs::text);
  state().export_request.reset();
  ask("blocks.0.attn.scores[head=0,query=2,key=1]");
  click("edit_menu.figure");
  frames(3);
  EXPECT_TRUE(shows("browser.name"));
}

TEST_F(WatchList, ADoubleClickEditsWhereNoDigitsAreDrawn) {
  open_model("gpt2");
  workspace().view = "steps";
  go_to_site(workspace(), run(), site_of(Slot::mlp_pre, 0));
  settle();
  point_at_cell("matrix.steps/result", 1, 3);
  for (int i = 0; i < 2; ++i) {
    compat::feed_mouse_button(ImGui::GetIO(), 0, true);
    frames(1);
    compat::feed_mouse_button(ImGui::GetIO(), 0, false);
    frames(1);
  }
  frames(3);
  type("2");
  EXPECT_EQ(workspace().view, "steps") << "the digit goes into the field";
  key(compat::Key::enter);
  settle();
  ASSERT_FALSE(document().edits.empty());
  EXPECT_EQ(run().trace(0).cell(site_of(Slot::mlp_pre, 0), {1, 3}), 2.f);
}

TEST_F(WatchList, TheTreeHasEveryWeightAndGoesToItsStep) {
  open_model("llama");
  const Trace& trace = run().trace(0);
  const ModuleNode root = module_tree(*run().document.opened, trace);
  EXPECT_EQ(root.label, "LlamaForCausalLM");
  const std::function<const ModuleNode*(const ModuleNode&, const std::string&)> find =
      [&](const ModuleNode& node, const std::string& weight) -> const ModuleNode* {
    if (node.weight == weight) return &node;
    for (const ModuleNode& one : node.children)
      if (const ModuleNode* found = find(one, weight)) return found;
    return nullptr;
  };
  const ModuleNode* q = find(root, "blocks.0.attn.q.weight");
  ASSERT_TRUE(q);
  EXPECT_EQ(run().document.opened->stored_as.at("blocks.0.attn.q.weight"),
            "model.layers.0.self_attn.q_proj.weight");
  EXPECT_TRUE(q->goes);
  EXPECT_EQ(to_text(q->site), "blocks.0.attn.q");
  std::int64_t all = 0;
  for (const auto& [name, values] : trace.weights().all()) all += values.count();
  EXPECT_EQ(root.parameters, all);
}

// As PyTorch's print(model), but in the order of the forward pass.
TEST_F(WatchList, TheTreeNamesTheClassesOfPyTorchInTheOrderOfTheForwardPass) {
  const auto listed = [&](const char* model) {
    open_model(model);
    std::vector<std::string> out;
    const std::function<void(const ModuleNode&)> walk = [&](const ModuleNode& node) {
      if (!node.module.empty()) out.push_back(node.label + ": " + node.module);
      for (const ModuleNode& one : node.children) walk(one);
    };
    walk(module_tree(*run().document.opened, run().trace(0)));
    return out;
  };
  const std::vector<std::string> llama = listed("llama");
  const ModelConfig& config = run().trace(0).config();
  const std::string d = std::to_string(config.d_model), mlp = std::to_string(config.blocks[0].mlp.d_mlp);
  ASSERT_GE(llama.size(), 10u);
  EXPECT_EQ(llama[0], "embed_tokens: nn.Embedding(" + std::to_string(config.vocab_size) + ", " + d + ")");
  EXPECT_EQ(llama[1], "input_layernorm: nn.RMSNorm(" + d + ")");
  EXPECT_TRUE(llama[2].starts_with("q_proj: nn.Linear(" + d + ", ")) << llama[2];
  EXPECT_TRUE(llama[3].starts_with("k_proj: nn.Linear(" + d + ", ")) << llama[3];
  EXPECT_TRUE(llama[5].starts_with("o_proj: nn.Linear(")) << llama[5];
  EXPECT_EQ(llama[6], "post_attention_layernorm: nn.RMSNorm(" + d + ")");
  EXPECT_EQ(llama[9], "down_proj: nn.Linear(" + mlp + ", " + d + ")");
  EXPECT_EQ(*(llama.end() - 2), "norm: nn.RMSNorm(" + d + ")");
  EXPECT_TRUE(llama.back().starts_with("lm_head: nn.Linear(")) << llama.back();
  const std::vector<std::string> gpt2 = listed("gpt2");
  EXPECT_EQ(gpt2[0], "wte: nn.Embedding(199, 48)");
  EXPECT_EQ(gpt2[1], "wpe: nn.Embedding(64, 48)");
  EXPECT_EQ(gpt2[2], "ln_1: nn.LayerNorm(48)");
  EXPECT_EQ(gpt2[3], "c_attn: nn.Linear(48, 144)") << "queries, keys and values in one";
}

TEST_F(WatchList, TheMapCountsTheParametersOfItsParts) {
  open_model("llama");
  const NetworkLayout layout = network_layout(run(), 0, {}, 200);
  const Trace& trace = run().trace(0);
  const auto box = std::find_if(layout.boxes.begin(), layout.boxes.end(),
                                [](const NetworkBox& one) { return one.key == "map.k"; });
  ASSERT_NE(box, layout.boxes.end());
  EXPECT_EQ(box->parameters, trace.weights().get("blocks.0.attn.k.weight").count());
  const AttentionSpec& attention = trace.config().attention_at(box->target);
  EXPECT_EQ(box->sizes, std::to_string(attention.n_kv_heads) + "×" + std::to_string(attention.d_head));
  EXPECT_EQ(short_count(999), "999");
  EXPECT_EQ(short_count(1234), "1.2k");
  EXPECT_EQ(short_count(124439808), "124M");
}

}  // namespace
}  // namespace attnscope::testing
