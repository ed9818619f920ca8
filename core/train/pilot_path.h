// What the Pilot's seven action tokens mean: each is one of 16 bins of a movement of the hand. The image
// shows 0.4 m x 0.4 m of a table from above; the hand begins over the middle of the near (lower) edge, 0.2 m
// above the table. Error: anything but seven bins of 0 .. 15.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

inline constexpr int kArmActions = 7, kArmBins = 16;
/// The texts of "Δx", "Δy", "Δz", "Δroll", "Δpitch", "Δyaw" and "gripper".
extern const std::array<const char*, kArmActions> kArmActionKeys;

/// One movement of the hand, from its home.
struct ArmMove {
  double dx = 0;       ///< metres to the right, -0.1875 .. 0.1875 in steps of 0.025
  double dy = 0;       ///< metres away from the arm (up in the image), 0.0125 .. 0.3875 in steps of 0.025
  double dz = 0;       ///< metres up, -0.2 (the table) .. -0.0125 in steps of 0.0125
  double roll = 0;     ///< degrees about the way forward, -105 .. 120 in steps of 15
  double pitch = 0;    ///< degrees up, -90 = the hand points down
  double yaw = 0;      ///< degrees to the right, seen from above
  double gripper = 0;  ///< 0 = closed, 1 = open, in steps of 1/15
};

/// What one bin of one of the seven stands for: metres, degrees, of the gripper its openness.
double arm_value(std::size_t action, int bin);
/// Errors: not seven bins, or one outside of 0 .. 15.
Result<ArmMove> arm_move(const std::vector<int>& bins);
/// The seven bins nearest to a movement.
std::vector<int> arm_bins(const ArmMove& move);

/// "<act_7>".
std::string action_spelling(int bin);
/// The bin of an action token; nothing for every other token.
std::optional<int> action_bin(std::string_view spelling);

/// The position of the hand at one moment.
struct PathPoint {
  double x = 0, y = 0;  ///< in the image: 0 .. 1 from its left, from its top
  double height = 0;    ///< metres above the table
  double gripper = 1;   ///< 0 = closed, 1 = open
};
/// The hand's way from its home: a straight line over the table to the place, then down, then the gripper
/// closes. `steps` points of the line and of the descent each, at least 1.
std::vector<PathPoint> arm_path(const ArmMove& move, int steps = 12);

}  // namespace attnscope
