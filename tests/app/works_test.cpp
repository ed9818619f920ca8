// Nothing that was made is lost: by closing, by a crash, by a lesson, by another model.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "app/state/actions.h"
#include "app/state/autosave.h"
#include "app/state/kept_sessions.h"
#include "app/state/leaving.h"
#include "app/state/workspace_file.h"
#include "core/session/session_file.h"
#include "core/system/places.h"
#include "tests/app/ui_driver.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using compat::Key;

class WorksTest : public testing::FrameTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(::setenv("XDG_CONFIG_HOME", folder_.path().c_str(), 1), 0);
    FrameTest::SetUp();
    open_model("gpt2");
  }
  void TearDown() override {
    FrameTest::TearDown();
    ::unsetenv("XDG_CONFIG_HOME");
  }
  std::vector<int> now() { return document().sequences.front().input.ids; }
  void make(const std::vector<int>& ids) {
    state().commands.edit("Ids", {}, [ids](Document& changed) { return set_ids(changed, 0, ids, {}); });
    frames(1);
    settle();
    ASSERT_EQ(now(), ids);
  }
  // Notices that begin so.
  std::ptrdiff_t said(const std::string& words) {
    return std::count_if(state().notices.begin(), state().notices.end(),
                         [&](const Notice& notice) { return notice.text.str().starts_with(words); });
  }
  bool asks() {
    const bool leaves = may_leave(state());
    frames(3);
    settle();
    return !leaves;
  }
  void start_again() {
    frame_.reset();
    session_ = std::make_unique<Session>();
    frame_ = std::make_unique<Frame>(*session_);
    state().offers = sessions_to_offer({});
  }
  void open_offer() {
    ASSERT_EQ(state().offers.size(), 1u);
    frames();
    click("unsaved.act");
    settle();
  }
  // The autosave of a program that is gone: its number was somebody's who has ended.
  void crash() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    for (const auto& file : fs::directory_iterator(config_folder())) {
      std::string name = file.path().filename().string();
      const std::string own = "autosave-" + std::to_string(::getpid());
      if (!name.starts_with(own)) continue;
      name.replace(0, own.size(), "autosave-" + std::to_string(child));
      fs::rename(file.path(), file.path().parent_path() / name);
    }
  }
  void autosaved() {
    Autosave autosave;
    for (int i = 0; i < 400; ++i) {
      autosave.follow(state());
      settle();
      if (!autosave.waiting() && i > 3) return;
    }
    FAIL() << "it does not come to rest";
  }

  const testing::TempFolder folder_;
  const std::vector<int> mine_{5, 17, 3, 9};
};

TEST_F(WorksTest, NothingMadeIsNotAskedAbout) {
  EXPECT_FALSE(asks());
  EXPECT_TRUE(keep_works(state(), true));
  EXPECT_TRUE(kept_sessions().empty());
}

TEST_F(WorksTest, EnterKeepsForTheNextStart) {
  make(mine_);
  ASSERT_TRUE(asks());
  for (const char* button : {"leave_keep", "leave_save", "leave_discard", "leave_stay"})
    EXPECT_TRUE(shows(button)) << button;
  key(Key::enter);
  EXPECT_TRUE(state().leave.decided);
  EXPECT_TRUE(may_leave(state()));
  EXPECT_TRUE(keep_works(state(), true));
  start_again();
  open_offer();
  EXPECT_EQ(now(), mine_);
  EXPECT_FALSE(asks()) << "it is kept as it is";
  start_again();
  EXPECT_EQ(state().offers.size(), 1u) << "always";
}

TEST_F(WorksTest, ArrowsGoToTheOtherAnswers) {
  make(mine_);
  ASSERT_TRUE(asks());
  key(Key::right);
  key(Key::right);
  key(Key::enter);
  EXPECT_TRUE(state().leave.discarded);
}

