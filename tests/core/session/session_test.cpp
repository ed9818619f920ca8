// A session from opening to undo: what a person does, without a window.
#include "core/session/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "core/session/backward_run.h"
#include "tests/edits.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

std::string source_file(const std::string& name) { return std::string(ATTNSCOPE_SOURCE_DIR) + "/" + name; }

struct OpenScene : ::testing::Test {
  Session session;
  void SetUp() override {
    session.open(source_file("assets/scenes/nine_steps.json"));
    session.wait();
    ASSERT_TRUE(session.result()) << (session.error() ? session.error()->text() : "no result");
  }
  float out(int row = 3, int col = 0) const {
    return session.result()->trace(0).cell(site_of(Slot::attn_out, 0), {row, col});
  }
  Status set_input(float value, const std::string& gesture = {}) {
    const Status status = session.edit("Set an input", gesture, [&](Document& document) {
      return set_input_cell(document, 0, 1, 2, value);
    });
    session.wait();
    return status;
  }
};

TEST_F(OpenScene, RunsEverySequence) {
  EXPECT_EQ(session.result()->traces.size(), 2u);
  EXPECT_EQ(session.result()->steps.size(), 9u);
  EXPECT_FALSE(session.previous());
  EXPECT_FALSE(session.error());
}

// Of each change: with it minus without it, and nothing else; the runs are made anew here.
TEST_F(OpenScene, EachChangeIsComparedWithTheRunWithoutIt) {
  const auto at = [](const Document& document) {
    RunOptions options;
    options.edits = edits_for(document.edits, 0);
    return (*document.model->run(inputs_of(document)[0], options))->cell(site_of(Slot::attn_out, 0), {3, 0});
  };
  const auto old = [&] { return session.previous()->trace(0).cell(site_of(Slot::attn_out, 0), {3, 0}); };
  const float clean = at(session.document());
  ASSERT_TRUE(set_input(5.f));
  const Document one = session.document();
  ASSERT_TRUE(session.edit("Nothing of head 0", {}, [&](Document& document) {
    put_edit(document, *parse_edit("blocks.0.attn.z[head=0]=0"));
    return Status(Done{});
  }));
  const Document both = session.document();
  ASSERT_TRUE(session.edit("Colder", {}, [&](Document& document) {
    document.sampling.temperature = 0.5f;
    return Status(Done{});
  }));
  session.wait();
  ASSERT_TRUE(session.previous());
  EXPECT_EQ(out(), at(both));
  EXPECT_EQ(old(), at(one)) << "sampling changes no number";
  EXPECT_EQ(session.last_change(), "Nothing of head 0");
  EXPECT_NE(out(), old());
  session.undo();
  session.undo();  // the head is back
  session.wait();
  ASSERT_TRUE(session.previous());
  EXPECT_EQ(out(), at(one));
  EXPECT_EQ(old(), clean) << "the change that stands, not the one that was taken back";
  EXPECT_EQ(session.last_change(), "Set an input");
  session.undo();
  session.wait();
  EXPECT_EQ(out(), clean);
  EXPECT_FALSE(session.previous()) << "nothing is changed";
  EXPECT_TRUE(session.last_change().empty());
  session.redo();
  session.redo();
  session.wait();
  EXPECT_EQ(out(), at(both));
  EXPECT_EQ(old(), at(one)) << "the run in between was never shown";
}

TEST_F(OpenScene, AnEditIsFollowedUndoneAndRedone) {
  const float before = out();
  ASSERT_TRUE(set_input(5.f));
  const float after = out();
  EXPECT_NE(before, after);
  ASSERT_TRUE(session.previous());
  EXPECT_EQ(session.previous()->trace(0).cell(site_of(Slot::attn_out, 0), {3, 0}), before);
  EXPECT_EQ(session.history().undo_sentence(), "Set an input");
  session.undo();
  session.wait();
  EXPECT_EQ(out(), before);  // bit for bit
  EXPECT_EQ(session.history().redo_sentence(), "Set an input");
  session.redo();
  session.wait();
  EXPECT_EQ(out(), after);
}

TEST_F(OpenScene, ADragIsOneUndoPoint) {
  const float before = out();
  for (const float value : {1.f, 2.f, 3.f}) ASSERT_TRUE(set_input(value, "drag"));
  session.end_gesture();
  ASSERT_TRUE(set_input(4.f, "drag"));
  session.undo();
  session.undo();
  session.wait();
  EXPECT_EQ(out(), before);
  EXPECT_FALSE(session.history().can_undo());
}

