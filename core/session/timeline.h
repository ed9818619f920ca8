// The timeline: the steps of a run in the order of playback. Records that belong together (Q, K and V; scale
// and norm) are one step; the nine-step text's own grouping and numbers are kept for its scene.
#pragma once

#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

struct TimelineStep {
  StepKind kind = StepKind::embed;
  int layer = -1;
  std::vector<Site> sites;  ///< in order of execution
  Site main;                ///< what the stage shows first; its stack and part are the step's
};

/// `walk` as in Scene::walk.
std::vector<TimelineStep> timeline(const Trace& trace, const std::string& walk);
/// Index of the step that holds the site, or -1.
int step_index(const std::vector<TimelineStep>& steps, const Site& site);

}  // namespace attnscope
