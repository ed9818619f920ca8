// What was open before something else was is gone back to whole: undo, redo and the end of a lesson lead
// there.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/session/session.h"
#include "core/session/session_file.h"
#include "core/tensor/panels.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

struct LeftWorks : ::testing::Test {
  Session session;
  static std::string source(const std::string& name) {
    return std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name;
  }
  void open(const std::string& name, OpenedAs as = OpenedAs::work) {
    session.open_document(
        [path = source(name)](const std::atomic<bool>&) -> Result<Document> {
          TRY(OpenedModel opened, open_model(path));
          return new_document(std::make_shared<const OpenedModel>(std::move(opened)));
        },
        as);
    session.wait();
    ASSERT_TRUE(session.result()) << name;
  }
  void ids(std::vector<int> wanted) {
    ASSERT_TRUE(
        session.edit("Ids", {}, [&](Document& document) { return set_ids(document, 0, wanted, {}); }));
    session.wait();
  }
  std::vector<int> ids() const { return session.document().sequences[0].input.ids; }
  std::string family() const { return session.document().opened->family; }
};

TEST_F(LeftWorks, UndoAndRedoGoBackAcrossAnotherModel) {
  open("gpt2");
  ids({5, 17, 3});
  ids({5, 17, 3, 9});
  const std::string family_before = family();
  const std::uint64_t work = session.work();
  open("llama");
  ASSERT_NE(family(), family_before);
  EXPECT_NE(session.work(), work);
  ids({1, 2});
  session.undo();  // of this model
  ASSERT_NE(family(), family_before);
  ASSERT_TRUE(session.can_undo());
  session.undo();  // the opening
  session.wait();
  EXPECT_EQ(family(), family_before);
  EXPECT_EQ(session.work(), work);
  EXPECT_EQ(ids(), (std::vector<int>{5, 17, 3, 9}));
  ASSERT_TRUE(session.result());
  EXPECT_EQ(session.result()->document.opened, session.document().opened);
  session.undo();
  EXPECT_EQ(ids(), (std::vector<int>{5, 17, 3})) << "its own undo points are there";
  session.redo();
  ASSERT_TRUE(session.can_redo());
  session.redo();
  session.wait();
  EXPECT_NE(family(), family_before);
  session.redo();
  EXPECT_EQ(ids(), (std::vector<int>{1, 2}));
  EXPECT_FALSE(session.can_redo());
}

TEST_F(LeftWorks, WhatNobodyChangedIsNotGoneBackTo) {
  open("gpt2");
  open("llama");
  EXPECT_FALSE(session.can_undo());
  EXPECT_TRUE(session.before().empty());
}

TEST_F(LeftWorks, AComesBackWithItsWork) {
  open("gpt2");
  session.pin();
  ids({5, 17, 3});
  const auto pinned = session.pinned();
  open("llama");
  EXPECT_EQ(session.pinned(), pinned) << "another model is compared with it";
  session.unpin();
  session.go_back();
  session.wait();
  ASSERT_TRUE(session.pinned());
  EXPECT_EQ(session.pinned()->traces, pinned->traces);
  session.swap_pinned("Swap");
  session.wait();
  EXPECT_TRUE(session.history().can_undo()) << "A is of the model that is open: an undo point like others";
}

TEST_F(LeftWorks, ALessonLeadsBackFromAnyPage) {
  open("gpt2");
  session.pin();
  ids({5, 17, 3});
  open("llama", OpenedAs::page);
  EXPECT_FALSE(session.pinned());
  EXPECT_FALSE(session.can_undo()) << "the lesson is still open";
  ids({4});
  open("bert", OpenedAs::page);
  EXPECT_TRUE(session.shows_page());
  EXPECT_EQ(session.before().size(), 1u) << "pages take each other's place";
  EXPECT_FALSE(session.worth_keeping());
  session.leave_page();
  session.wait();
  EXPECT_FALSE(session.shows_page());
  EXPECT_EQ(ids(), (std::vector<int>{5, 17, 3}));
  EXPECT_TRUE(session.pinned());
  EXPECT_TRUE(session.worth_keeping());
  EXPECT_FALSE(session.can_redo()) << "nothing was made on that page";
}

TEST_F(LeftWorks, ALessonOverNothingChangedLeadsBackToo) {
  open("gpt2");
  const std::string family_before = family();
  open("llama", OpenedAs::page);
  session.leave_page();
  session.wait();
  EXPECT_EQ(family(), family_before);
}

TEST_F(LeftWorks, WhatWasGoneBackFromIsNotLostWhenSomethingElseIsOpened) {
  open("gpt2");
  ids({5, 17, 3});
  open("llama");
  ids({1, 2});
  session.go_back();
  session.wait();
  open("bert");
  ASSERT_EQ(session.before().size(), 2u);
  session.undo();
  EXPECT_EQ(ids(), (std::vector<int>{5, 17, 3}));
  while (session.history().can_undo()) session.undo();
  session.undo();
  EXPECT_EQ(ids(), (std::vector<int>{1, 2}));
}

TEST_F(LeftWorks, WhatWasLeftIsWrittenAsASessionOfItsOwn) {
  session.keep_look([] { return std::make_shared<const nlohmann::json>(nlohmann::json{{"view", "mask"}}); });
  open("gpt2");
  ids({5, 17, 3});
  open("llama");
  ASSERT_EQ(session.before().size(), 1u);
  const LeftWork& left = session.before().back();
  EXPECT_TRUE(left.worth_keeping());
  const testing::TempFolder folder;
  const std::string path = folder.path() + "/left.attnscope";
  ASSERT_TRUE(write_session(path, left.copy, *left.look));
  const auto file = read_session(path);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->look().at("view"), "mask");
  EXPECT_EQ((*file->all)["inputs"][0]["ids"], (std::vector<int>{5, 17, 3}));
  session.go_back();
  const auto look = session.take_look();
  ASSERT_TRUE(look);
  EXPECT_EQ(look->at("view"), "mask");
  EXPECT_FALSE(session.take_look());
}

// A model that was left is kept to be gone back to, but not the packed copies of its weights.
TEST_F(LeftWorks, WhatWasLeftKeepsNoPackedWeights) {
  const auto opened_twice = [&] {
    for (int i = 0; i < 2; ++i) {
      open("llama");
      ids({1, 2, 3, 1, 2, 3});
    }
    return Panels::bytes();
  };
  const std::int64_t expected = opened_twice();
  EXPECT_GT(expected, 0);
  open("gpt2");
  ids({5, 17, 3, 5, 17, 3});
  const std::int64_t with = Panels::bytes();
  EXPECT_EQ(opened_twice(), expected);
  const auto last_gpt2 = [&] {
    return std::find_if(session.before().begin(), session.before().end(),
                        [](const LeftWork& work) { return work.history.now().opened->family == "GPT-2"; });
  };
  ASSERT_NE(last_gpt2(), session.before().end());
  while (family() != "GPT-2") session.go_back();
  session.wait();
  EXPECT_EQ(ids(), (std::vector<int>{5, 17, 3, 5, 17, 3}));
  EXPECT_GT(Panels::bytes(), 0);
  EXPECT_LE(Panels::bytes(), with) << "packed again";
}

TEST(Histories, EveryEditOfAGestureIsAnotherVersionOfOnePoint) {
  History history;
  history.push({}, "Drag", "drag");
  const auto point = history.point(), version = history.version();
  history.push({}, "Drag", "drag");
  EXPECT_EQ(history.point(), point);
  EXPECT_NE(history.version(), version);
}

}  // namespace
}  // namespace attnscope