TEST_F(OpenScene, KnowsWhetherThereIsAChangeThatIsNotSaved) {
  const auto set = [this](float value) {
    ASSERT_TRUE(session.edit("Set", "drag", [&](Document& d) { return set_input_cell(d, 0, 1, 2, value); }));
  };
  EXPECT_FALSE(session.unsaved());
  set(5.f);
  EXPECT_TRUE(session.unsaved());
  session.undo();
  EXPECT_FALSE(session.unsaved());
  session.redo();
  session.take_as_kept();
  EXPECT_FALSE(session.unsaved());
  set(6.f);
  EXPECT_TRUE(session.unsaved()) << "a gesture does not go on behind what was saved";
}

TEST_F(OpenScene, AnEditThatCannotBeMadeChangesNothing) {
  const float before = out();
  const Status status = session.edit("Set a cell that is not there", {}, [](Document& document) {
    return set_input_cell(document, 0, 99, 0, 1.f);
  });
  EXPECT_FALSE(status);
  ASSERT_TRUE(session.error());
  EXPECT_FALSE(session.error()->hint().empty());
  EXPECT_FALSE(session.history().can_undo());
  EXPECT_EQ(out(), before);
}

// A tied table of tokens has two names, and three where an encoder reads it too: a change under any of them
// is the same change, and its gradient is the sum of all uses.
TEST(TiedWeights, ChangeUnderAllOfTheirNames) {
  for (const auto& [model, prefix] :
       {std::pair("gpt2", ""), std::pair("bart", "dec."), std::pair("t5", "dec.")}) {
    const auto read = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + model);
    ASSERT_TRUE(read) << read.error().text();
    const Document before = new_document(std::make_shared<const OpenedModel>(*read));
    const std::string table = std::string(prefix) + "tok_embed.weight",
                      head = std::string(prefix) + "logits.weight";
    const std::vector<WeightCell> names = same_weights(before.model->config(), head, {3, 7});
    ASSERT_EQ(names.size(), std::string(model) == "gpt2" ? 2u : 3u) << model;
    EXPECT_EQ(names.front().name, table);
    EXPECT_EQ(names.front().index, (std::vector<std::int64_t>{7, 3}));
    for (const WeightCell& cell : names) {
      Document after = before;
      ASSERT_TRUE(set_weight_cell(after, cell.name, cell.index, 0.75f));
      ASSERT_EQ(after.edits.size(), 1u) << cell.name << ": one weight, one change";
      EXPECT_EQ(after.edits[0]->number()->where.weight, table);
      RunOptions options;
      options.edits = after.edits;
      const auto run = after.model->run(after.sequences.front().input, options);
      ASSERT_TRUE(run) << run.error().text();
      for (const WeightCell& other : names)
        EXPECT_EQ((*run)->weights().get(other.name).at(other.index), 0.75f) << cell.name << " " << other.name;
    }
  }
}

TEST(TiedWeights, HaveOneGradientForAllUses) {
  const auto read = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2");
  ASSERT_TRUE(read);
  const Document document = new_document(std::make_shared<const OpenedModel>(*read));
  const Input input{{5, 17, 3, 99, 5}, {}};
  const auto loss = [&](const Document& edited) {
    RunOptions options;
    options.edits = edited.edits;
    const auto trace = *edited.model->run(input, options);
    return (*backward(trace, *default_objective(*trace)))->loss().plain / 4;
  };
  const auto trace = *document.model->run(input);
  const auto gradients = *backward(trace, *default_objective(*trace));
  const std::vector<std::int64_t> cell{2, 5};  // token 5 is read and said
  const double gradient = weight_gradient_cell(*gradients, "logits.weight", cell);
  const float value = document.model->weights().get("logits.weight").at(cell), step = 1e-2f;
  Document up = document, down = document;
  ASSERT_TRUE(set_weight_cell(up, "logits.weight", cell, value + step));
  ASSERT_TRUE(set_weight_cell(down, "logits.weight", cell, value - step));
  const double measured = (loss(up) - loss(down)) / (2.0 * static_cast<double>(step));
  EXPECT_NEAR(gradient, measured, 1e-3 + 0.02 * std::abs(measured));
  EXPECT_EQ(gradient, weight_gradient_cell(*gradients, "tok_embed.weight", {5, 2}));
}

