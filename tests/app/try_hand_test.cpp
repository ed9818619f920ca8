// "Show me" is played by a hand: it goes to the place, presses, drags, lets go, and what follows is the
// thing's.
#include "app/shell/try_hand.h"

#include <set>

#include "core/arch/shipped.h"
#include "core/base/text.h"
#include "core/model/measure.h"
#include "core/session/session.h"
#include "core/session/try_this.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

class TryHandTest : public testing::FrameTest {
 protected:
  void open_easy(const std::string& name) {
    workspace().level = Level::easy;
    starts_with(name, kModelPrefix) ? state().open(name) : state().open_shipped(name);
    settle();
    ASSERT_TRUE(session_->result());
    things_ = *things_to_try(*document().opened);
    ASSERT_FALSE(things_.empty());
  }
  ImVec2 tip() const {
    const ItemRect rect = noted_items().at("try_hand");
    return {(rect.p0.x + rect.p1.x) / 2, (rect.p0.y + rect.p1.y) / 2};
  }
  bool plays() { return noted_items().count("try_hand") > 0; }
  /// From the click until the hand is gone; returns the seconds that it took.
  double play() {
    path_.clear();
    double seconds = 0;
    for (; plays() && seconds < 6; seconds += 1.0 / 60) {
      path_.push_back(tip());
      session_->wait();
      frames(1);
    }
    settle();
    return seconds;
  }
  void show_me() {
    click("try_show");
    ASSERT_TRUE(plays());
  }
  float weight(std::int64_t key) {
    const Site pattern = *parse_site("blocks.1.attn.pattern");
    return run().trace(0).cell(pattern, {3, run().trace(0).length - 1, key});
  }
  /// The hand was inside the rectangle, and stood there for a while.
  bool stood_in(const ItemRect& rect, int least = 6) {
    return std::count_if(path_.begin(), path_.end(), [&](ImVec2 at) {
             return at.x >= rect.p0.x && at.x <= rect.p1.x && at.y >= rect.p0.y && at.y <= rect.p1.y;
           }) >= least;
  }
  ItemRect cell_of_row(std::int64_t key) {
    ItemRect rect = noted_items().at("figure.row");
    const float wide = (rect.p1.x - rect.p0.x) / static_cast<float>(rect.cols);
    rect.p0.x += wide * static_cast<float>(key);
    rect.p1.x = rect.p0.x + wide;
    return rect;
  }
  bool as_changed(const TryThis& thing) {
    const auto changed = try_changed(document().opened, thing);
    return changed && same_computation(document(), *changed);
  }
  std::vector<TryThis> things_;
  std::vector<ImVec2> path_;
};

TEST_F(TryHandTest, DragsTheCellDownAndTheNumberFollows) {
  open_easy("model:storyteller");
  workspace().view = "attention";
  settle();
  const ItemRect cell = cell_of_row(2);
  const float before = weight(2);
  show_me();
  std::vector<float> seen;
  double seconds = 0;
  path_.clear();
  for (; plays() && seconds < 6; seconds += 1.0 / 60) {
    path_.push_back(tip());
    session_->wait();
    frames(1);
    if (seen.empty() || weight(2) != seen.back()) seen.push_back(weight(2));
  }
  EXPECT_GT(seconds, 1.5);
  EXPECT_LT(seconds, 3.0);
  EXPECT_TRUE(stood_in(cell));
  ASSERT_GT(seen.size(), 10U);
  EXPECT_EQ(seen.front(), before);
  EXPECT_EQ(seen.back(), 0.f);
  EXPECT_TRUE(std::is_sorted(seen.rbegin(), seen.rend())) << "it only falls";
  EXPECT_GT(path_.back().y, cell.p1.y) << "it drags down";
  settle();
  EXPECT_TRUE(as_changed(things_[0]));
  EXPECT_TRUE(shows("try_done"));
  EXPECT_FALSE(workspace().moving) << "still again";
  click("try_show");  // back: one undo point for all of it
  settle();
  EXPECT_TRUE(document().edits.empty());
  EXPECT_EQ(weight(2), before);
  EXPECT_FALSE(session_->history().can_undo());
}

TEST_F(TryHandTest, GoesToTheWordThatItChanges) {
  open_easy("model:storyteller");
  workspace().view = "embedding";
  settle();
  const ItemRect chip = noted_items().at("chip2");
  show_me();
  EXPECT_LT(play(), 3.5);  // with the way from the row that the view opened at to that of the answer
  EXPECT_TRUE(stood_in(chip));
  EXPECT_EQ(token_label(*document().opened, document().sequences.front().input.ids[2]), "dog");
  EXPECT_TRUE(shows("try_done"));
}

TEST_F(TryHandTest, ScrollsTheWordIntoSightFirst) {
  ImGui::GetIO().DisplaySize = ImVec2(800, 600);
  open_easy("model:storyteller");
  click("try_next");
  click("try_next");
  click("try_next");
  settle();
  workspace().view = "embedding";
  settle();
  workspace().cursor.query = run().trace(0).length - 1;
  settle();
  const auto hidden = noted_items().find("chip2");
  ASSERT_TRUE(hidden == noted_items().end() || !hidden->second.in_sight())
      << "the strip is scrolled to its end";
  show_me();
  ItemRect chip;
  for (int i = 0; i < 60; ++i) {
    frames(1);
    session_->wait();
    if (shows("chip2") && plays()) chip = noted_items().at("chip2");
    path_.push_back(tip());
  }
  for (int i = 0; i < 30; ++i) frames(1), path_.push_back(tip());
  EXPECT_TRUE(chip.in_sight());
  EXPECT_TRUE(stood_in(chip));
  play();
  EXPECT_FALSE(workspace().shown_token);
}

