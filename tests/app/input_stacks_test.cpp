// Encoders and decoders, batches, padding, masks as text and pictures in the input bar, without a screen.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "app/gpu/image_file.h"
#include "app/shell/startup.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using compat::Key;
using testing::FrameTest;
using Ids = std::vector<int>;

class InputTest : public FrameTest {
 protected:
  const Input& input(std::size_t sequence = 0) { return document().sequences.at(sequence).input; }
  void undo() {
    key(Key::escape);
    key(Key::escape);
    click_view("steps");
    key(Key::z, true);
    settle();
  }
  void replace_text(const std::string& text) {
    key(Key::a, true);
    type(text);
    settle();
  }
  /// Presses in a cell of a noted grid, moves to another, and lets go.
  void drag_cells(const std::string& item, int row0, int col0, int row1, int col1) {
    ASSERT_TRUE(shows(item)) << item;
    const ItemRect rect = noted_items().at(item);
    const auto to = [&](int row, int col) {
      const auto share = [](int at, std::int64_t of) {
        return (static_cast<float>(at) + 0.5f) / static_cast<float>(of);
      };
      point_at(rect.p0.x + (rect.p1.x - rect.p0.x) * share(col, rect.cols),
               rect.p0.y + (rect.p1.y - rect.p0.y) * share(row, rect.rows));
      frames();
    };
    to(row0, col0);
    compat::feed_mouse_button(ImGui::GetIO(), 0, true);
    frames();
    to(row1, col1);
    compat::feed_mouse_button(ImGui::GetIO(), 0, false);
    frames();
  }
};

TEST_F(InputTest, TheEncodersLineIsTypedWithoutTheDecoders) {
  open_model("marian");
  const Ids target = input().ids;
  const int start = document().model->config().decoder_start;
  ASSERT_TRUE(shows("source_text") && shows("input_text") && shows("source_chip0") && shows("chip0"));
  EXPECT_EQ(target.front(), start);
  key(Key::t, true);
  replace_text("5 6 7");
  EXPECT_EQ(input().source, (Ids{5, 6, 7}));
  EXPECT_EQ(input().ids, target);
  EXPECT_EQ(run().trace(0).rows(Stack::enc), 3);
  click("input_text");
  replace_text("8 9");
  EXPECT_EQ(input().ids, (Ids{start, 8, 9})) << "the start token stays";
  EXPECT_EQ(input().source, (Ids{5, 6, 7}));
  undo();
  EXPECT_EQ(input().ids, target);
  undo();
  EXPECT_NE(input().source, (Ids{5, 6, 7}));
}

TEST_F(InputTest, ChipsOfTheEncoderHaveTheirMenu) {
  open_model("bart");
  const Ids first = input().source;
  click("source_chip1", 1);
  ASSERT_TRUE(shows("token_search"));
  settle();
  type("33");
  settle();
  key(Key::enter);
  settle();
  EXPECT_EQ(input().source[1], 33);
  EXPECT_EQ(session_->history().undo_sentence().find("encoder") == std::string::npos, false)
      << session_->history().undo_sentence();
  click("source_chip1", 1);
  click("chip_menu.delete");
  settle();
  EXPECT_EQ(input().source.size(), first.size() - 1);
}

TEST_F(InputTest, AChipPutsTheCursorOnItsStack) {
  open_model("bart");
  click("source_chip2");
  settle();
  EXPECT_EQ(workspace().cursor.stack, Stack::enc);
  EXPECT_EQ(workspace().cursor.query, 2);
  click("chip1");
  settle();
  EXPECT_EQ(workspace().cursor.stack, Stack::dec);
  EXPECT_EQ(workspace().cursor.query, 1);
}

TEST_F(InputTest, TheDecoderAnswersAnew) {
  open_model("marian");
  click("input_text");
  replace_text("8 9");
  click("generate_count");
  click("answer");
  settle();
  EXPECT_GT(input().ids.size(), 1u);
  EXPECT_EQ(input().ids.front(), document().model->config().decoder_start);
  const std::size_t length = input().ids.size();
  click("generate");
  settle();
  EXPECT_GE(input().ids.size(), length);
}

