#include "app/shell/easy_lab.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "app/look/item_map.h"
#include "app/state/controls.h"
#include "app/views/labs_controls.h"
#include "app/widgets/pieces.h"

namespace attnscope {
namespace {

// A picture of them takes some milliseconds.
constexpr std::array<const char*, 6> kEasyLabs{"sqrt", "order", "norms", "memory", "tying", "sharing"};
constexpr float kLabSlider = 330.f;  // units

// The number that the lab moves by itself, else its first control.
const LabControl& main_control(const Lab& lab) {
  const LabControl* moves = find_control(lab, lab.moves.id);
  return moves ? *moves : lab.controls.front();
}

}  // namespace

const Lab& EasyLab::of_the_day() {
  using Days = std::chrono::days;
  const auto today = std::chrono::floor<Days>(std::chrono::system_clock::now()).time_since_epoch().count();
  const auto found = find_lab(kEasyLabs[static_cast<std::size_t>(today) % kEasyLabs.size()]);
  return found ? **found : labs().front();
}

const Lab* EasyLab::shown(const Workspace& workspace) {
  if (workspace.lab.empty()) return &of_the_day();
  const bool quick = std::find(kEasyLabs.begin(), kEasyLabs.end(), workspace.lab) != kEasyLabs.end();
  const auto found = quick ? find_lab(workspace.lab) : Result<const Lab*>(nullptr);
  return found ? *found : nullptr;
}

LabValues& EasyLab::values(Workspace& workspace, const Lab& lab) {
  const auto found = workspace.lab_values.find(lab.id());
  return found != workspace.lab_values.end() ? found->second
                                             : workspace.lab_values[lab.id()] = initial_values(lab);
}

float EasyLab::draw(Workspace& workspace, float right, float y) {
  const Lab* lab = shown(workspace);
  if (!lab) return right;
  const LabControl& control = main_control(*lab);
  if (one_.key != lab->key) one_ = {lab->key, lab->order, {control}, nullptr, {}};
  const float left = right - px(kLabSlider);
  ImGui::SetCursorScreenPos(ImVec2(left, y - px(6)));
  (void)draw_lab_controls(one_, values(workspace, *lab), px(kLabSlider));
  return left - px(12);
}

}  // namespace attnscope
