// The Pilot's hand: the path of its predicted action tokens, and during training beside the target path.
// Empty for tasks without actions, and for outputs that are no actions yet.
#pragma once

#include <optional>

#include "core/session/training.h"
#include "core/train/pilot_path.h"

namespace attnscope {

struct ArmWay {
  std::vector<int> bins;  ///< of each action; -1: another token was predicted
  ArmMove move;
  std::vector<PathPoint> path;  ///< empty where a token is no action
};
struct ArmWays {
  ArmWay wanted, said;
  std::vector<std::int64_t> rows;  ///< whose predictions are the actions
};
/// The path of the last seven tokens of a sequence; empty where one of them is no action.
std::vector<PathPoint> arm_way_said(const Tokenizer& tokenizer, const std::vector<int>& ids);
/// How many actions the end of a sequence lacks: seven less those that it ends with, at least 0. Nothing for
/// tokens without actions. A model is trained to generate seven, and nothing behind them.
std::optional<int> arm_actions_left(const Tokenizer& tokenizer, const std::vector<int>& ids);
/// How many actions stand in the rows up to this one.
std::size_t arm_actions_said(const OpenedModel& opened, const std::vector<int>& ids, std::int64_t row);
/// Of the fixed example, read off a run of it; nothing for tasks without seven actions.
std::optional<ArmWays> arm_ways(const TrainingSnapshot& snapshot, const Trace& trace);

}  // namespace attnscope