TEST_F(InputTest, WhatTheCommandLineGivesIsTakenWholeOrNotAtAll) {
  const auto told = [&] {
    return !state().notices.empty() && state().notices.back().kind == Notice::Kind::warning;
  };
  open_model("gpt2");
  const std::size_t before = document().sequences.front().input.ids.size();
  Options options;
  options.request.words = {{"1,2", true}};
  options.request.edits = {"blocks.0.attn.z[head=1]=0",
                           "blocks.9.attn.z=0"};  // the second one fails when it runs
  give_input_or_say(state(), options);
  EXPECT_EQ(document().edits.size(), 2u);
  settle();
  take_back_refused_input(state(), options);
  settle();
  EXPECT_TRUE(document().edits.empty()) << "none of them is shown over a run without them";
  EXPECT_EQ(document().sequences.front().input.ids.size(), before);
  EXPECT_EQ(run().undo_point, session_->history().point()) << "what is shown is what is there";
  EXPECT_TRUE(told());
  EXPECT_FALSE(session_->can_redo()) << "redo does not bring it back";
  state().notices.clear();
  options.request.edits = {"blocks.0.attn.z[head=1]=0", "blocks.0.attn.nowhere=0"};
  give_input_or_say(state(), options);
  settle();
  EXPECT_TRUE(document().edits.empty());
  EXPECT_TRUE(told());
  state().notices.clear();
  options.request.words = {{"-4", true}};
  give_input_or_say(state(), options);
  settle();
  take_back_refused_input(state(), options);
  settle();
  EXPECT_EQ(document().sequences.front().input.ids.size(), before) << "no token has that id";
  EXPECT_TRUE(told());
  state().notices.clear();
  options.request.words = {{"1,2", true}};
  options.request.edits = {"blocks.0.attn.z[head=1]=0", "blocks.0.attn.z[pos=2]=0"};
  give_input_or_say(state(), options);
  settle();
  take_back_refused_input(state(), options);
  settle();
  EXPECT_TRUE(document().edits.empty()) << "two tokens have no position 2";
  EXPECT_TRUE(told());
  state().notices.clear();
  options.request.edits = {"blocks.0.attn.z[head=1]=1k"};
  give_input_or_say(state(), options);
  settle();
  take_back_refused_input(state(), options);
  settle();
  ASSERT_EQ(document().edits.size(), 1u);
  EXPECT_EQ(run().trace(0).cell(*parse_site("blocks.0.attn.z"), {1, 0, 0}), 1000.f);
  EXPECT_FALSE(told());
}

TEST_F(InputTest, SequencesAreAddedPaddedAndTakenAway) {
  open_model("gpt2");
  click("add_sequence");
  settle();
  ASSERT_EQ(document().sequences.size(), 2u);
  EXPECT_EQ(workspace().cursor.sequence, 1) << "the new one is looked at";
  key(Key::t, true);
  replace_text("3 4 5");
  EXPECT_EQ(input(1).ids, (Ids{3, 4, 5}));
  EXPECT_EQ(run().trace(1).length, 3);
  click("padding");
  click("padding_left");
  settle();
  EXPECT_TRUE(document().padding.on);
  const std::int64_t longest = input(0).length();
  EXPECT_EQ(run().trace(1).length, longest);
  ASSERT_FALSE(run().trace(1).input.attention_mask.empty());
  EXPECT_EQ(run().trace(1).input.attention_mask.front(), 0);
  click("padding_to");
  key(Key::a, true);
  type("12");
  settle();
  EXPECT_EQ(document().padding.to, 12);
  EXPECT_EQ(run().trace(0).length, 12);
  EXPECT_TRUE(shows("chip11"));
  key(Key::a, true);
  type("99999");
  settle();
  EXPECT_TRUE(shows("padding_error"));
  EXPECT_FALSE(session_->error()) << "what does not fit is said where it is typed";
  key(Key::escape);
  key(Key::escape);
  click("sequence0");
  EXPECT_EQ(workspace().cursor.sequence, 0);
  click("delete_sequence");
  settle();
  ASSERT_EQ(document().sequences.size(), 1u);
  EXPECT_EQ(input(0).ids, (Ids{3, 4, 5}));
  EXPECT_FALSE(shows("delete_sequence"));
  undo();
  EXPECT_EQ(document().sequences.size(), 2u);
  undo();
  EXPECT_EQ(document().padding.to, 0) << "what was typed is one step";
  EXPECT_TRUE(document().padding.on);
}

TEST_F(InputTest, AMaskIsTypedAndItsMistakesAreSaidThere) {
  open_model("gpt2");
  click("mask");
  ASSERT_TRUE(shows("mask_text"));
  click("mask_preset2");
  settle();
  EXPECT_EQ(asked_mask(document(), AttentionKind::main).text(), "full");
  click("mask_text");
  replace_text("window(2) | *>image");
  EXPECT_TRUE(shows("mask_error")) << "there is no part of this name";
  EXPECT_FALSE(session_->error());
  click("spans_text");
  replace_text("image=2");
  EXPECT_FALSE(shows("mask_error")) << "it was waiting for the part";
  EXPECT_EQ(asked_mask(document(), AttentionKind::main).text(), "window(2) | *>image");
  EXPECT_EQ(input().spans.size(), 1u);
  click("spans_text");
  replace_text("image=99");
  EXPECT_TRUE(shows("spans_error"));
  replace_text("other=2");
  EXPECT_TRUE(shows("spans_error")) << "the mask speaks of the image";
  EXPECT_EQ(input().spans.front().name, "image");
  undo();
  EXPECT_NE(asked_mask(document(), AttentionKind::main).text(), "window(2) | *>image");
}