TEST_F(OpenScene, WeightsMasksAndStepsCanBeEdited) {
  const float before = out();
  (void)session.edit("weight", {}, [](Document& d) {
    return set_weight_cell(d, "blocks.0.attn.v.weight", {0, 1}, 2.f);
  });
  session.wait();
  EXPECT_NE(out(), before);
  session.undo();
  (void)session.edit("mask", {}, [](Document& d) -> Status {
    set_mask_cell(d, 3, 0, false);
    return Done{};
  });
  session.wait();
  EXPECT_NE(out(), before);
  EXPECT_EQ(session.result()->trace(0).cell(site_of(Slot::pattern, 0), {0, 3, 0}), 0.f);
  session.undo();
  (void)session.edit("step", {}, [](Document& d) -> Status {
    put_edit(d, testing::edit("blocks.0.attn.z[head=0,query=3,d_head=0]=1"));
    return Done{};
  });
  session.wait();
  EXPECT_EQ(session.result()->trace(0).cell(site_of(Slot::z, 0), {0, 3, 0}), 1.f);
  EXPECT_NE(out(), before);
}

TEST_F(OpenScene, MaskingACellBackIsNoEdit) {
  Document document = session.document();
  set_mask_cell(document, 0, 3, true);
  EXPECT_EQ(switched_cells(document, AttentionKind::main).size(), 1u);
  set_mask_cell(document, 0, 3, false);
  EXPECT_TRUE(document.edits.empty());
}

TEST_F(OpenScene, SamplingAloneComputesNothingAnew) {
  const auto version = session.result()->version;
  (void)session.edit("temperature", {}, [](Document& d) -> Status {
    d.sampling.temperature = 0.5f;
    return Done{};
  });
  EXPECT_FALSE(session.running());
  EXPECT_EQ(session.result()->version, version);
  EXPECT_EQ(session.result()->document.sampling.temperature, 0.5f);
}

TEST_F(OpenScene, SizesChangeFromAShownSeed) {
  SceneSizes sizes = sizes_of(*session.document().opened->scene);
  sizes.tokens = 6;
  sizes.heads = 3;
  sizes.d_head = 2;
  (void)session.edit("sizes", {}, [&](Document& d) { return resize_scene(d, sizes, 42); });
  session.wait();
  ASSERT_FALSE(session.error()) << session.error()->text();
  const Record* pattern = session.result()->trace(0).find(site_of(Slot::pattern, 0));
  EXPECT_EQ(pattern->shape, (std::vector<std::int64_t>{3, 6, 6}));
  EXPECT_EQ(session.document().opened->scene->seed, 42u);
  sizes.tokens = 0;
  EXPECT_FALSE(session.edit("sizes", {}, [&](Document& d) { return resize_scene(d, sizes, 42); }));
}

TEST_F(OpenScene, SavedScenesOpenAgainWithEveryNumber) {
  ASSERT_TRUE(set_input(0.1234567f));
  const std::string path = ::testing::TempDir() + "attnscope_saved_scene.json";
  const auto scene = scene_of(session.document());
  ASSERT_TRUE(scene);
  ASSERT_TRUE(save_scene(*scene, path));
  Session again;
  again.open(path);
  again.wait();
  ASSERT_TRUE(again.result());
  EXPECT_EQ(again.result()->trace(0).cell(site_of(Slot::attn_out, 0), {3, 0}), out());
  std::filesystem::remove(path);
}

TEST_F(OpenScene, SavedScenesKeepMasksAndEditedSteps) {
  const float before = out();
  ASSERT_TRUE(session.edit("edits", {}, [](Document& d) -> Status {
    set_mask_cell(d, 3, 1, false);
    put_edit(d, testing::edit("blocks.0.attn.z[head=1]*=2"));
    return Done{};
  }));
  session.wait();
  EXPECT_NE(out(), before);
  const testing::TempFolder folder;
  const std::string path = folder / "edited.json";
  ASSERT_TRUE(save_scene(*scene_of(session.document()), path));
  Session again;
  again.open(path);
  again.wait();
  ASSERT_TRUE(again.result());
  EXPECT_EQ(again.result()->trace(0).cell(site_of(Slot::attn_out, 0), {3, 0}), out());
  EXPECT_EQ(again.document().edits.size(), 2u);
}

TEST_F(OpenScene, AFileThatCannotBeOpenedLeavesTheOldModel) {
  const auto result = session.result();
  session.open("/nowhere/at/all");
  session.wait();
  ASSERT_TRUE(session.error());
  EXPECT_NE(session.error()->sentence().find("/nowhere/at/all"), std::string::npos);
  EXPECT_EQ(session.result(), result);
  ASSERT_TRUE(set_input(1.f));  // still alive
  EXPECT_FALSE(session.error());
}

