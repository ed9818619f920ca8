// The Pilot's environment: a table seen from above as 4 x 4 patches of 4 x 4 pixels, up to four things on
// it, an instruction in English or Korean, and the movement of the hand that carries it out.
#pragma once

#include <string>
#include <vector>

#include "core/tensor/tensor.h"
#include "core/train/pilot_path.h"
#include "core/train/random.h"

namespace attnscope {

inline constexpr int kScenePatches = 4;  ///< across and down
inline constexpr int kPatchPixels = 4;   ///< along the side of one patch
inline constexpr int kScenePixels = kScenePatches * kPatchPixels;

enum class ThingKind : std::uint8_t { cup, ball, box, star };
enum class ThingColour : std::uint8_t { red, green, blue, yellow };
enum class ArmVerb : std::uint8_t { pick, push, turn };
inline constexpr int kThingKinds = 4, kThingColours = 4, kArmVerbs = 3;

/// 3 x 3 pixels within one patch.
struct Thing {
  ThingKind kind = ThingKind::cup;
  ThingColour colour = ThingColour::red;
  int patch = 0;            ///< 4 * row + column
  int right = 0, down = 0;  ///< 0 or 1: pixels from the patch's corner
};

/// Things in different patches; no two have both kind and colour in common.
struct PilotScene {
  std::vector<Thing> things;
  int named = 0;  ///< which of them the instruction names
  ArmVerb verb = ArmVerb::pick;
  bool korean = false;
  const Thing& target() const { return things[static_cast<std::size_t>(named)]; }
};

PilotScene random_scene(SplitMix64& random);
/// A number for the scene, the verb and the thing named, whatever the order of things and the language.
std::uint64_t scene_fingerprint(const PilotScene& scene);

/// -> [3, 16, 16], bytes / 127.5 - 1: what (x / 255 - 0.5) / 0.5 makes of the same picture as a PNG.
Tensor scene_pixels(const PilotScene& scene);
/// Four pieces: "pick the red cup", "빨간 컵 ##을 집어".
std::vector<std::string> instruction(const PilotScene& scene);
/// The verb as it is named: "pick".
std::string verb_name(ArmVerb verb);
/// Every word that instructions use, each once.
std::vector<std::string> instruction_words();

/// The movement: to the middle of the thing. pick: the hand points down and grips at half the height, as wide
/// as the thing, rolled by its kind. push: level, closed, 0.025 m above the table, turned the way it goes (to
/// 15 degrees). turn: down to the top of the thing, turned by an angle of its kind.
ArmMove movement(const PilotScene& scene);

}  // namespace attnscope