TEST_F(InputTest, TheMasksOfTheEncoderAndAcrossAreWrittenToo) {
  open_model("marian");
  click("mask");
  click("mask_of1");
  click("mask_preset1");
  settle();
  EXPECT_EQ(asked_mask(document(), AttentionKind::encoder).text(), "causal");
  EXPECT_TRUE(asked_mask(document(), AttentionKind::main).is_model()) << "the decoder's is another";
  EXPECT_FALSE(shows("spans_text")) << "the parts are the decoder's";
  click("mask_of3");
  click("mask_text");
  replace_text("window(0)");
  EXPECT_TRUE(shows("mask_error"));
  replace_text("prefix(1)");
  EXPECT_FALSE(shows("mask_error"));
  settle();
  EXPECT_EQ(run().trace(0).cell(*parse_site("dec.blocks.0.cross.mask"), {0, 1}), 0.f);
  EXPECT_EQ(run().trace(0).cell(*parse_site("enc.blocks.1.attn.mask"), {0, 1}), 0.f);
  undo();
  EXPECT_TRUE(asked_mask(document(), AttentionKind::cross).is_model());
  EXPECT_FALSE(asked_mask(document(), AttentionKind::encoder).is_model());
}

TEST_F(InputTest, SegmentsAreSwitchedInTheMenu) {
  open_model("bert");
  EXPECT_FALSE(shows("generate")) << "an encoder writes nothing";
  click("chip2", 1);
  click("segment_from_here");
  settle();
  const Ids types = input().types;
  ASSERT_EQ(types.size(), input().ids.size());
  EXPECT_EQ(types[1], 0);
  EXPECT_EQ(types[2], 1);
  EXPECT_EQ(types.back(), 1);
  click("segment0");
  settle();
  EXPECT_EQ(input().types[2], 0);
  EXPECT_EQ(input().types[3], 1);
  undo();
  EXPECT_EQ(input().types, types);
}

TEST_F(InputTest, AStrokeOnThePictureIsOneUndoPoint) {
  open_model("vit");
  ASSERT_TRUE(shows("picture"));
  const Tensor first = input().pixels;
  click("picture");
  click("draw");
  click("grid8");
  click("colour_red");
  const std::uint64_t before = session_->history().point();
  drag_cells("canvas", 1, 1, 1, 6);
  settle();
  const std::uint64_t first_stroke = session_->history().point();
  EXPECT_NE(first_stroke, before);
  const Picture& drawn = document().sequences[0].picture;
  const int side = drawn.width / 8;  // of a cell of the grid, pixels
  ASSERT_EQ(drawn.width, first.size(2)) << "as fine as what the model sees";
  const std::size_t middle = static_cast<std::size_t>((drawn.width + 4) * side) * 3;
  EXPECT_EQ((*drawn.rgb)[middle], 214) << "red in the middle of the line";
  for (std::int64_t x = 0; x < first.size(2); ++x)
    EXPECT_NEAR(input().pixels.at(0, 0, x), first.at(0, 0, x), 0.01) << "nobody drew on the first row";
  EXPECT_NE(max_abs_difference(input().pixels, first), 0);
  drag_cells("canvas", 5, 5, 5, 5);
  settle();
  EXPECT_NE(session_->history().point(), first_stroke);
  click("clear_picture");
  settle();
  EXPECT_EQ((*document().sequences[0].picture.rgb)[0], 255);
  undo();
  key(Key::z, true);
  key(Key::z, true);
  settle();
  EXPECT_EQ(max_abs_difference(input().pixels, first), 0);
}

TEST_F(InputTest, APatchThatIsClickedBecomesTheQuery) {
  open_model("vit");
  click("picture");
  const ItemRect canvas = noted_items().at("canvas");
  EXPECT_EQ(canvas.rows, 4);
  drag_cells("canvas", 2, 1, 2, 1);
  EXPECT_EQ(workspace().cursor.query, 1 + 2 * 4 + 1) << "behind the class token";
  key(Key::escape);
  open_model("paligemma_prefix");
  click("picture");
  const ItemRect patches = noted_items().at("canvas");
  drag_cells("canvas", 0, 1, 0, 1);
  EXPECT_EQ(workspace().cursor.query, 1) << patches.rows;
}

