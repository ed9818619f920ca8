// The Pilot: scenes as pixels and words, movements as bins, the arm's path, the split, the masks.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/text.h"
#include "core/text/tokenizer.h"
#include "core/train/pilot_scene.h"
#include "core/train/trainer.h"

namespace attnscope {
namespace {

std::shared_ptr<const Task> pilot() { return *find_task("pilot"); }

TaskSizes sized_pilot(int heads, int d_model, const std::string& mask = "") {
  TaskSizes out;
  out.heads = heads;
  out.d_model = d_model;
  out.mask = mask;
  return out;
}

PilotScene one_thing(Thing thing, ArmVerb verb) {
  PilotScene out;
  out.things = {thing};
  out.verb = verb;
  return out;
}

TEST(PilotSceneTest, AThingIsNinePixelsOfItsPatch) {
  const Tensor pixels = scene_pixels(one_thing({ThingKind::cup, ThingColour::red, 6, 1, 0}, ArmVerb::pick));
  ASSERT_EQ(pixels.sizes(), (std::vector<std::int64_t>{3, 16, 16}));
  const float table = pixels.at(0, 15, 15);
  const auto drawn = [&](int x, int y) { return pixels.at(0, y, x) != table; };
  // Patch 6: column 2, row 1; one pixel to the right. A cup is open at the top.
  const std::vector<std::string> glyph{"#.#", "#.#", "###"};
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 16; ++x) {
      const bool inside = x >= 9 && x < 12 && y >= 4 && y < 7;
      const bool wanted =
          inside && glyph[static_cast<std::size_t>(y - 4)][static_cast<std::size_t>(x - 9)] == '#';
      EXPECT_EQ(drawn(x, y), wanted) << x << " " << y;
    }
  EXPECT_GT(pixels.at(0, 4, 9), pixels.at(1, 4, 9));  // red
  for (const float value : pixels.values()) {
    const float byte = (value + 1.f) * 127.5f;
    EXPECT_NEAR(byte, std::round(byte), 1e-3);  // a PNG holds it
    EXPECT_LE(std::abs(value), 1.f);
  }
}

TEST(PilotSceneTest, InstructionsNameOneThing) {
  SplitMix64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const PilotScene scene = random_scene(random);
    std::set<int> patches;
    int same = 0;
    for (const Thing& thing : scene.things) {
      patches.insert(thing.patch);
      same += thing.kind == scene.target().kind && thing.colour == scene.target().colour ? 1 : 0;
    }
    EXPECT_EQ(patches.size(), scene.things.size());
    EXPECT_EQ(same, 1);
    EXPECT_EQ(instruction(scene).size(), 4U);
  }
  PilotScene scene = one_thing({ThingKind::box, ThingColour::yellow, 0, 0, 0}, ArmVerb::push);
  EXPECT_EQ(join(instruction(scene), " "), "push the yellow box");
  scene.korean = true;
  EXPECT_EQ(join(instruction(scene), " "), "노란 상자 ##를 밀어");
}

// Left to chance the kind alone nearly always tells which thing is meant, and colours are not learned.
TEST(PilotSceneTest, KindsAndColoursAreBothNeeded) {
  SplitMix64 random(5);
  int kinds = 0, colours = 0;
  constexpr int kScenes = 4000;
  for (int i = 0; i < kScenes; ++i) {
    const PilotScene scene = random_scene(random);
    int of_kind = 0, of_colour = 0;
    for (const Thing& thing : scene.things) {
      of_kind += thing.kind == scene.target().kind;
      of_colour += thing.colour == scene.target().colour;
    }
    kinds += of_kind > 1, colours += of_colour > 1;
  }
  EXPECT_GT(kinds, 0.45 * kScenes) << "another thing of its kind: the colour has to be read";
  EXPECT_GT(colours, 0.45 * kScenes) << "another thing of its colour: the kind has to be read";
}

TEST(PilotSceneTest, TheFingerprintKnowsContentNotOrderOrLanguage) {
  SplitMix64 random(4);
  PilotScene scene = random_scene(random), other = scene;
  std::swap(other.things.front(), other.things.back());
  other.named = static_cast<int>(scene.things.size()) - 1;
  scene.named = 0;
  other.korean = !scene.korean;
  EXPECT_EQ(scene_fingerprint(scene), scene_fingerprint(other));
  other.verb = static_cast<ArmVerb>((static_cast<int>(scene.verb) + 1) % kArmVerbs);
  EXPECT_NE(scene_fingerprint(scene), scene_fingerprint(other));
}

