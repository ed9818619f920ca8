// Positions of the steps on the timeline's bar: one segment per step, or one per block where the bar is too
// narrow. Computes only. The cursor's block is never folded.
#pragma once

#include <string>
#include <vector>

#include "core/session/session.h"

namespace attnscope {

struct TimelineSegment {
  int first = 0, last = 0;  ///< steps in this segment
  Stack stack = Stack::single;
  int layer = -1;
  float x0 = 0, x1 = 0;  ///< pixels from the left end of the bar
  bool folded() const { return last > first; }
};

/// A label under several segments: "Block 3".
struct TimelineGroup {
  Stack stack = Stack::single;
  int layer = -1;
  float x0 = 0, x1 = 0;
};

struct TimelineLayout {
  std::vector<TimelineSegment> segments;
  std::vector<TimelineGroup> groups;  ///< consecutive segments of one block

  /// The segment that contains a step, or -1.
  int segment_of(int step) const;
  /// The step at x pixels from the left end; inside a folded block by the share of its width. Clamped; -1
  /// without steps.
  int step_at(float x) const;
};

/// The block that is never folded: the cursor's.
struct TimelineBlock {
  Stack stack = Stack::single;
  int layer = 0;
};
/// `least`: minimum width of a step before other blocks than `open` are folded; `gap`: space between
/// segments; pixels.
TimelineLayout timeline_layout(const std::vector<TimelineStep>& steps, TimelineBlock open, float width,
                               float least, float gap);
/// The same for a run's steps, cached between frames.
const TimelineLayout& kept_layout(const RunResult& run, TimelineBlock open, float width, float least,
                                  float gap);

/// Index of the first breakpoint in steps (from, to], or -1. A breakpoint is the text of its step's main
/// site.
int breakpoint_between(const std::vector<TimelineStep>& steps, const std::vector<std::string>& breakpoints,
                       int from, int to);

}  // namespace attnscope
