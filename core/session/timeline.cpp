#include "core/session/timeline.h"

#include <algorithm>

namespace attnscope {
namespace {

// Q, K, V: the first is shown first; elsewhere the last is what the step is about.
bool first_is_main(StepKind kind) {
  return kind == StepKind::qkv || kind == StepKind::split || kind == StepKind::transpose ||
         kind == StepKind::qk_norm || kind == StepKind::rope || kind == StepKind::mlp_up;
}

// The step of this kind and block that has begun already, or null: Q, K and V are recorded one after another,
// each with its split, and are shown as one step.
TimelineStep* begun(std::vector<TimelineStep>& steps, StepKind kind, const Site& site) {
  const bool across = site.part == Part::cross;
  for (std::size_t i = steps.size(); i-- > 0;) {
    const Site& at = steps[i].main;
    if (at.layer != site.layer || at.stack != site.stack) return nullptr;
    if (steps[i].kind == kind && (at.part == Part::cross) == across) return &steps[i];
  }
  return nullptr;
}

// The nine-step text scales and normalizes in one step, where nothing (a mask) comes between the two.
void join_scaling(std::vector<TimelineStep>& steps) {
  for (std::size_t i = steps.size(); i-- > 1;) {
    TimelineStep& next = steps[i];
    if (steps[i - 1].kind != StepKind::scale || next.kind != StepKind::softmax) continue;
    next.sites.insert(next.sites.begin(), steps[i - 1].sites.begin(), steps[i - 1].sites.end());
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i) - 1);
  }
}

}  // namespace

std::vector<TimelineStep> timeline(const Trace& trace, const std::string& walk) {
  const bool nine = walk == "nine_steps";
  std::vector<TimelineStep> steps;
  for (const Record& record : trace.records()) {
    const StepKind kind = kind_of(record.site.slot);
    if (nine && kind == StepKind::embed) continue;  // that text begins with the projections
    TimelineStep* step = begun(steps, kind, record.site);
    if (!step) step = &steps.emplace_back(TimelineStep{kind, record.site.layer, {}, record.site});
    step->sites.push_back(record.site);
    if (!first_is_main(kind)) step->main = record.site;
  }
  if (nine) join_scaling(steps);
  return steps;
}

int step_index(const std::vector<TimelineStep>& steps, const Site& site) {
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (std::find(steps[i].sites.begin(), steps[i].sites.end(), site) != steps[i].sites.end())
      return static_cast<int>(i);
  return -1;
}

}  // namespace attnscope