TEST(PilotPathTest, EveryMovementOfTheWorldFitsItsBins) {
  SplitMix64 random(8);
  for (int i = 0; i < 2000; ++i) {
    const ArmMove move = movement(random_scene(random));
    const ArmMove back = *arm_move(arm_bins(move));
    EXPECT_NEAR(back.dx, move.dx, 1e-9);
    EXPECT_NEAR(back.dy, move.dy, 1e-9);
    EXPECT_NEAR(back.dz, move.dz, 0.00626);
    EXPECT_NEAR(back.roll, move.roll, 1e-9);
    EXPECT_NEAR(back.pitch, move.pitch, 1e-9);
    EXPECT_NEAR(back.yaw, move.yaw, 1e-9);
    EXPECT_NEAR(back.gripper, move.gripper, 1e-9);
  }
}

TEST(PilotPathTest, VerbsAndKindsDecideTheMovement) {
  const Thing cup{ThingKind::cup, ThingColour::red, 3, 1, 0};
  const ArmMove pick = movement(one_thing(cup, ArmVerb::pick)),
                push = movement(one_thing(cup, ArmVerb::push)),
                turn = movement(one_thing(cup, ArmVerb::turn));
  EXPECT_NEAR(pick.dx, 0.1625, 1e-9);  // the middle of the cup is 14.5 pixels from the left
  EXPECT_NEAR(pick.dy, 0.3625, 1e-9);  // and 1.5 from the top
  EXPECT_NEAR(pick.dz, -0.15, 1e-9);
  EXPECT_EQ(pick.pitch, -90);
  EXPECT_EQ(push.pitch, 0);
  EXPECT_EQ(push.yaw, 30);  // atan(0.1625 / 0.3625) is 24 degrees
  EXPECT_EQ(push.gripper, 0);
  EXPECT_EQ(turn.yaw, -90);
  EXPECT_GT(turn.dz, pick.dz);
}

TEST(PilotPathTest, TheArmGoesFromItsHomeToTheThing) {
  SplitMix64 random(9);
  for (int i = 0; i < 200; ++i) {
    const PilotScene scene = random_scene(random);
    const std::vector<PathPoint> path = arm_path(*arm_move(arm_bins(movement(scene))));
    EXPECT_EQ(path.front().x, 0.5);
    EXPECT_EQ(path.front().y, 1.0);
    EXPECT_NEAR(path.front().height, 0.2, 1e-12);
    EXPECT_EQ(static_cast<int>(path.back().x * 4), scene.target().patch % 4);
    EXPECT_EQ(static_cast<int>(path.back().y * 4), scene.target().patch / 4);
    EXPECT_LT(path.back().height, 0.2);
    EXPECT_GE(path.back().height, 0.0);
    EXPECT_EQ(path.size(), 26U);
  }
  EXPECT_EQ(arm_path({}, 0).size(), 4U);
}

TEST(PilotPathTest, OtherThanSevenBinsAreRefused) {
  EXPECT_FALSE(arm_move({1, 2, 3}));
  EXPECT_FALSE(arm_move({}));
  EXPECT_NE(arm_move({0, 0, 16, 0, 0, 0, 0}).error().sentence().find("Δz has no bin 16"), std::string::npos);
  EXPECT_FALSE(arm_move({0, -1, 0, 0, 0, 0, 0}));
  for (int bin = 0; bin < kArmBins; ++bin) EXPECT_EQ(action_bin(action_spelling(bin)), bin);
  for (const char* other :
       {"", "<act_", "<act_>", "<act_16>", "<act_-1>", "<act_3", "act_3>", "<act_3x>", "cup"})
    EXPECT_EQ(action_bin(other), std::nullopt) << other;
}

TEST(TaskPilotTest, ExamplesCountActionsAlone) {
  const ModelConfig config = *pilot()->config({});
  for (int number = 0; number < 300; ++number) {
    const Example example = pilot()->example(2, Split::train, number);
    ASSERT_EQ(example.input.ids.size(), 27U);
    ASSERT_EQ(example.targets.size(), 27U);
    ASSERT_EQ(example.notes.size(), 2U);
    for (std::size_t row = 0; row < 27; ++row) {
      const bool says_action = row >= 19 && row < 26;
      EXPECT_EQ(example.targets[row] >= 0, says_action);
      if (says_action) {
        EXPECT_EQ(example.targets[row], example.input.ids[row + 1]);
      }
      EXPECT_LT(example.input.ids[row], config.vocab_size);
    }
    for (std::size_t row = 0; row < 16; ++row) EXPECT_EQ(example.input.ids[row], config.image_token);
    EXPECT_EQ(example.input.spans.back(), (Span{"action", 20, 27}));
  }
}