TEST_F(WorksTest, ClosingAgainKeepsAndEscapeStays) {
  make(mine_);
  ASSERT_TRUE(asks());
  key(Key::escape);
  EXPECT_FALSE(shows("leave_keep"));
  EXPECT_FALSE(state().leave.decided);
  ASSERT_TRUE(asks());
  EXPECT_TRUE(may_leave(state()));
  EXPECT_EQ(kept_sessions().size(), 1u);
}

TEST_F(WorksTest, DiscardedIsGone) {
  make(mine_);
  autosaved();
  ASSERT_TRUE(asks());
  click("leave_discard");
  ASSERT_TRUE(may_leave(state()));
  EXPECT_TRUE(keep_works(state(), true));
  EXPECT_TRUE(fs::is_empty(config_folder()));
}

TEST_F(WorksTest, SaveGoesToItsFileAndAsksWhereThereIsNone) {
  make(mine_);
  ASSERT_TRUE(asks());
  click("leave_save");
  settle();
  EXPECT_FALSE(state().leave.decided);
  ASSERT_TRUE(shows("browser.path"));
  key(Key::escape);
  frames();
  EXPECT_FALSE(state().leave.decided);
  const std::string path = folder_ / "a.attnscope";
  ASSERT_TRUE(state().save_as(path));
  make({1, 2});
  ASSERT_TRUE(asks());
  click("leave_save");
  EXPECT_TRUE(state().leave.decided);
  EXPECT_EQ((*read_session(path)->all)["inputs"][0]["ids"], (std::vector<int>{1, 2}));
  EXPECT_TRUE(keep_works(state(), true));
  EXPECT_EQ(state().settings.unsaved, path) << "the last session";
  EXPECT_EQ(sessions_to_offer(state().settings.unsaved), std::vector<std::string>{path});
}

TEST_F(WorksTest, ASignalKeepsWithoutAQuestion) {
  make(mine_);
  EXPECT_TRUE(keep_works(state(), false));
  EXPECT_EQ(kept_sessions().size(), 1u);
}

TEST_F(WorksTest, OldKeptSessionsAreDeletedButTheNewestTwenty) {
  make(mine_);
  EXPECT_TRUE(keep_works(state(), false));
  const std::string own = kept_sessions().at(0);
  const auto days_old = [](const std::string& path, int days) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(24 * days));
    return path;
  };
  const auto kept = [&](const std::string& name, int days) {
    const std::string path = config_folder() + "/kept-" + name + ".attnscope";
    fs::copy_file(own, path);
    return days_old(path, days);
  };
  for (int i = 0; i < 20; ++i) kept("new" + std::to_string(i), 10);
  const std::string young = kept("young", 29), old = kept("old", 60), last = kept("last", 70),
                    damaged = kept("damaged", 80), beside = beside_session(old).front();
  fs::remove(own);
  std::ofstream(beside) << "{}";
  std::ofstream(damaged) << "{";
  days_old(damaged, 80);
  prune_kept_sessions({last});
  EXPECT_FALSE(fs::exists(old));
  EXPECT_FALSE(fs::exists(beside));
  std::vector<std::string> left = kept_sessions();
  ASSERT_EQ(left.size(), 23u) << "the newest 20, a younger one, the last one, and what cannot be read";
  EXPECT_EQ(std::vector(left.end() - 3, left.end()), (std::vector{young, last, damaged}));
  for (std::size_t i = 0; i < left.size(); ++i) days_old(left[i], 100 + static_cast<int>(i));
  prune_kept_sessions({});
  left.erase(left.end() - 3, left.end() - 1);
  EXPECT_EQ(kept_sessions(), left) << "the newest 20, whatever their age";
}

