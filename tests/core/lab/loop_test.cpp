// The robot's loop: what was reached moves, what was not stays, and the Pilot is as good at colours as the
// lab and the lesson say.
#include <algorithm>

#include "core/lab/robot.h"
#include "tests/core/lab/lab_pictures.h"

namespace attnscope {
namespace {

using testing::number_of;
using testing::picture_of;
using testing::table_of;

LabPlot camera(const LabPicture& picture) { return std::get<LabPlot>(picture.pieces[0].what); }

TEST(Loop, WhatTheHandReachedStandsElsewhereInTheNextPicture) {
  const LabPicture first = picture_of("loop", {"thing=red_ball"}),
                   next = picture_of("loop", {"thing=red_ball", "picture=1"});
  EXPECT_EQ(first.notice.key(), "lab.loop.notice.right");
  const auto &before = camera(first).series,
             &after = camera(next).series;  // edge, cup, ball, cup, star, hand
  ASSERT_EQ(before.size(), 6U);
  EXPECT_EQ(before[1].points, after[1].points);
  EXPECT_NE(before[2].points, after[2].points);
  ASSERT_EQ(before[2].points.size(), 5U) << "the pixels of a ball";
  const double across = after[2].points[0].first - before[2].points[0].first;  // patch 0, then patch 5
  EXPECT_NEAR(across, 0.1, 1e-9);
  for (const auto& row : table_of(first, "lab.loop.tokens").rows) EXPECT_EQ(row[1].str(), row[3].str());
}

// What the first page of the loop shows: every verb, thing and language that it lists, a hundred pictures on.
TEST(Loop, EveryOrderThatIsListedIsCarriedOut) {
  const auto lab = find_lab("loop");
  ASSERT_TRUE(lab);
  const auto ids = [&](const char* control) {
    std::vector<std::string> out;
    const LabControl& found = *find_control(**lab, control);
    for (std::size_t i = 0; i < std::get<LabChoice>(found.kind).keys.size(); ++i)
      out.push_back(std::string(control) + "=" + value_text(found, static_cast<double>(i)));
    return out;
  };
  for (const std::string& verb : ids("verb"))
    for (const std::string& thing : ids("thing"))
      for (const std::string& language : ids("language")) {
        const LabPicture last = picture_of("loop", {verb, thing, language, "picture=99"});
        const std::vector<Text> row = table_of(last, "lab.loop.budget").rows.back();
        const Text& hits = row[1];
        ASSERT_EQ(hits.key(), "lab.loop.of");
        EXPECT_EQ(hits.arguments()[1].str(), "100");
        EXPECT_GE(number_of(hits.arguments()[0].str()), 95) << verb << " " << thing << " " << language;
      }
}

struct Score {
  int right = 0, kin = 0;
};
// First actions of pictures with one more thing of the kind that is named, or with none.
Score first_actions(bool rival, int count) {
  const auto pilot = shipped_model("pilot");
  EXPECT_TRUE(pilot);
  SplitMix64 random(7);
  Score out;
  for (int done = 0; done < count;) {
    const PilotScene scene = random_scene(random);
    const auto kin = std::count_if(scene.things.begin(), scene.things.end(),
                                   [&](const Thing& thing) { return thing.kind == scene.target().kind; });
    if (scene.things.size() < 2 || kin != (rival ? 2 : 1)) continue;
    ++done;
    const auto prompt = pilot_prompt(**pilot, scene);
    const auto bins = pilot_answer(**pilot, *prompt);
    EXPECT_TRUE(bins);
    const auto first = [&](std::size_t thing) {
      PilotScene other = scene;
      other.named = static_cast<int>(thing);
      return arm_bins(movement(other))[0] == (*bins)[0];
    };
    if (first(static_cast<std::size_t>(scene.named))) {
      ++out.right;
      continue;
    }
    for (std::size_t i = 0; i < scene.things.size(); ++i)
      if (scene.things[i].kind == scene.target().kind && first(i)) ++out.kin;
  }
  return out;
}

TEST(Loop, ThePilotFindsAColourAsSurelyAsAKind) {
  const Score alone = first_actions(false, 60), two = first_actions(true, 60);
  EXPECT_GE(alone.right, 59);
  EXPECT_GE(two.right, 57);
  EXPECT_GE(two.right + two.kin, 59) << "and else goes to the other one of the kind";
}

}  // namespace
}  // namespace attnscope
