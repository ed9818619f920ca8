#include "core/train/pilot_scene.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace attnscope {
namespace {

template <class Kind>
constexpr std::size_t index(Kind kind) {
  return static_cast<std::size_t>(kind);
}

// The grip and the drawing of a kind of thing.
struct KindRow {
  const char *english, *korean, *particle;
  const char* glyph;         // three rows of three pixels
  double height;             // metres
  double width;              // of the gripper around it
  double grip_roll, turned;  // degrees
};
constexpr std::array<KindRow, kThingKinds> kPilotSceneKinds{{
    {"cup", "컵", "##을", "#.##.####", 0.1, 6.0 / 15, 90, -90},
    {"ball", "공", "##을", ".#.###.#.", 0.05, 5.0 / 15, 0, 45},
    {"box", "상자", "##를", "#########", 0.075, 9.0 / 15, 0, 90},
    {"star", "별", "##을", "#.#.#.#.#", 0.025, 3.0 / 15, 45, -45},
}};

struct ColourRow {
  const char *english, *korean;
  std::array<int, 3> bytes;
};
constexpr std::array<ColourRow, kThingColours> kSceneColours{{
    {"red", "빨간", {214, 40, 40}},
    {"green", "초록", {46, 160, 67}},
    {"blue", "파란", {45, 95, 215}},
    {"yellow", "노란", {240, 195, 30}},
}};
constexpr std::array<int, 3> kTable{236, 232, 224};

struct VerbRow {
  const char *english, *korean;
};
constexpr std::array<VerbRow, kArmVerbs> kVerbs{{{"pick", "집어"}, {"push", "밀어"}, {"turn", "돌려"}}};

// How the things of a scene are chosen. At random, the kind alone nearly always identifies the one that is
// meant, and a model learns the kinds and half of the colours: so of four scenes one has things of one kind,
// one things of one colour, and one two of the kind and two of the colour that are named.
enum class Rivals : std::uint8_t { chance, kinds, colours, both };
constexpr int kRivalries = 4, kPilotMostThings = 4;

constexpr double kPixel = 0.025;  // metres of table
constexpr double kHome = 0.2;     // metres above the table

// The middle of a thing, in pixels from the left and from the top.
std::pair<double, double> middle(const Thing& thing) {
  const int column = thing.patch % kScenePatches, row = thing.patch / kScenePatches;
  return {column * kPatchPixels + thing.right + 1.5, row * kPatchPixels + thing.down + 1.5};
}

bool looks_like(const Thing& a, const Thing& b) { return a.kind == b.kind && a.colour == b.colour; }

}  // namespace

PilotScene random_scene(SplitMix64& random) {
  PilotScene out;
  std::vector<int> patches(kScenePatches * kScenePatches);
  for (std::size_t i = 0; i < patches.size(); ++i) patches[i] = static_cast<int>(i);
  random.shuffle(patches);
  const auto rivals = static_cast<Rivals>(random.below(kRivalries));
  const auto count = static_cast<std::size_t>(rivals == Rivals::both ? kPilotMostThings
                                                                     : 1 + random.below(kPilotMostThings));
  while (out.things.size() < count) {
    Thing thing;
    thing.kind = static_cast<ThingKind>(random.below(kThingKinds));
    thing.colour = static_cast<ThingColour>(random.below(kThingColours));
    const std::size_t next = out.things.size();
    if (next > 0 && (rivals == Rivals::kinds || (rivals == Rivals::both && next == 1)))
      thing.kind = out.things.front().kind;
    if (next > 0 && (rivals == Rivals::colours || (rivals == Rivals::both && next == 2)))
      thing.colour = out.things.front().colour;
    thing.patch = patches[out.things.size()];
    thing.right = random.below(2);
    thing.down = random.below(2);
    if (std::none_of(out.things.begin(), out.things.end(),
                     [&](const Thing& other) { return looks_like(thing, other); }))
      out.things.push_back(thing);
  }
  out.named = rivals == Rivals::both ? 0 : random.below(static_cast<int>(count));
  out.verb = static_cast<ArmVerb>(random.below(kArmVerbs));
  out.korean = random.chance(0.5);
  return out;
}

