// Shared by the labs about the robot: the Pilot's output, the effect of a token, the hand over the table.
#pragma once

#include <string>
#include <vector>

#include "core/lab/pieces.h"
#include "core/train/pilot_scene.h"

namespace attnscope {

/// "pick the red cup", "빨간 컵을 집어".
std::string spoken(const PilotScene& scene);
/// The picture of a scene and its instruction, as the Pilot reads them.
Result<Input> pilot_prompt(const OpenedModel& pilot, const PilotScene& scene);
/// The seven bins that the Pilot generates after `prompt` (greedy). Errors: a run's; a token that
/// is no action.
Result<std::vector<int>> pilot_answer(const OpenedModel& pilot, const Input& prompt);
/// "0.0625 m", "90°", "0.4 open": the effect of token `action` of a movement.
Text action_value(const ArmMove& move, int action);
/// The edge of the table, 0.4 m x 0.4 m, and the way of the hand over it, seen from above in metres: x to the
/// right of the hand's home, y away from it.
LabSeries table_edge();
LabSeries hand_path(const Text& name, const ArmMove& move, LabInk ink, bool dashed);
/// An empty table, seen from above.
LabPlot table_plot(const Text& title);

}  // namespace attnscope