TEST_F(WorksTest, ALessonGivesTheWorkBackWithItsLookAndUndo) {
  make({5, 17});
  make(mine_);
  session_->pin();
  workspace().view = "attention";
  workspace().cursor.query = 1;
  frames();
  ASSERT_TRUE(state().lessons.start(state(), "nine_steps", 0));
  settle();
  ASSERT_TRUE(session_->shows_page());
  click("lesson_back");
  settle();
  EXPECT_FALSE(state().lessons.open());
  EXPECT_EQ(now(), mine_);
  EXPECT_EQ(workspace().view, "attention");
  EXPECT_EQ(workspace().cursor.query, 1);
  EXPECT_TRUE(session_->pinned());
  key(Key::z, true);
  settle();
  EXPECT_EQ(now(), (std::vector<int>{5, 17}));
}

TEST_F(WorksTest, ClosingInALessonAsksAboutTheWorkUnderIt) {
  make(mine_);
  workspace().view = "residual";
  frames();
  ASSERT_TRUE(state().lessons.start(state(), "nine_steps", 0));
  settle();
  ASSERT_TRUE(asks());
  EXPECT_TRUE(shows("leave_keep"));
  EXPECT_EQ(asked_about(state())->family, "GPT-2") << "not the lesson's model";
  workspace().view = "attention";  // of the lesson; the work is looked at as it was left
  key(Key::enter);
  settle();
  EXPECT_TRUE(state().leave.decided);
  EXPECT_FALSE(state().lessons.open());
  EXPECT_EQ(now(), mine_);
  const auto kept = kept_sessions();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ((*read_session(kept.front())->all)["inputs"][0]["ids"], mine_);
  EXPECT_EQ(read_session(kept.front())->look()["view"], "residual");
}

TEST_F(WorksTest, StayingInALessonLeavesItOpenOnItsPage) {
  make(mine_);
  ASSERT_TRUE(state().lessons.start(state(), "nine_steps", 2));
  settle();
  state().lessons.draft().typed = "1.5";
  const std::uint64_t opened = session_->opened_version();
  ASSERT_TRUE(asks());
  click("leave_stay");
  settle();
  EXPECT_FALSE(state().leave.decided);
  ASSERT_TRUE(state().lessons.open());
  EXPECT_TRUE(session_->shows_page());
  EXPECT_EQ(state().lessons.page_index(), 2);
  EXPECT_EQ(state().lessons.draft().typed, "1.5");
  EXPECT_EQ(session_->opened_version(), opened);
  ASSERT_TRUE(asks()) << "the next time it is asked again";
  click("leave_discard");
  settle();
  ASSERT_TRUE(may_leave(state()));
  EXPECT_TRUE(keep_works(state(), true));
  EXPECT_TRUE(kept_sessions().empty()) << "what was asked about is let go of";
}

TEST_F(WorksTest, ALessonAloneIsNotAskedAbout) {
  ASSERT_TRUE(state().lessons.start(state(), "nine_steps", 0));
  settle();
  state().commands.edit("Cell", {}, [](Document& d) { return set_input_cell(d, 0, 0, 0, 7.f); });
  frames(1);
  settle();
  EXPECT_FALSE(asks());
}

TEST_F(WorksTest, UndoGoesBackFromAnotherModel) {
  make(mine_);
  workspace().breakpoints = {"blocks.0.attn.q"};
  open_model("llama");
  EXPECT_TRUE(workspace().breakpoints.empty()) << "they were of steps of the other model";
  const LeftWork& left = session_->before().back();
  EXPECT_EQ(said(tr("works.left", {opened_title(*left.history.now().opened)})), 1);
  key(Key::z, true);
  settle();
  EXPECT_EQ(now(), mine_);
  EXPECT_EQ(workspace().breakpoints, std::vector<std::string>{"blocks.0.attn.q"});
  key(Key::y, true);
  settle();
  EXPECT_EQ(document().opened->family, "Llama");
  perform(state(), "edit.back");
  settle();
  EXPECT_EQ(now(), mine_);
}

TEST_F(WorksTest, WhatIsSetAsideIsKeptAtTheEnd) {
  make(mine_);
  open_model("llama");
  make({1, 2});
  autosaved();
  ASSERT_TRUE(asks());
  click("leave_discard");
  EXPECT_TRUE(keep_works(state(), true));
  start_again();
  open_offer();
  EXPECT_EQ(now(), mine_);
}

