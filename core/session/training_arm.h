// The Pilot's hand while it trains: the way that its action tokens say, beside the way they should say.
// Refuses tasks without actions, and answers that are no actions yet.
#pragma once

#include <optional>

#include "core/session/training.h"
#include "core/train/pilot_path.h"

namespace attnscope {

struct ArmWay {
  std::vector<int> bins;  ///< of each action; -1: another token was said
  ArmMove move;
  std::vector<PathPoint> path;  ///< empty where a token is no action
};
struct ArmWays {
  ArmWay wanted, said;
  std::vector<std::int64_t> rows;  ///< that say the actions
};
/// Of the example that is watched, read off a run of it; nothing for tasks without seven actions.
std::optional<ArmWays> arm_ways(const TrainingSnapshot& snapshot, const Trace& trace);

}  // namespace attnscope
