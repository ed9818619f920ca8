// The robot's loop, running by itself: a picture, an instruction, seven tokens, a movement; then a new
// picture, again. Answers are the Pilot's own; what it took or pushed stands elsewhere in the next picture.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

#include "core/base/text.h"
#include "core/lab/robot.h"
#include "core/train/pilot_scene.h"

namespace attnscope {
namespace {

constexpr int kLabLoopRounds = 3;  // that an answer is timed

constexpr int kPatches = kScenePatches * kScenePatches, kLast = 99;
constexpr double kReach = 0.03;  // metres from the middle of a thing to where the hand has it

/// One turn of the loop: the scene, the predicted bins, and the thing that the hand reached (-1: none).
struct Turn {
  PilotScene scene;
  std::vector<int> bins;
  ArmMove move;
  int reached = -1;
  double distance = 0;  ///< metres from the thing that was named
};

// From here the Pilot carries every order out. With the red cup one pixel further right, picking it comes in
// picture 3 to a scene (below the star, in one column with it) that is answered wrongly, as one of 250 is.
PilotScene first_scene(const LabValues& values) {
  PilotScene out;
  out.things = {{ThingKind::cup, ThingColour::red, 6, 0, 0},
                {ThingKind::ball, ThingColour::red, 0, 0, 1},
                {ThingKind::cup, ThingColour::blue, 13, 0, 0},
                {ThingKind::star, ThingColour::yellow, 11, 1, 1}};
  out.named = values.choice("thing");
  out.verb = values.choice("verb") == 0 ? ArmVerb::pick : ArmVerb::push;
  out.korean = values.choice("language") == 1;
  return out;
}

ArmMove to_thing(PilotScene scene, std::size_t thing) {
  scene.named = static_cast<int>(thing);
  return movement(scene);
}

double apart(const ArmMove& a, const ArmMove& b) { return std::hypot(a.dx - b.dx, a.dy - b.dy); }

Result<Turn> turn_of(const OpenedModel& pilot, const PilotScene& scene) {
  TRY(const Input prompt, pilot_prompt(pilot, scene));
  Turn out{scene, {}, {}};
  TRY(out.bins, pilot_answer(pilot, prompt));
  TRY(out.move, arm_move(out.bins));
  for (std::size_t i = 0; i < scene.things.size(); ++i)
    if (apart(out.move, to_thing(scene, i)) < kReach) out.reached = static_cast<int>(i);
  out.distance = apart(out.move, movement(scene));
  return out;
}

// What was picked is set down five patches on, what was pushed a patch further from the hand, over the edge
// back to the near one; what stands there already is passed over.
PilotScene after(const Turn& turn) {
  PilotScene out = turn.scene;
  if (turn.reached < 0) return out;
  Thing& moved = out.things[static_cast<std::size_t>(turn.reached)];
  const int step = out.verb == ArmVerb::pick ? 5 : kPatches - kScenePatches;
  const auto taken = [&](int patch) {
    for (const Thing& thing : out.things)
      if (&thing != &moved && thing.patch == patch) return true;
    return false;
  };
  do moved.patch = (moved.patch + step) % kPatches;
  while (taken(moved.patch));
  return out;
}

/// Turns 0 .. `last` of these values; those that were made before are kept.
Result<std::vector<Turn>> turns_until(const OpenedModel& pilot, const LabValues& values, int last,
                                      const std::atomic<bool>& cancel) {
  static std::mutex mutex;
  static std::map<std::tuple<int, int, int>, std::vector<Turn>> kept;
  const std::lock_guard lock(mutex);
  std::vector<Turn>& turns = kept[{values.choice("verb"), values.choice("thing"), values.choice("language")}];
  while (static_cast<int>(turns.size()) <= last) {
    TRY_OK(go_on(cancel));
    TRY(Turn next, turn_of(pilot, turns.empty() ? first_scene(values) : after(turns.back())));
    turns.push_back(std::move(next));
  }
  return std::vector<Turn>(turns.begin(), turns.begin() + last + 1);
}

Text thing_name(int thing) {
  static const std::array<const char*, 4> keys{"lab.loop.thing.red_cup", "lab.loop.thing.red_ball",
                                               "lab.loop.thing.blue_cup", "lab.loop.thing.yellow_star"};
  return thing < 0 ? Text::of("lab.loop.nothing") : Text::of(keys[static_cast<std::size_t>(thing)]);
}

// ---- what it shows -------------------------------------------------------------------------------

// The picture as the camera takes it: the pixels of every thing in its colour.
LabPlot camera(const Turn& turn, int picture) {
  static const std::array<LabInk, 4> inks{LabInk::red, LabInk::red, LabInk::blue, LabInk::amber};
  LabPlot out = table_plot(Text::of("lab.loop.camera", {picture}));
  out.x_marks = {-0.1, 0, 0.1};
  out.y_marks = {0.1, 0.2, 0.3};
  const Tensor bare = scene_pixels({});
  for (std::size_t i = 0; i < turn.scene.things.size(); ++i) {
    const Tensor pixels = scene_pixels({{turn.scene.things[i]}});
    LabSeries thing{Text(), {}, inks[i], false, false, true};
    thing.pixel = 0.4 / kScenePixels;
    for (int y = 0; y < kScenePixels; ++y)
      for (int x = 0; x < kScenePixels; ++x)
        if (pixels.at(1, y, x) != bare.at(1, y, x))
          thing.points.emplace_back(-0.2 + (x + 0.5) * thing.pixel, 0.4 - (y + 0.5) * thing.pixel);
    out.series.push_back(std::move(thing));
  }
  out.series.push_back(hand_path(Text::of("lab.loop.hand"), turn.move, LabInk::purple, false));
  return out;
}

LabTable token_table(const Turn& turn) {
  LabTable out;
  out.title = Text::of("lab.loop.tokens");
  out.header = {Text(), Text::of("lab.robot.token"), Text::of("lab.robot.value"),
                Text::of("lab.robot.right")};
  const std::vector<int> right = arm_bins(movement(turn.scene));
  for (int action = 0; action < kArmActions; ++action) {
    const auto at = static_cast<std::size_t>(action);
    out.rows.push_back({Text::of(kArmActionKeys[at]), action_spelling(turn.bins[at]),
                        action_value(turn.move, action), action_spelling(right[at])});
  }
  return out;
}

LabTable budget(const Turn& turn, const Timing& time, double hertz, const Text& right) {
  LabTable out;
  out.title = Text::of("lab.loop.budget");
  out.rows = {fact(Text::of("lab.loop.instruction"), {spoken(turn.scene)}),
              fact(Text::of("lab.robot.loop"), {shown_seconds(1 / hertz)}),
              fact(Text::of("lab.loop.took", {kLabLoopRounds}), {shown_timing(time)}),
              fact(Text::of("lab.loop.reached"), {thing_name(turn.reached)}),
              fact(Text::of("lab.loop.hits"), {right})};
  return out;
}

LabPlot distances(const std::vector<Turn>& turns) {
  LabPlot out;
  out.title = Text::of("lab.loop.far");
  out.x_title = Text::of("lab.loop.picture");
  LabSeries far{Text::of("lab.loop.metres"), {}, LabInk::purple, false, true};
  for (std::size_t i = 0; i < turns.size(); ++i)
    far.points.emplace_back(static_cast<double>(i), turns[i].distance);
  out.x = {0, std::max(10.0, static_cast<double>(turns.size()) - 1)};
  out.y = {0, 0.5};
  out.series = {std::move(far)};
  return out;
}

Text notice_of(const Turn& turn, int picture, const Text& right) {
  const PilotScene& scene = turn.scene;
  const Text told = thing_name(scene.named), reached = thing_name(turn.reached);
  if (turn.reached < 0) return Text::of("lab.loop.notice.beside", {picture, told, right});
  if (turn.reached == scene.named) return Text::of("lab.loop.notice.right", {picture, told, right});
  const bool kin = scene.things[static_cast<std::size_t>(turn.reached)].kind == scene.target().kind;
  return Text::of(kin ? "lab.loop.notice.kin" : "lab.loop.notice.other", {picture, told, reached, right});
}

Result<LabPicture> compute_loop(const LabValues& values, const std::atomic<bool>& cancel) {
  const int picture = static_cast<int>(values.whole("picture"));
  const double hertz = values.number("hertz");
  TRY(const std::shared_ptr<const OpenedModel> pilot, shipped_model("pilot"));
  TRY(const std::vector<Turn> turns, turns_until(*pilot, values, picture, cancel));
  const Turn& now = turns.back();
  TRY(const Input prompt, pilot_prompt(*pilot, now.scene));
  Status ran = Done{};
  const Timing time = timed(kLabLoopRounds, [&] {
    if (const auto answer = pilot_answer(*pilot, prompt); !answer) ran = answer.error();
  });
  TRY_OK(ran);
  const auto hits = std::count_if(turns.begin(), turns.end(),
                                  [](const Turn& turn) { return turn.reached == turn.scene.named; });
  const Text right = Text::of("lab.loop.of", {hits, turns.size()});
  LabPicture out;
  out.pieces = {{camera(now, picture), 1.1f, true, 3},
                {token_table(now), 1.35f},
                {budget(now, time, hertz, right), 1.05f},
                in_full({distances(turns), 1, true, 0.7f})};
  out.formula =
      Text::of("lab.loop.formula", {picture, static_cast<int>(hertz), shown(picture / hertz, 3), kPatches,
                                    static_cast<int>(prompt.ids.size()) - kPatches, kArmActions});
  out.notice = notice_of(now, picture, right);
  return out;
}

}  // namespace

Lab lab_loop();
Lab lab_loop() {
  return {"lab.loop",
          21,
          {paced_control("lab.loop.picture", kLast, "hertz"), whole_control("lab.loop.hertz", 1, 50, 10),
           choice_control("lab.loop.verb", {"lab.loop.verb.pick", "lab.loop.verb.push"}),
           choice_control("lab.loop.thing", {"lab.loop.thing.red_cup", "lab.loop.thing.red_ball",
                                             "lab.loop.thing.blue_cup", "lab.loop.thing.yellow_star"}),
           choice_control("lab.loop.language", {"lab.loop.language.english", "lab.loop.language.korean"})},
          compute_loop,
          {"picture", 9},
          {"picture", 9, "verb"}};
}

}  // namespace attnscope
