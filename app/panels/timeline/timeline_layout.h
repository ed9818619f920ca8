// Where the steps of a walk stand on the timeline's bar: one segment per step, or one per block where the bar
// is too narrow for all of them. No drawing. Refuses to hide the block that the cursor is in.
#pragma once

#include <string>
#include <vector>

#include "core/session/session.h"

namespace attnscope {

struct TimelineSegment {
  int first = 0, last = 0;  ///< steps that it stands for
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
  std::vector<TimelineGroup> groups;  ///< runs of segments of one block

  /// The segment that holds a step, or -1.
  int segment_of(int step) const;
  /// The step at a place of the bar; inside a folded block the share of the way through it. Clamped; -1
  /// without steps.
  int step_at(float x) const;
};

/// The block that is never folded.
struct TimelineBlock {
  Stack stack = Stack::single;
  int layer = 0;
};
/// `least` is the narrowest that a step may be before the blocks other than `open` are folded, `gap` the
/// ground between segments; all in pixels.
TimelineLayout timeline_layout(const std::vector<TimelineStep>& steps, TimelineBlock open, float width,
                               float least, float gap);
/// The same of a run's steps, kept from frame to frame.
const TimelineLayout& kept_layout(const RunResult& run, TimelineBlock open, float width, float least,
                                  float gap);

/// The place of the first breakpoint after step `from` up to and including `to`, or -1. A breakpoint is the
/// text of the main site of its step.
int breakpoint_between(const std::vector<TimelineStep>& steps, const std::vector<std::string>& breakpoints,
                       int from, int to);

}  // namespace attnscope
