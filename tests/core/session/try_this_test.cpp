// Things to try: every shipped model and scene has three, each is played, and its claim is what the runs
// give.
#include "core/session/try_this.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/arch/shipped.h"
#include "core/base/assets.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/step/place.h"

namespace attnscope {
namespace {

std::shared_ptr<const OpenedModel> shipped(const std::string& name) {
  auto opened = open_shipped(name);
  EXPECT_TRUE(opened) << name;
  return opened ? std::make_shared<const OpenedModel>(*std::move(opened)) : nullptr;
}

// Everything that ships: models and scenes, as they are named.
std::vector<std::string> all_shipped() {
  std::vector<std::string> out;
  for (const std::string_view path : assets_under("assets/models/"))
    if (ends_with(path, "/config.json"))
      out.push_back("model:" + std::string(path.substr(14, path.size() - 14 - 12)));
  for (const std::string_view path : assets_under("assets/scenes/"))
    out.push_back("scene:" + std::string(path.substr(14, path.size() - 14 - 5)));
  return out;
}

TEST(TryThis, EverythingThatShipsHasThreeAndTheyAreTrue) {
  const std::vector<std::string> names = all_shipped();
  EXPECT_EQ(names.size(), 20u);
  for (const std::string& name : names) {
    const auto opened = shipped(name);
    ASSERT_TRUE(opened);
    const auto things = things_to_try(*opened);
    ASSERT_TRUE(things) << name << ": " << things.error().text();
    EXPECT_GE(things->size(), 3u) << name;
    for (const TryThis& thing : *things) {
      const auto outcome = play_try(opened, thing);
      ASSERT_TRUE(outcome) << name << " " << thing.id << ": " << outcome.error().text();
      EXPECT_TRUE(outcome->true_claim) << name << " " << thing.id << ": " << outcome->sentence.str();
      EXPECT_TRUE(thing.sentence.has_words()) << name << " " << thing.sentence.key();
      EXPECT_TRUE(has_string("view." + thing.view)) << thing.view;
    }
  }
}

// What a sentence says of query and key is what the edit reaches.
TEST(TryThis, CellsAreCalledByTheirTokens) {
  const auto opened = shipped("model:storyteller");
  int cells = 0;
  const auto things = things_to_try(*opened);
  ASSERT_TRUE(things);
  for (const TryThis& thing : *things) {
    if (thing.edits.empty() || thing.sentence.arguments().size() < 6) continue;
    const std::string edit = thing.edits.front();
    const auto cell = parse_cell(edit.substr(0, edit.find(']') + 1));
    ASSERT_TRUE(cell) << edit;
    const auto begin = try_begin(opened, thing);
    ASSERT_TRUE(begin);
    const auto label = [&](const char* axis) {
      return position_label(*opened, begin->sequences.front(), range_on(cell->at, axis)->begin);
    };
    EXPECT_EQ(label("query"), thing.sentence.arguments()[3].str());
    EXPECT_EQ(label("key"), thing.sentence.arguments()[4].str());
    ++cells;
  }
  EXPECT_EQ(cells, 2);
}

TEST(TryThis, AClaimThatIsFalseIsFound) {
  const auto opened = shipped("model:storyteller");
  const auto things = things_to_try(*opened);
  ASSERT_TRUE(things);
  const auto holds = [&](const TryThis& thing) { return play_try(opened, thing)->true_claim; };
  TryThis cell = things->front();
  ASSERT_TRUE(holds(cell));
  TryThis wrong = cell;
  wrong.before = "dog";
  EXPECT_FALSE(holds(wrong)) << "the answer before";
  wrong = cell;
  std::swap(wrong.after[1], wrong.after[2]);
  EXPECT_FALSE(holds(wrong)) << "the order after";
  wrong = cell;
  wrong.move = TryMove::rises;
  EXPECT_FALSE(holds(wrong)) << "it falls";
  wrong = cell;
  wrong.edits = {"blocks.1.attn.pattern[head=3,query=13,key=2]*=1"};
  EXPECT_FALSE(holds(wrong)) << "nothing moves";
}

TEST(TryThis, WhatDoesNotFitIsRefused) {
  const auto opened = shipped("model:storyteller");
  const std::vector<TryThis> things = *things_to_try(*opened);
  const TryThis good =
      *std::find_if(things.begin(), things.end(), [](const TryThis& one) { return !one.tokens.empty(); });
  const auto key = [&](const TryThis& thing) {
    const auto played = play_try(opened, thing);
    return played ? std::string() : played.error().what.key();
  };
  EXPECT_EQ(key(good), "");
  TryThis bad = good;
  bad.tokens.front().word = "zebra";
  EXPECT_EQ(key(bad), "error.session.measure.no_token");
  bad = good;
  bad.tokens.front().from = "dog";
  EXPECT_EQ(key(bad), "error.session.try.token");
  bad = good;
  bad.tokens.front().pos = 1000;
  EXPECT_EQ(key(bad), "error.session.try.token");
  bad = good;
  bad.edits = {"blocks.9.attn.z[head=0]=0"};
  EXPECT_NE(key(bad), "");
  bad = good;
  for (int i = 0; i < 12; ++i) bad.text += " " + good.text;
  EXPECT_NE(key(bad), "") << "longer than the model";
}

TEST(TryThis, TablesAreReadStrictly) {
  const std::string good = R"({"things":[{"id":"a","kind":"head","say":["0.0"],"view":"attention",
    "edits":["blocks.0.attn.z[head=0]=0"],"at":"blocks.0.attn.pattern[head=0,query=1]","before":"x",
    "after":["y"],"move":"turns"}]})";
  ASSERT_TRUE(read_tries(good, "t"));
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return !read_tries(text, "t");
  };
  EXPECT_TRUE(refused("\"things\"", "\"thing\""));
  EXPECT_TRUE(refused("\"turns\"", "\"jumps\""));
  EXPECT_TRUE(refused("[\"y\"]", "[]"));
  EXPECT_TRUE(refused("\"edits\"", "\"edit\"")) << "nothing changes";
  EXPECT_TRUE(refused("\"x\"", "7"));
  EXPECT_TRUE(refused("query=1]", "query=1"));
  EXPECT_TRUE(refused("}]}", "}]"));
}

TEST(TryThis, WhatIsNotShippedHasNone) {
  OpenedModel foreign = *shipped("scene:tiny_gpt");
  foreign.path = "/somewhere/tiny_gpt.json";
  EXPECT_TRUE(things_to_try(foreign)->empty());
}

}  // namespace
}  // namespace attnscope