class PictureFileTest : public InputTest {
 protected:
  void SetUp() override {
    InputTest::SetUp();
    folder_ = fs::temp_directory_path() / ("attnscope-pictures-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    Image image{12, 9, std::vector<std::uint8_t>(12 * 9 * 4, 200)};
    for (std::size_t i = 3; i < image.rgba.size(); i += 4) image.rgba[i] = 255;
    EXPECT_TRUE(write_png((folder_ / "grey.png").string(), image));
    std::ofstream(folder_ / "notes.txt") << "no picture";
    std::ofstream(folder_ / "broken.png") << "no picture either";
  }
  void TearDown() override {
    fs::remove_all(folder_);
    InputTest::TearDown();
  }
  fs::path folder_;
};

TEST_F(PictureFileTest, ThePicturesBrowserOpensOne) {
  open_model("vit");
  state().settings.last_picture_folder = folder_.string();
  click("picture");
  click("open_picture");
  settle();
  EXPECT_TRUE(shows("browser.entry.grey.png"));
  EXPECT_FALSE(shows("browser.entry.notes.txt")) << "only what can be looked at";
  type("grey");
  settle();
  key(Key::enter);
  settle();
  settle();
  EXPECT_EQ(document().sequences[0].picture.name, "grey.png");
  EXPECT_NEAR(input().pixels.at(0, 3, 3), (200 / 255.f - 0.5f) / 0.5f, 1e-5);
  EXPECT_NE(session_->history().undo_sentence().find("grey.png"), std::string::npos);
}

TEST_F(PictureFileTest, ADroppedPictureIsLookedAtWhereTheModelSees) {
  open_model("vit");
  state().drop((folder_ / "grey.png").string());
  settle();
  settle();
  EXPECT_EQ(document().sequences[0].picture.name, "grey.png");
  state().drop((folder_ / "broken.png").string());
  settle();
  settle();
  ASSERT_TRUE(session_->error());
  EXPECT_EQ(document().sequences[0].picture.name, "grey.png");
  open_model("gpt2");
  state().drop((folder_ / "grey.png").string());
  settle();
  ASSERT_FALSE(state().notices.empty());
  EXPECT_NE(state().notices.back().text.str().find("grey.png"), std::string::npos);
}

TEST_F(PictureFileTest, TheCommandLineGivesPicturesBatchesMasksAndPadding) {
  open_model("vit");
  Options options;
  options.request.images = {(folder_ / "grey.png").string()};
  EXPECT_TRUE(apply_input(state(), options));
  EXPECT_EQ(document().sequences[0].picture.name, "grey.png");
  options.request.images = {(folder_ / "broken.png").string()};
  EXPECT_FALSE(apply_input(state(), options));
  open_model("gpt2");
  EXPECT_FALSE(apply_input(state(), options)) << "it does not look at pictures";
  Options batch;
  batch.request.words = {{"1 2 3", false}, {"4 5", false}};
  batch.request.pad_to = 5;
  batch.request.pad_side = PadSide::left;
  batch.request.masks = {"full"};
  ASSERT_TRUE(apply_input(state(), batch));
  settle();
  EXPECT_EQ(run().trace(1).ids.back(), 5);
  EXPECT_EQ(run().trace(1).length, 5);
  EXPECT_EQ(asked_mask(document(), AttentionKind::main).text(), "full");
  batch.request.decoder_words = {{"7", false}};
  EXPECT_FALSE(apply_input(state(), batch)) << "there is no decoder beside an encoder";
  open_model("marian");
  batch.request.decoder_words = {{"7 8", false}};
  batch.request.pad_to.reset(), batch.request.pad_side.reset();
  ASSERT_TRUE(apply_input(state(), batch));
  settle();
  EXPECT_EQ(input(0).source, (Ids{1, 2, 3}));
  EXPECT_EQ(input(0).ids, (Ids{document().model->config().decoder_start, 7, 8}));
  EXPECT_EQ(input(1).ids.size(), 1u);
  batch.request.decoder_words.clear();
  ASSERT_TRUE(apply_input(state(), batch));
  settle();
  EXPECT_GT(input(0).ids.size(), 1u) << "the model answers itself";
  Ids likely{document().model->config().decoder_start};
  for (std::int64_t row = 0; row + 1 < std::ssize(input(0).ids); ++row) {
    const auto logits = run().trace(0).logits_row(row).values();
    likely.push_back(static_cast<int>(std::max_element(logits.begin(), logits.end()) - logits.begin()));
  }
  EXPECT_EQ(input(0).ids, likely) << "with its most likely tokens, whatever sampling is set";
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

}  // namespace
}  // namespace attnscope
