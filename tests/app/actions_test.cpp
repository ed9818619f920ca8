// The table of actions: keys, words, names, and that each of them can be run wherever one is.
#include "app/state/actions.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "app/shell/dialogs.h"
#include "core/base/assets.h"
#include "core/base/names.h"
#include "core/lab/lab.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

using compat::Key;
using testing::FrameTest;

bool actions_any_popup() {
  return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

TEST(Actions, NoTwoShareAKeyWhereBothAreListenedTo) {
  std::map<std::string, std::string> taken;  // scope and key -> id
  for (const Action& action : actions())
    for (const Chord& chord : action.keys) {
      const std::string key = chord_text(chord);
      ASSERT_FALSE(key.empty()) << action.id;
      const bool presenting = action.scope == KeyScope::presenter;
      const auto [at, fresh] = taken.emplace((presenting ? "present " : "") + key, action.id);
      EXPECT_TRUE(fresh) << action.id << " and " << at->second << " both want " << key;
      // What is listened to everywhere would be heard beside the presenter's own.
      if (presenting && taken.contains(key)) {
        EXPECT_NE(find_action(taken.at(key))->scope, KeyScope::everywhere) << key << " of " << action.id;
      }
    }
  EXPECT_GT(taken.size(), 40u);
}

TEST(Actions, EachHasItsWordsInBothLanguages) {
  for (const char* language : {"en", "ko"}) {
    std::map<std::string, std::string> words;
    for (const std::string_view path : assets_under(std::string("assets/strings/") + language + "/")) {
      const nlohmann::json file = nlohmann::json::parse(asset(path));
      for (const auto& [key, text] : file.items()) words[key] = text.get<std::string>();
    }
    std::set<std::string> names;
    for (const Action& action : actions()) {
      ASSERT_TRUE(words.contains(action.text)) << language << ": " << action.text;
      EXPECT_TRUE(names.insert(words[action.text]).second) << words[action.text] << " is two actions";
    }
    for (const auto& [key, text] : words)  // and no words stand there for an action that is gone
      if (key.starts_with("action.") && !key.ends_with(".what")) {
        EXPECT_TRUE(find_action(key.substr(7))) << key;
      }
  }
}

TEST(Actions, TheListOfNamesIsComplete) {
  std::vector<std::string> ids, views;
  for (const Action& action : actions()) ids.push_back(action.id);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
  for (const ViewRow& row : view_table()) views.push_back(row.id);
  std::sort(views.begin(), views.end());
  std::vector<std::string> listed = names().actions, listed_views = names().views;
  std::sort(listed.begin(), listed.end());
  std::sort(listed_views.begin(), listed_views.end());
  EXPECT_EQ(ids, listed) << "an action came or went: assets/names.json must say so";
  EXPECT_EQ(views, listed_views) << "a view came or went: assets/names.json must say so";
}

TEST_F(FrameTest, EveryKeyIsListedAndF1OpensTheHandbookAndClosesIt) {
  open_default();
  std::string all;
  for (const KeyGroup& group : key_groups(Level::full))
    for (const auto& [keys, what] : group.lines) {
      all += "|" + keys + "|";
      EXPECT_FALSE(what.empty()) << keys;
    }
  for (const Action& action : actions())
    for (const Chord& chord : action.keys)
      EXPECT_EQ(all.find(chord_text(chord)) != std::string::npos, !chord.untold) << action.id;
  for (const char* language : {"en", "ko"}) {
    state().set_language(language);
    for (const auto& view : state().views) {
      workspace().view = view->id();
      key(Key::f1);
      EXPECT_TRUE(actions_any_popup()) << view->id();
      EXPECT_TRUE(shows("close"));
      key(Key::f1);
      EXPECT_FALSE(actions_any_popup()) << "the key that opened it closes it";
    }
  }
  state().set_language("en");
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(FrameTest, AnActionThatIsNotPossibleDoesNothing) {
  open_default();
  EXPECT_FALSE(perform(state(), "edit.undo"));
  EXPECT_FALSE(perform(state(), "no.such.action"));
  EXPECT_FALSE(perform(state(), "file.open_model")) << "it wants to be told which";
  EXPECT_FALSE(perform(state(), "present.black")) << "nobody presents";
  EXPECT_TRUE(perform(state(), "walk.go", "blocks.0.attn.pattern"));
  EXPECT_EQ(to_text(workspace().cursor.step), "blocks.0.attn.pattern");
  EXPECT_TRUE(perform(state(), "view.mask"));
  EXPECT_EQ(workspace().view, "mask");
}

TEST_F(FrameTest, ANumberIsPinnedMovedAndEditedByKeysAlone) {
  open_default();
  perform(state(), "walk.go", "blocks.0.attn.scores");
  frames();
  key(Key::i);
  ASSERT_TRUE(workspace().cursor.pinned);
  const Cell first = *workspace().cursor.pinned;
  key(Key::up, true);
  key(Key::left, true);
  key(Key::left, true);
  key(Key::left, true);
  key(Key::right, true);
  const std::string moved = to_text(*workspace().cursor.pinned);
  EXPECT_NE(moved, to_text(first));
  EXPECT_NE(moved.find("key=1"), std::string::npos) << moved;
  key(Key::e);
  EXPECT_TRUE(actions_any_popup()) << "the edit menu of that number";
  EXPECT_TRUE(shows("edit_menu.zero"));
  key(Key::escape);
  EXPECT_FALSE(actions_any_popup());
  EXPECT_TRUE(workspace().cursor.pinned) << "one key does one thing";
  key(Key::escape);
  EXPECT_FALSE(workspace().cursor.pinned);
}

TEST_F(FrameTest, MenusOpenByKeyAndTheirArrowsLeaveTheStepsAlone) {
  open_default();
  key(Key::f10);
  ASSERT_TRUE(actions_any_popup());
  EXPECT_TRUE(shows("file.open"));
  key(Key::down);
  key(Key::right);
  EXPECT_EQ(step(), 0);
  for (int i = 0; i < 4 && actions_any_popup(); ++i) key(Key::escape);
  EXPECT_FALSE(actions_any_popup());
  key(Key::right);
  EXPECT_EQ(step(), 1);
}

TEST_F(FrameTest, SettingsAreInOnePlaceAndAreKept) {
  open_default();
  key(Key::comma, true);
  ASSERT_TRUE(actions_any_popup());
  click("settings.light");
  EXPECT_EQ(theme().kind, ThemeKind::light);
  click("settings.contrast.high");
  EXPECT_TRUE(contrast());
  click("settings.colours.safe");
  EXPECT_TRUE(safe_colours());
  click("settings.motion.off");
  EXPECT_FALSE(workspace().animate);
  click("size_more");
  EXPECT_FLOAT_EQ(state().settings.zoom, 1.1f);
  click("language_ko");
  EXPECT_EQ(language(), "ko");
  click("language_en");
  click("settings.dark");
  click("settings.contrast.usual");
  click("settings.colours.usual");
  key(Key::escape);
  EXPECT_FALSE(actions_any_popup());
  EXPECT_FALSE(contrast() || safe_colours());
}

// What stands in a dialog after an action is closed again.
class EveryAction : public FrameTest {
 protected:
  void SetUp() override {
    FrameTest::SetUp();
    // Without OpenGL every cell is a rectangle, and they are more than an index of 16 bits can count.
    ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
  }
  void close_all() {
    for (int i = 0; i < 5 && actions_any_popup(); ++i) key(Key::escape);
    state().quit = state().ask_open = state().ask_save_as = state().ask_export = false;
    state().browse.reset();
    set_presenting(state(), false);
  }
  void run_all(const std::string& what) {
    for (const Action& action : actions()) {
      std::vector<std::string> told{""};
      if (action.takes == Takes::site || action.takes == Takes::language) {
        const auto all = choices(state(), action.takes);
        told.clear();
        for (std::size_t i = 0; i < all.size(); i += std::max<std::size_t>(1, all.size() / 3))
          told.push_back(all[i].argument);
      } else if (action.takes != Takes::nothing) {
        continue;  // they open something else
      }
      for (const std::string& argument : told) {
        perform(state(), action.id, argument);
        frames(1);
        EXPECT_TRUE(state().faults.empty()) << what << ": " << action.id << " " << argument;
        EXPECT_FALSE(session_->error()) << what << ": " << action.id << ": " << session_->error()->sentence();
        session_->dismiss_error();
        close_all();
      }
    }
    state().set_language("en");
    settle();
    EXPECT_TRUE(state().faults.empty()) << what;
  }
};

TEST_F(EveryAction, RunsWhereNothingIsOpen) { run_all("nothing"); }

using LongEveryAction = EveryAction;

TEST_F(LongEveryAction, RunsOnEveryShippedScene) {
  for (const ShippedScene& scene : state().scenes()) {
    ASSERT_TRUE(perform(state(), "file.open_scene", scene.name));
    settle();
    run_all(scene.name);
  }
}

TEST_F(LongEveryAction, RunsOnEveryShippedModel) {
  for (const ShippedModel& model : state().models()) {
    ASSERT_TRUE(perform(state(), "file.open_model", model.name));
    settle();
    run_all(model.name);
  }
}

// The names on screen are those that lessons may say.
TEST_F(EveryAction, EveryItemOnScreenIsListed) {
  std::set<std::string> unknown;
  const auto look = [&] {
    for (const auto& [name, rect] : noted_items())
      if (!is_item(name)) unknown.insert(name);
  };
  std::vector<std::string> shown{std::string(kScenePrefix) + kDefaultScene};
  for (const char* name : {"storyteller", "translator", "pilot"})
    for (const ShippedModel& model : state().models())
      if (model.name == name) shown.push_back(kModelPrefix + model.name);
  for (const std::string& path : shown) {
    state().open(path);
    settle();
    for (const auto& view : state().views) {
      workspace().view = view->id();
      settle();
      look();
    }
    workspace().view = "steps";
    workspace().backward = true;
    settle();
    look();
    workspace().backward = false;
    for (const char* id : {"walk.pin_number", "edit.place", "help.keys", "view.settings", "help.palette",
                           "help.menus", "compare.pin", "compare.both", "file.export"}) {
      perform(state(), id);
      frames(3);
      look();
      if (std::string(id).starts_with("compare") || std::string(id).starts_with("walk")) continue;
      close_all();
    }
    perform(state(), "compare.pin");
    workspace().second_view.clear();
  }
  for (const std::string& name : unknown)
    ADD_FAILURE() << "assets/names.json does not list the item " << name;
}

class KeyPointerTest : public FrameTest {
 protected:
  bool at(const std::string& item) {
    const ItemRect rect = noted_items().at(item);
    const ImVec2 p = key_pointer().at;
    return key_pointer().on && p.x > rect.p0.x && p.x < rect.p1.x && p.y > rect.p0.y && p.y < rect.p1.y;
  }
  void tab_to(const std::string& item) {
    for (int i = 0; i < 300 && !(shows(item) && at(item)); ++i) key(Key::tab);
    ASSERT_TRUE(at(item)) << item;
  }
  void press() {
    key(Key::enter);
    frames(6);
  }
};

TEST_F(KeyPointerTest, EveryKindOfControlOfALabIsReachedWithoutAMouse) {
  open_default();
  workspace().view = "labs";
  workspace().lab = "softmax";
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  settle();
  tab_to("lab_largest");
  press();
  type("50");
  key(Key::enter);
  settle();
  EXPECT_EQ(workspace().lab_values["softmax"].number("largest"), 50);
  tab_to("lab_precision");
  press();
  key(Key::down);
  key(Key::enter);
  settle();
  EXPECT_EQ(workspace().lab_values["softmax"].choice("precision"), 1);
  tab_to("lab_reset");
  key(Key::space);
  frames(6);
  EXPECT_EQ(workspace().lab_values["softmax"].number("largest"), 100);
  EXPECT_FALSE(workspace().playing) << "the space bar was the control's";
  tab_to("lab_open_order");
  press();
  EXPECT_EQ(workspace().lab, "order");
  const ImVec2 here = key_pointer().at;
  key(Key::tab);
  key(Key::tab, false, true);
  EXPECT_EQ(key_pointer().at.y, here.y);
  key(Key::escape);
  EXPECT_FALSE(key_pointer().on);
}

TEST_F(KeyPointerTest, WhatIsScrolledOutOfSightIsScrolledToAndClicked) {
  open_default();
  workspace().view = "labs";
  workspace().lab = "softmax";
  ImGui::GetIO().DisplaySize = ImVec2(1280, 600);
  settle();
  const std::string last = "lab_open_" + labs().back().id();
  ASSERT_FALSE(shows(last)) << "all labs fit";
  tab_to(last);
  press();
  EXPECT_EQ(workspace().lab, labs().back().id());
  EXPECT_TRUE(at(last));
}

}  // namespace
}  // namespace attnscope