TEST_F(WorksTest, ACrashIsOfferedUntilSomethingElseIsKept) {
  make(mine_);
  autosaved();
  crash();
  start_again();
  open_offer();
  EXPECT_EQ(now(), mine_);
  autosaved();
  crash();
  start_again();  // nothing was changed meanwhile
  open_offer();
  EXPECT_EQ(now(), mine_);
  make({1, 2});
  autosaved();
  crash();
  start_again();
  ASSERT_FALSE(state().offers.empty());
  state().offers.resize(1);
  open_offer();
  EXPECT_EQ(now(), (std::vector<int>{1, 2}));
}

TEST_F(WorksTest, AnAutosaveThatFailsIsSaidOnce) {
  std::ofstream(config_folder()) << "a file";
  make(mine_);
  Autosave autosave;
  for (int i = 0; i < 100; ++i) {
    autosave.follow(state());
    settle();
  }
  EXPECT_TRUE(autosave.waiting()) << "it is tried again";
  const std::string failed = tr("autosave.failed", {""});
  EXPECT_EQ(said(failed.substr(0, failed.size() / 2)), 1);
  ASSERT_TRUE(asks());
  click("leave_keep");
  EXPECT_FALSE(state().leave.decided) << "it cannot be kept: the program stays";
  EXPECT_TRUE(session_->error());
  const auto rescued_ones = [] {
    std::set<fs::path> out;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator("/var/tmp", none))
      if (entry.path().filename().string().starts_with("attnscope-session-")) out.insert(entry.path());
    return out;
  };
  const auto before = rescued_ones();
  const Status kept = keep_works(state(), false);
  ASSERT_FALSE(kept);
  EXPECT_FALSE(kept.error().hint().empty()) << "where it is instead";
  for (const fs::path& made : rescued_ones())
    if (!before.contains(made)) fs::remove_all(made);
}

TEST_F(WorksTest, ACheckpointThatCannotBeKeptIsSaidOnce) {
  TrainingSettings settings = *training_settings("sorter");
  settings.sizes.layers = 1;
  settings.sizes.heads = 2;
  settings.sizes.d_model = 16;
  settings.recipe.batch = 4;
  ASSERT_TRUE(session_->train(settings, false));
  const auto trained = [&] {
    session_->training().step_once();
    session_->training().wait();
    settle();
    return session_->shown_training_step() > 0;
  };
  for (int i = 0; i < 20 && !trained(); ++i) {
  }
  ASSERT_GT(session_->shown_training_step(), 0);
  make({1, 2, 3});
  const std::string run = autosave_path(session_->work()) + kRunEnding;
  fs::create_directories(run + "/a folder");
  const auto follow = [&](Autosave& autosave, int count) {
    for (int i = 0; i < count; ++i) {
      autosave.follow(state());
      session_->training().wait();
      ImGui::GetIO().DeltaTime = 3;
      settle();
    }
    ImGui::GetIO().DeltaTime = 1.f / 60;
  };
  const auto complaints = [&] {
    return std::count_if(state().notices.begin(), state().notices.end(), [](const Notice& notice) {
      return std::string_view(notice.text.key()) == "autosave.failed.run";
    });
  };
  Autosave autosave;
  follow(autosave, 30);
  EXPECT_EQ(complaints(), 1);
  EXPECT_TRUE(read_session(autosave_path(session_->work()))) << "the rest is kept";
  fs::remove_all(run);
  follow(autosave, 20);
  EXPECT_TRUE(fs::is_regular_file(run)) << "it is tried again";
  fs::remove(run);
  fs::create_directories(run + "/a folder");
  state().notices.clear();
  trained();
  follow(autosave, 20);
  EXPECT_EQ(complaints(), 1) << "once for each time that it begins to fail";
}

