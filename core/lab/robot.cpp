#include "core/lab/robot.h"

#include "core/sample/sampler.h"

namespace attnscope {

std::string spoken(const PilotScene& scene) {
  const std::vector<std::string> words = instruction(scene);
  std::string out;
  for (const std::string& word : words)
    out += word.starts_with("##") ? word.substr(2) : (out.empty() ? "" : " ") + word;
  return out;
}

Result<Input> pilot_prompt(const OpenedModel& pilot, const PilotScene& scene) {
  TRY(Input out, text_input(pilot, spoken(scene)));
  out.ids.insert(out.ids.begin(), kScenePatches * kScenePatches, pilot.model->config().image_token);
  out.pixels = scene_pixels(scene);
  return pilot.model->completed(std::move(out));
}

Result<std::vector<int>> pilot_answer(const OpenedModel& pilot, const Input& prompt) {
  TRY(const Generated made, generate(*pilot.model, prompt, kArmActions, Sampling{0.f, 0, 1.f, 0}));
  std::vector<int> bins;
  for (const int id : made.ids)
    if (const auto bin = action_bin(token_label(pilot, id))) bins.push_back(*bin);
  return bins;
}

Text action_value(const ArmMove& move, int action) {
  const double parts[] = {move.dx, move.dy, move.dz, move.roll, move.pitch, move.yaw, move.gripper};
  const char* unit = action < 3 ? "lab.robot.metres" : action < 6 ? "lab.robot.degrees" : "lab.robot.open";
  return Text::of(unit, {shown(parts[action], action < 6 ? 4 : 2)});
}

LabSeries table_edge() {
  return {Text(), {{-0.2, 0}, {0.2, 0}, {0.2, 0.4}, {-0.2, 0.4}, {-0.2, 0}}, LabInk::dim};
}

LabSeries hand_path(const Text& name, const ArmMove& move, LabInk ink, bool dashed) {
  LabSeries out{name, {}, ink, dashed, !dashed};
  for (const PathPoint& point : arm_path(move))
    out.points.emplace_back((point.x - 0.5) * 0.4, (1 - point.y) * 0.4);
  return out;
}

LabPlot table_plot(const Text& title) {
  LabPlot out;
  out.title = title;
  out.x_title = Text::of("lab.robot.table");
  out.square = true;
  out.x = {-0.22, 0.22};
  out.y = {-0.01, 0.41};
  out.series = {table_edge()};
  return out;
}

}  // namespace attnscope
