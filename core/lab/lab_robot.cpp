// The meaning of the robot's tokens: an image cut into patches, an instruction, seven action tokens, and each
// token in metres and degrees. The answer is the Pilot's own.
#include <cmath>

#include "core/lab/robot.h"

namespace attnscope {
namespace {

constexpr int kPrompt = 20;  // patches and words of the Pilot's first input
constexpr int kSides[] = {224, 336, 448}, kPatchSizes[] = {14, 16, 32};

/// The Pilot's seven bins for its first input.
Result<std::vector<int>> answer_of(const OpenedModel& pilot) {
  CHECK(pilot.card && !pilot.card->inputs.empty());
  Input prompt = pilot.card->inputs.front();
  prompt.ids.resize(kPrompt);
  prompt.attention_mask.clear();
  return pilot_answer(pilot, prompt);
}

// The target tokens of these rows.
std::vector<Text> right_tokens(const OpenedModel& pilot) {
  const std::vector<int>& ids = pilot.card->inputs.front().ids;
  return words_of(pilot, {ids.begin() + kPrompt, ids.end()});
}

LabTable action_table(const std::vector<int>& bins, const std::vector<Text>& right, const ArmMove& move,
                      int chosen) {
  LabTable out;
  out.title = Text::of("lab.robot.actions");
  out.header = {Text(), Text::of("lab.robot.token"), Text::of("lab.robot.value"),
                Text::of("lab.robot.right")};
  for (int action = 0; action < kArmActions; ++action)
    out.rows.push_back({Text::of(kArmActionKeys[static_cast<std::size_t>(action)]),
                        action_spelling(bins[static_cast<std::size_t>(action)]), action_value(move, action),
                        right[static_cast<std::size_t>(action)]});
  out.lit = chosen;
  return out;
}

LabPlot path_plot(const ArmMove& own, const ArmMove& move) {
  LabPlot out = table_plot(Text::of("lab.robot.path"));
  out.series.push_back(hand_path(Text::of("lab.robot.own"), own, LabInk::dim, true));
  out.series.push_back(hand_path(Text::of("lab.robot.changed"), move, LabInk::amber, false));
  return out;
}

LabTable patch_table(int side, int patch, int hertz) {
  const int across = side / patch, count = across * across;
  LabTable out;
  out.title = Text::of("lab.robot.prompt");
  out.rows = {fact(Text::of("lab.robot.patches"), {Text::of("lab.robot.squared", {across, count})}),
              fact(Text::of("lab.robot.numbers"), {shown(3.0 * patch * patch)}),
              fact(Text::of("lab.robot.rows"),
                   {Text::of("lab.robot.sum", {count, 8, kArmActions, count + 8 + kArmActions})}),
              fact(Text::of("lab.robot.loop"), {shown_seconds(1.0 / hertz)}),
              fact(Text::of("lab.robot.each"), {shown_seconds(1.0 / hertz / kArmActions)})};
  return out;
}

/// One token of the Pilot's answer exchanged for another.
struct RobotExchange {
  int action;
  const std::vector<int>&said, &now;
  const std::vector<Text>& right;
  const ArmMove &own, &move;

  bool is_right(std::size_t at) const { return right[at].str() == action_spelling(now[at]); }
  int others_right() const {
    int count = 0;
    for (std::size_t i = 0; i < now.size(); ++i) count += static_cast<int>(i) != action && is_right(i);
    return count;
  }
  const char* notice() const {
    if (now == said) return "lab.robot.notice.own";
    if (is_right(static_cast<std::size_t>(action))) return "lab.robot.notice.corrected";
    if (move.dx != own.dx || move.dy != own.dy) return "lab.robot.notice.moved";
    if (move.dz != own.dz) return "lab.robot.notice.height";
    return move.gripper != own.gripper ? "lab.robot.notice.grip" : "lab.robot.notice.turned";
  }
};

Result<LabPicture> compute_robot(const LabValues& values, const std::atomic<bool>&) {
  const int side = kSides[values.choice("side")], patch = kPatchSizes[values.choice("patch")];
  const int action = values.choice("action"), bin = static_cast<int>(values.whole("bin")),
            hertz = static_cast<int>(values.whole("hertz"));
  TRY(const std::shared_ptr<const OpenedModel> pilot, shipped_model("pilot"));
  TRY(const std::vector<int> said, answer_of(*pilot));
  TRY(const ArmMove own, arm_move(said));
  std::vector<int> bins = said;
  bins[static_cast<std::size_t>(action)] = bin;
  TRY(const ArmMove move, arm_move(bins));
  const std::vector<Text> right = right_tokens(*pilot);
  LabPicture out;
  out.pieces = {{path_plot(own, move), 1, true, 1},
                {action_table(bins, right, move, action), 1.3f},
                in_full({patch_table(side, patch, hertz), 1})};
  const int across = side / patch;
  const Text value = action_value(move, action), was = action_value(own, action);
  const int cut = side - across * patch;  // pixels that fill no patch
  out.formula = Text::of(cut > 0 ? "lab.robot.formula.cut" : "lab.robot.formula",
                         {side, patch, across * across, bin,
                          Text::of(kArmActionKeys[static_cast<std::size_t>(action)]), value, cut});
  const RobotExchange exchange{action, said, bins, right, own, move};
  out.notice = Text::of(
      exchange.notice(),
      {Text::of(kArmActionKeys[static_cast<std::size_t>(action)]), action_spelling(bin), value,
       action_spelling(said[static_cast<std::size_t>(action)]), was, across * across,
       shown(std::hypot(move.dx - own.dx, move.dy - own.dy), 3), exchange.others_right(), kArmActions - 1});
  return out;
}

}  // namespace

Lab lab_robot();
Lab lab_robot() {
  return {
      "lab.robot",
      14,
      {choice_control("lab.robot.action", {kArmActionKeys.begin(), kArmActionKeys.end()}),
       whole_control("lab.robot.bin", 0, kArmBins - 1, 3),
       choice_control("lab.robot.side", {"lab.robot.side.224", "lab.robot.side.336", "lab.robot.side.448"}),
       choice_control("lab.robot.patch", {"lab.robot.patch.14", "lab.robot.patch.16", "lab.robot.patch.32"},
                      1),
       whole_control("lab.robot.hertz", 1, 50, 10)},
      compute_robot,
      {"bin", 15},
      {"bin", 15, "action"}};
}

}  // namespace attnscope