TEST_F(TryHandTest, EveryThingEndsAsItIsWritten) {
  for (const char* name : {"model:storyteller", "model:pilot", "model:translator", "nine_steps", "it_cat_mat",
                           "build_head", "tiny_sight"}) {
    open_easy(name);
    for (const TryThis& thing : things_) {
      show_me();
      const double seconds = play();
      EXPECT_LT(seconds, 5) << name << " " << thing.id;
      EXPECT_GT(seconds, 1.5) << name << " " << thing.id;
      EXPECT_TRUE(as_changed(thing)) << name << " " << thing.id;
      ASSERT_TRUE(shows("try_done")) << name << " " << thing.id;
      ASSERT_FALSE(path_.empty());
      std::set<std::pair<float, float>> places;
      for (const ImVec2 at : path_) places.insert({at.x, at.y});
      EXPECT_GT(places.size(), 10U) << "it moves: " << name << " " << thing.id;
      click("try_next");  // takes it back
      settle();
    }
  }
}

TEST_F(TryHandTest, GoesAlongTheRowOfTheMask) {
  open_easy("model:storyteller");
  workspace().view = "mask";
  settle();
  const ItemRect allowed = noted_items().at("figure.allowed");
  show_me();
  play();
  EXPECT_TRUE(stood_in(allowed, 30));
  EXPECT_TRUE(as_changed(things_[4]));
  EXPECT_EQ(things_[4].masks, std::vector<std::string>{"causal & window(4)"});
}

TEST_F(TryHandTest, AClickOrAKeyEndsItAtOnce) {
  open_easy("model:storyteller");
  show_me();
  frames(30);
  ASSERT_TRUE(plays());
  const std::string station = workspace().station, view = workspace().view;
  key(compat::Key::right);
  EXPECT_FALSE(plays());
  EXPECT_EQ(workspace().view, view) << "the key did nothing else";
  settle();
  EXPECT_TRUE(as_changed(things_[0]));
  EXPECT_TRUE(shows("try_done"));
  click("try_show");  // back
  settle();
  show_me();
  frames(75);  // it drags
  ASSERT_TRUE(plays());
  EXPECT_FALSE(document().edits.empty());
  click("try_show");
  EXPECT_FALSE(plays());
  settle();
  EXPECT_TRUE(as_changed(things_[0])) << "the click that ends it does not take it back";
}

TEST_F(TryHandTest, PlaysOnAProjectorByItsKey) {
  open_easy("model:storyteller");
  key(compat::Key::f5);
  settle();
  key(compat::Key::h);
  ASSERT_TRUE(plays());
  EXPECT_TRUE(shows("try_sentence"));
  EXPECT_LT(play(), 4);
  EXPECT_TRUE(as_changed(things_[0]));
  EXPECT_TRUE(shows("try_sentence"));
  EXPECT_LE(noted_items().at("try_sentence").p1.y, ImGui::GetIO().DisplaySize.y);
  key(compat::Key::h);  // back
  settle();
  EXPECT_TRUE(document().edits.empty());
  EXPECT_FALSE(shows("try_sentence"));
}

TEST_F(TryHandTest, GoesToTheViewOfTheThingAndKeepsATextOfOnesOwn) {
  open_easy("model:storyteller");
  ASSERT_TRUE(session_->edit(
      Text("x"), {}, [](Document& changed) { return set_text(changed, 0, "The dog sat", Stack::single); }));
  workspace().view = "steps";
  settle();
  show_me();
  play();
  EXPECT_EQ(workspace().view, "attention");
  EXPECT_EQ(document().sequences.front().text, "The dog sat");  // what is tried is made for it
  EXPECT_EQ(document().edits.size(), 1u);
  click("try_show");  // back
  settle();
  EXPECT_EQ(document().sequences.front().text, "The dog sat");
  EXPECT_TRUE(document().edits.empty());
}

TEST_F(TryHandTest, WithoutMovementItIsDoneAtOnce) {
  open_easy("model:storyteller");
  workspace().animate = false;
  click("try_show");
  EXPECT_FALSE(plays());
  settle();
  EXPECT_TRUE(as_changed(things_[0]));
}

// The mask opens at a row in the middle; what is to be tried speaks of the answer at the end.
TEST_F(TryHandTest, SaysWhichAnswerItSpeaksOfWhereThePictureHasAnother) {
  workspace().animate = false;
  open_easy("model:storyteller");
  EXPECT_FALSE(shows("try_row"));
  workspace().view = "mask";
  settle();
  frames();
  ASSERT_LT(workspace().cursor.query, run().trace(0).length - 1);
  EXPECT_TRUE(shows("try_row"));
  click("try_show");  // which looks at the row whose answer it is
  settle();
  frames();
  EXPECT_FALSE(shows("try_row"));
  workspace().cursor.query = 5;
  frames();
  EXPECT_TRUE(shows("try_row") && shows("try_done"));
}

}  // namespace
}  // namespace attnscope
