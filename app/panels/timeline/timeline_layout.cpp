#include "app/panels/timeline/timeline_layout.h"

#include <algorithm>

namespace attnscope {
namespace {

constexpr float kFoldedShare = 0.45f;  // share of the bar for all folded blocks together

bool foldable(const TimelineStep& step, TimelineBlock open) {
  return step.layer >= 0 && (step.layer != open.layer || step.main.stack != open.stack);
}

// Segments without positions.
std::vector<TimelineSegment> segments_of(const std::vector<TimelineStep>& steps, TimelineBlock open,
                                         bool fold) {
  std::vector<TimelineSegment> segments;
  for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
    const TimelineStep& step = steps[static_cast<std::size_t>(i)];
    const Stack stack = step.main.stack;
    const bool joins = fold && foldable(step, open) && !segments.empty() &&
                       segments.back().layer == step.layer && segments.back().stack == stack;
    if (joins)
      segments.back().last = i;
    else
      segments.push_back({i, i, stack, step.layer, 0, 0});
  }
  return segments;
}

void place(std::vector<TimelineSegment>& segments, float width, float least, float gap) {
  const auto folded = static_cast<float>(std::count_if(
      segments.begin(), segments.end(), [](const TimelineSegment& segment) { return segment.folded(); }));
  const float open = static_cast<float>(segments.size()) - folded;
  const float narrow = folded > 0 ? std::min(least * 1.6f, width * kFoldedShare / folded) : 0.f;
  const float wide = open > 0 ? (width - narrow * folded) / open : 0.f;
  float x = 0;
  for (TimelineSegment& segment : segments) {
    const float w = segment.folded() ? narrow : wide;
    segment.x0 = x;
    segment.x1 = x + std::max(1.f, w - std::min(gap, w * 0.25f));
    x += w;
  }
}

}  // namespace

int TimelineLayout::segment_of(int step) const {
  for (std::size_t i = 0; i < segments.size(); ++i)
    if (step >= segments[i].first && step <= segments[i].last) return static_cast<int>(i);
  return -1;
}

int TimelineLayout::step_at(float x) const {
  if (segments.empty()) return -1;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const TimelineSegment& segment = segments[i];
    const float end = i + 1 < segments.size() ? segments[i + 1].x0 : segment.x1;
    if (x >= end) continue;
    const float share = std::clamp((x - segment.x0) / std::max(1.f, end - segment.x0), 0.f, 0.999f);
    return segment.first + static_cast<int>(share * static_cast<float>(segment.last - segment.first + 1));
  }
  return segments.back().last;
}

TimelineLayout timeline_layout(const std::vector<TimelineStep>& steps, TimelineBlock open, float width,
                               float least, float gap) {
  TimelineLayout layout;
  const bool fold = static_cast<float>(steps.size()) * least > width;
  layout.segments = segments_of(steps, open, fold);
  place(layout.segments, width, least, gap);
  for (const TimelineSegment& segment : layout.segments) {
    const bool same = !layout.groups.empty() && layout.groups.back().layer == segment.layer &&
                      layout.groups.back().stack == segment.stack;
    if (same)
      layout.groups.back().x1 = segment.x1;
    else
      layout.groups.push_back({segment.stack, segment.layer, segment.x0, segment.x1});
  }
  return layout;
}

int breakpoint_between(const std::vector<TimelineStep>& steps, const std::vector<std::string>& breakpoints,
                       int from, int to) {
  if (breakpoints.empty()) return -1;
  for (int i = std::max(0, from + 1); i <= to && i < static_cast<int>(steps.size()); ++i) {
    const std::string site = to_text(steps[static_cast<std::size_t>(i)].main);
    if (std::find(breakpoints.begin(), breakpoints.end(), site) != breakpoints.end()) return i;
  }
  return -1;
}

const TimelineLayout& kept_layout(const RunResult& run, TimelineBlock open, float width, float least,
                                  float gap) {
  struct Key {
    std::uint64_t run = 0;
    std::size_t steps = 0;
    Stack stack{};
    int layer = 0;
    float width = 0, least = 0, gap = 0;
    bool operator==(const Key&) const = default;
  };
  static Key key;
  static TimelineLayout kept;
  const Key now{run.version, run.steps.size(), open.stack, open.layer, width, least, gap};
  if (!(key == now)) kept = timeline_layout(run.steps, open, width, least, gap), key = now;
  return kept;
}

}  // namespace attnscope
