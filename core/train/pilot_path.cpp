#include "core/train/pilot_path.h"

#include <algorithm>
#include <cmath>

#include "core/base/read_all.h"
#include "core/base/text.h"

namespace attnscope {

const std::array<const char*, kArmActions> kArmActionKeys{
    "lab.robot.action.dx",    "lab.robot.action.dy",  "lab.robot.action.dz",     "lab.robot.action.roll",
    "lab.robot.action.pitch", "lab.robot.action.yaw", "lab.robot.action.gripper"};

namespace {

constexpr double kPathSide = 0.4;    // metres that the image shows across
constexpr double kHomeHeight = 0.2;  // metres

// Bin b stands for first + b * step.
struct Scale {
  double ArmMove::*of;
  double first, step;
};
constexpr std::array<Scale, kArmActions> kPathScales{{{&ArmMove::dx, -0.1875, 0.025},
                                                      {&ArmMove::dy, 0.0125, 0.025},
                                                      {&ArmMove::dz, -0.2, 0.0125},
                                                      {&ArmMove::roll, -105, 15},
                                                      {&ArmMove::pitch, -105, 15},
                                                      {&ArmMove::yaw, -105, 15},
                                                      {&ArmMove::gripper, 0, 1.0 / (kArmBins - 1)}}};

constexpr std::string_view kOpening = "<act_";

}  // namespace

double arm_value(std::size_t action, int bin) {
  return kPathScales[action].first + bin * kPathScales[action].step;
}

Result<ArmMove> arm_move(const std::vector<int>& bins) {
  if (bins.size() != kArmActions) {
    return fail(Code::bad_shape, "error.train.arm_actions", {kArmActions, bins.size()});
  }
  ArmMove out;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    if (bins[i] < 0 || bins[i] >= kArmBins) {
      return fail(Code::out_of_range, "error.train.arm_bin", {Text::of(kArmActionKeys[i]), bins[i]});
    }
    out.*kPathScales[i].of = arm_value(i, bins[i]);
  }
  return out;
}

std::vector<int> arm_bins(const ArmMove& move) {
  std::vector<int> out;
  for (const Scale& scale : kPathScales) {
    const double bin = std::round((move.*scale.of - scale.first) / scale.step);
    out.push_back(static_cast<int>(std::clamp(bin, 0.0, kArmBins - 1.0)));
  }
  return out;
}

std::string action_spelling(int bin) { return std::string(kOpening) + std::to_string(bin) + ">"; }

std::optional<int> action_bin(std::string_view spelling) {
  if (!starts_with(spelling, kOpening) || !ends_with(spelling, ">")) return std::nullopt;
  int bin = -1;
  const bool read = read_all(spelling.substr(kOpening.size(), spelling.size() - kOpening.size() - 1), bin);
  return read && bin >= 0 && bin < kArmBins ? std::optional(bin) : std::nullopt;
}

std::vector<PathPoint> arm_path(const ArmMove& move, int steps) {
  steps = std::max(1, steps);
  const PathPoint home{0.5, 1.0, kHomeHeight, 1.0};
  std::vector<PathPoint> out{home};
  for (int step = 1; step <= steps; ++step) {
    const double part = static_cast<double>(step) / steps;
    out.push_back(
        {home.x + part * move.dx / kPathSide, home.y - part * move.dy / kPathSide, home.height, 1.0});
  }
  PathPoint at = out.back();
  for (int step = 1; step <= steps; ++step) {
    at.height = kHomeHeight + move.dz * step / steps;
    out.push_back(at);
  }
  at.gripper = move.gripper;
  out.push_back(at);
  return out;
}

}  // namespace attnscope