TEST(TaskPilotTest, HeldOutScenesAreNeverTrainedOn) {
  const auto content = [](Split split, std::uint64_t seed, int number) {
    const Example example = pilot()->example(seed, split, number);
    std::vector<float> out = example.input.pixels.values();
    for (int row = 19; row < 26; ++row)
      out.push_back(static_cast<float>(example.targets[static_cast<std::size_t>(row)]));
    return out;
  };
  EXPECT_EQ(content(Split::train, 1, 5), content(Split::train, 1, 5));
  EXPECT_NE(content(Split::train, 1, 5), content(Split::train, 1, 6));
  std::set<std::vector<float>> trained;
  for (int number = 0; number < 8000; ++number) trained.insert(content(Split::train, 1, number));
  for (int number = 0; number < 1500; ++number)
    EXPECT_FALSE(trained.contains(content(Split::held_out, 2, number)));
}

TEST(TaskPilotTest, TheTokenizerReadsInstructionsAndActions) {
  const auto made = tokenizer_from_json(pilot()->tokenizer().dump(), "tokenizer.json");
  ASSERT_TRUE(made) << made.error().text();
  const Tokenizer& spoken = **made;
  EXPECT_EQ(spoken.vocab_size(), pilot()->config({})->vocab_size);
  for (int number = 0; number < 500; ++number) {
    const Example example = pilot()->example(2, Split::train, number);
    const std::vector<int> said(example.input.ids.begin() + 16, example.input.ids.end());
    const auto encoded = spoken.encode(spoken.decode(said));
    ASSERT_TRUE(encoded);
    EXPECT_EQ(encoded->ids(), said) << spoken.decode(said);
  }
  for (const std::string said : {"빨간 컵을 집어", "파란 별을 밀어", "노란 상자를 돌려"})
    EXPECT_EQ(spoken.encode(said + "라")->ids(), spoken.encode(said)->ids()) << said;
  const auto encoded = spoken.encode("Pick the red cup");
  const Example shown = pilot()->shown();
  EXPECT_EQ(encoded->ids(), std::vector<int>(shown.input.ids.begin() + 16, shown.input.ids.begin() + 20));
  EXPECT_EQ(action_bin(spoken.token_text(shown.targets[19])), 10);
}

TEST(TaskPilotTest, ThePrefixMaskLetsPatchesSeeEachOther) {
  const auto sees = [](const char* mask, std::int64_t query, std::int64_t key) {
    const Trainer fresh = *Trainer::make(pilot(), sized_pilot(4, 16, mask), pilot()->recipe(), 1);
    const auto trace = fresh.state().model->run(pilot()->shown().input);
    EXPECT_TRUE(trace);
    return (*trace)->slice(site_of(Slot::mask, 0), 0, {query, query + 1}, {key, key + 1}).at(0, 0) > 0;
  };
  EXPECT_TRUE(sees("prefix", 2, 9));
  EXPECT_FALSE(sees("causal", 2, 9));
  for (const char* mask : {"prefix", "causal"}) {
    EXPECT_FALSE(sees(mask, 17, 18));  // text is causal
    EXPECT_FALSE(sees(mask, 2, 17));   // patches do not see text
    EXPECT_TRUE(sees(mask, 22, 2));
    EXPECT_FALSE(sees(mask, 21, 22));  // actions are causal
  }
  EXPECT_FALSE(pilot()->config(sized_pilot(0, 0, "sideways")));
  EXPECT_FALSE(pilot()->config(sized_pilot(3, 64)));
  EXPECT_EQ(pilot()->config({})->vision()->projected, pilot()->config({})->d_model);
}

TEST(TaskPilotTest, AModelThatKnowsNothingIsLost) {
  const Trainer fresh = *Trainer::make(pilot(), {}, pilot()->recipe(), 5);
  const std::vector<Measure> measures = pilot()->measure(*fresh.state().model, 5, 30);
  ASSERT_EQ(measures.size(), 5U);
  EXPECT_LT(measures[0].value, 0.4);
  EXPECT_EQ(measures[1].value, 0.0);
  EXPECT_LT(measures[2].value, 0.3);
  EXPECT_EQ(measures[2].name, "first_action_head.weight");
  EXPECT_EQ(measures[3].name, "finding_head.share");
  EXPECT_LT(measures[3].value, 0.65);
  EXPECT_EQ(measures[4].name, "named_patch_head.weight");
  EXPECT_LT(measures[4].value, 0.3);
}

}  // namespace
}  // namespace attnscope