std::uint64_t scene_fingerprint(const PilotScene& scene) {
  const auto number = [](const Thing& thing) {
    return static_cast<int>((((index(thing.kind) * kThingColours + index(thing.colour)) * 16 +
                              static_cast<std::size_t>(thing.patch)) *
                                 2 +
                             static_cast<std::size_t>(thing.right)) *
                                2 +
                            static_cast<std::size_t>(thing.down));
  };
  std::vector<int> content;
  for (const Thing& thing : scene.things) content.push_back(number(thing));
  std::sort(content.begin(), content.end());
  content.push_back(number(scene.target()));
  content.push_back(static_cast<int>(scene.verb));
  return fingerprint(content);
}

Tensor scene_pixels(const PilotScene& scene) {
  Buffer out({{Axis::none, 3}, {Axis::none, kScenePixels}, {Axis::none, kScenePixels}});
  const auto paint = [&](int x, int y, const std::array<int, 3>& bytes) {
    for (int channel = 0; channel < 3; ++channel)
      out.data()[(channel * kScenePixels + y) * kScenePixels + x] =
          static_cast<float>(bytes[index(channel)]) / 127.5f - 1.f;
  };
  for (int y = 0; y < kScenePixels; ++y)
    for (int x = 0; x < kScenePixels; ++x) paint(x, y, kTable);
  for (const Thing& thing : scene.things) {
    const int left = thing.patch % kScenePatches * kPatchPixels + thing.right;
    const int top = thing.patch / kScenePatches * kPatchPixels + thing.down;
    for (int dot = 0; dot < 9; ++dot)
      if (kPilotSceneKinds[index(thing.kind)].glyph[dot] == '#')
        paint(left + dot % 3, top + dot / 3, kSceneColours[index(thing.colour)].bytes);
  }
  return std::move(out).freeze();
}

std::vector<std::string> instruction(const PilotScene& scene) {
  const KindRow& kind = kPilotSceneKinds[index(scene.target().kind)];
  const ColourRow& colour = kSceneColours[index(scene.target().colour)];
  const VerbRow& verb = kVerbs[index(scene.verb)];
  if (scene.korean) return {colour.korean, kind.korean, kind.particle, verb.korean};
  return {verb.english, "the", colour.english, kind.english};
}

std::string verb_name(ArmVerb verb) { return kVerbs[index(verb)].english; }

std::vector<std::string> instruction_words() {
  std::vector<std::string> out{"the", "##을", "##를"};
  for (const VerbRow& row : kVerbs) out.insert(out.end(), {row.english, row.korean});
  for (const ColourRow& row : kSceneColours) out.insert(out.end(), {row.english, row.korean});
  for (const KindRow& row : kPilotSceneKinds) out.insert(out.end(), {row.english, row.korean});
  return out;
}

ArmMove movement(const PilotScene& scene) {
  const KindRow& kind = kPilotSceneKinds[index(scene.target().kind)];
  const auto [x, y] = middle(scene.target());
  ArmMove out;
  out.dx = (x - kScenePixels / 2.0) * kPixel;
  out.dy = (kScenePixels - y) * kPixel;
  out.gripper = kind.width;
  out.pitch = -90;
  if (scene.verb == ArmVerb::pick) {
    out.dz = kind.height / 2 - kHome;
    out.roll = kind.grip_roll;
  } else if (scene.verb == ArmVerb::turn) {
    out.dz = kind.height - kHome;
    out.yaw = kind.turned;
  } else {
    constexpr double kDegrees = 57.29577951308232;
    out.dz = 0.025 - kHome;
    out.pitch = 0;
    out.yaw = 15 * std::round(std::atan2(out.dx, out.dy) * kDegrees / 15);
    out.gripper = 0;
  }
  return out;
}

}  // namespace attnscope
