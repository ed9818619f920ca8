// The Pilot's hand: the way that its action tokens say, and while it trains, beside the way they should say.
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
/// The way that the last seven tokens of a sequence say; empty where one of them is no action.
std::vector<PathPoint> arm_way_said(const Tokenizer& tokenizer, const std::vector<int>& ids);
/// How many actions the end of a sequence lacks: seven less those that it ends with, at least 0. Nothing for
/// tokens without actions. A model was trained to say seven, and nothing behind them.
std::optional<int> arm_actions_left(const Tokenizer& tokenizer, const std::vector<int>& ids);
/// Of the example that is watched, read off a run of it; nothing for tasks without seven actions.
std::optional<ArmWays> arm_ways(const TrainingSnapshot& snapshot, const Trace& trace);

}  // namespace attnscope
