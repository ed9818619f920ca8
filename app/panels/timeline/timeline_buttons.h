// What stands around the bar of the timeline: its buttons, the speed, the title, forward or backward.
#pragma once

#include <string>

#include "app/state/panel.h"

namespace attnscope {

constexpr float kBarTop = 32.f, kBarHeight = 18.f;  // units: the bar, below the timeline's upper edge
constexpr float kBarRight = 22.f;

/// Step back, play or pause, step on.
void timeline_buttons(const PanelContext& context, ImVec2 origin);
/// The speed: a drag changes it continuously, a click doubles it and wraps around.
void timeline_speed(Workspace& workspace, ImVec2 origin);
/// Where the current step stands: "block 1, attention · softmax, 12 of 40".
std::string timeline_title(const PanelContext& context, int current);
/// Two chips at the right end of the title's line; returns their width, pixels.
float timeline_direction(Workspace& workspace, ImVec2 origin, float room);

}  // namespace attnscope