TEST_F(WorksTest, EscapeInTheTextLeavesNoUndoPoint) {
  make({5, 17});
  const std::uint64_t point = session_->history().point();
  key(Key::t, true);
  key(Key::end);
  type(" 7");
  settle();
  ASSERT_EQ(now(), (std::vector<int>{5, 17, 7}));
  key(Key::escape);
  settle();
  EXPECT_EQ(now(), (std::vector<int>{5, 17}));
  EXPECT_EQ(session_->history().point(), point);
  EXPECT_TRUE(session_->history().can_redo()) << "what was typed is not gone";
  key(Key::t, true);
  key(Key::end);
  type(" zzz");
  settle();
  key(Key::escape);
  settle();
  EXPECT_FALSE(shows("input_error"));
  EXPECT_EQ(session_->history().point(), point);
}

TEST_F(WorksTest, TheWordThatIsLookedAtStaysWhileATextIsTyped) {
  make({5, 17, 3, 99});
  workspace().cursor.query = 2;
  workspace().cursor.key = 1;
  frames();
  make({8});
  EXPECT_EQ(workspace().cursor.query, 0);
  make({8, 5, 17, 3, 99});
  EXPECT_EQ(workspace().cursor.query, 3);
  EXPECT_EQ(workspace().cursor.key, 2);
  session_->undo();
  settle();
  session_->undo();
  settle();
  EXPECT_EQ(now(), (std::vector<int>{5, 17, 3, 99}));
  EXPECT_EQ(workspace().cursor.query, 2);
  EXPECT_EQ(workspace().cursor.key, 1);
  workspace().cursor.query = 3;
  frames();
  make({6, 7});
  EXPECT_EQ(workspace().cursor.query, 1) << "the last stays the last";
  make({6, 7, 8, 9, 10, 11});
  EXPECT_EQ(workspace().cursor.query, 5);
}

TEST_F(WorksTest, EveryPasteIsAnUndoPoint) {
  make({5, 17});
  key(Key::t, true);
  key(Key::end);
  ImGui::SetClipboardText(" 7");
  for (int i = 0; i < 3; ++i) key(Key::v, true);
  settle();
  ASSERT_EQ(now(), (std::vector<int>{5, 17, 7, 7, 7}));
  session_->undo();
  EXPECT_EQ(now(), (std::vector<int>{5, 17, 7, 7}));
}

TEST_F(WorksTest, ALessonOpensWhereItWasLeft) {
  state().lessons.keep_in(folder_ / "progress.json");
  ASSERT_TRUE(state().lessons.start(state(), "nine_steps"));
  settle();
  EXPECT_EQ(state().lessons.page_index(), 0);
  state().lessons.go(state(), 2);
  settle();
  state().lessons.close(state());
  settle();
  start_again();
  state().lessons.keep_in(folder_ / "progress.json");
  ASSERT_TRUE(state().lessons.start(state(), "nine_steps"));
  settle();
  EXPECT_EQ(state().lessons.page_index(), 2);
  state().lessons.go(state(), static_cast<int>(state().lessons.lesson().pages.size()) - 1);
  settle();
  ASSERT_TRUE(state().lessons.start(state(), "nine_steps"));
  EXPECT_EQ(state().lessons.page_index(), 0) << "it was read to its end";
}

TEST_F(WorksTest, TwoHalvesOfOneViewNeedTheirA) {
  workspace().view = workspace().second_view = "steps";
  workspace().shows_pinned = {true, false};
  const std::string path = folder_ / "workspace.json";
  ASSERT_TRUE(save_workspace(path, workspace(), state().settings));
  Workspace read;
  ASSERT_TRUE(load_workspace(path, read, state().settings));
  EXPECT_EQ(read.second_view, "");
  session_->pin();
  frames();
  perform(state(), "compare.pin");
  frames();
  EXPECT_FALSE(session_->pinned());
  EXPECT_EQ(workspace().second_view, "");
}

}  // namespace
}  // namespace attnscope