// B begins with what A read where its ids mean the same, else with its own.
TEST(Session, AModelThatIsComparedReadsWhatThePinnedOneRead) {
  Session session;
  const auto open = [&](const std::string& model) {
    session.open(source_file("assets/models/" + model));
    session.wait();
    ASSERT_TRUE(session.result()) << (session.error() ? session.error()->text() : "no result");
  };
  const std::string text = "The dog slept in the box";
  open("storyteller");
  (void)session.edit("text", {}, [&](Document& d) { return set_text(d, 0, text); });
  session.wait();
  open("storyteller-llama");
  EXPECT_NE(session.document().sequences[0].text, text) << "nothing is pinned";
  (void)session.edit("text", {}, [&](Document& d) { return set_text(d, 0, text); });
  session.wait();
  session.pin();
  open("storyteller");
  EXPECT_EQ(session.document().sequences[0].text, text);
  EXPECT_EQ(session.result()->trace(0).ids, session.pinned()->trace(0).ids);
  open("induction");
  EXPECT_NE(session.document().sequences[0].text, text);
}

struct OpenGpt : ::testing::Test {
  Session session;
  void SetUp() override {
    session.open(source_file("assets/scenes/tiny_gpt.json"));
    session.wait();
    ASSERT_TRUE(session.result()) << (session.error() ? session.error()->text() : "no result");
  }
};

TEST_F(OpenGpt, AFailedRunKeepsTheLastResult) {
  const auto result = session.result();
  (void)session.edit("id", {}, [](Document& d) { return replace_token(d, 0, 0, 9999); });
  session.wait();
  ASSERT_TRUE(session.error());
  EXPECT_NE(session.error()->sentence().find("9999"), std::string::npos);
  EXPECT_EQ(session.result(), result);
  session.undo();
  session.wait();
  EXPECT_FALSE(session.error());
}

TEST_F(OpenGpt, TokensAreTypedInsertedReplacedAndDeleted) {
  (void)session.edit("text", {}, [](Document& d) { return set_text(d, 0, "the cat sat"); });
  (void)session.edit("insert", {}, [](Document& d) { return insert_token(d, 0, 1, 12); });
  (void)session.edit("replace", {}, [](Document& d) { return replace_token(d, 0, 0, 6); });
  (void)session.edit("delete", {}, [](Document& d) { return delete_token(d, 0, 3); });
  session.wait();
  EXPECT_EQ(session.result()->trace(0).ids, (std::vector<int>{6, 12, 1}));
  EXPECT_EQ(session.document().sequences[0].text, "on So cat");
  EXPECT_FALSE(session.edit("text", {}, [](Document& d) { return set_text(d, 0, "a zebra"); }));
}

int most_likely_next(const Session& session) {
  const Trace& trace = session.result()->trace(0);
  const std::vector<float> logits = trace.logits_row(trace.length - 1).values();
  return static_cast<int>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

TEST_F(OpenGpt, GeneratingAppendsTheGreedyToken) {
  (void)session.edit("greedy", {}, [](Document& d) -> Status {
    d.sampling.temperature = 0;
    return Done{};
  });
  session.wait();
  const int best = most_likely_next(session);
  const auto length = session.result()->trace(0).ids.size();
  session.generate(0, 1, "Generate");
  session.wait();
  ASSERT_EQ(session.result()->trace(0).ids.size(), length + 1);
  EXPECT_EQ(session.result()->trace(0).ids.back(), best);
  EXPECT_EQ(session.history().undo_sentence(), "Generate");
}

TEST_F(OpenGpt, GeneratingAppendsWhatIsShownUnderEdits) {
  const int plain = most_likely_next(session);
  (void)session.edit("no attention", {}, [](Document& d) -> Status {
    d.sampling.temperature = 0;
    put_edit(d, testing::edit("blocks.0.attn.out*=-30"));
    set_mask_cell(d, 2, 0, false);
    return Done{};
  });
  session.wait();
  for (int i = 0; i < 3; ++i) {
    const int shown = most_likely_next(session);
    if (i == 0) {
      EXPECT_NE(shown, plain);
    }
    session.generate(0, 1, "Generate");
    session.wait();
    ASSERT_FALSE(session.error()) << session.error()->text();
    EXPECT_EQ(session.result()->trace(0).ids.back(), shown);
  }
}

TEST(Catalog, EveryRecordHasTheAxesOfItsRow) {
  for (const char* scene : {"nine_steps", "tiny_gpt", "tiny_llama"}) {
    Session session;
    session.open(source_file(std::string("assets/scenes/") + scene + ".json"));
    session.wait();
    ASSERT_TRUE(session.result());
    for (const Record& record : session.result()->trace(0).records()) {
      std::string axes;
      for (const Axis axis : record.axes) axes += (axes.empty() ? "" : " ") + std::string(axis_name(axis));
      EXPECT_EQ(axes, step_of(record.site.slot).axes) << scene << ": " << to_text(record.site);
    }
  }
}

}  // namespace
}  // namespace attnscope
