// What the labs about the robot share: the Pilot's answer, what a token moves, the hand over the table.
#pragma once

#include <string>
#include <vector>

#include "core/lab/pieces.h"
#include "core/train/pilot_scene.h"

namespace attnscope {

/// "pick the red cup", "빨간 컵을 집어".
std::string spoken(const PilotScene& scene);
/// The picture of a scene and what is said about it, as the Pilot reads them.
Result<Input> pilot_prompt(const OpenedModel& pilot, const PilotScene& scene);
/// The seven bins that the Pilot says after `prompt`, the likeliest one by one. Errors: a run's; a token that
/// moves nothing.
Result<std::vector<int>> pilot_answer(const OpenedModel& pilot, const Input& prompt);
/// "0.0625 m", "90°", "0.4 open": what token `action` of a movement does.
Text action_value(const ArmMove& move, int action);
/// The edge of the table, 0.4 m x 0.4 m, and the way of the hand over it, seen from above in metres: x to the
/// right of the hand's home, y away from it.
LabSeries table_edge();
LabSeries hand_path(const Text& name, const ArmMove& move, LabInk ink, bool dashed);
/// An empty table, seen from above.
LabPlot table_plot(const Text& title);

}  // namespace attnscope
