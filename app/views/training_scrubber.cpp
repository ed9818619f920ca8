// The scrubber: a track over the whole run with a tick for every stored checkpoint.
#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/views/training_panes.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

// The checkpoint nearest to a step; -1 if the newest model is nearer.
int nearest_checkpoint(const TrainingSnapshot& snapshot, float step) {
  int best = -1;
  float distance = std::fabs(static_cast<float>(snapshot.now.step) - step);
  for (const auto& kept : snapshot.checkpoints) {
    const float away = std::fabs(static_cast<float>(kept->step) - step);
    if (away < distance) distance = away, best = kept->step;
  }
  return best == snapshot.now.step ? -1 : best;
}

}  // namespace

int next_checkpoint(const TrainingScene& scene, int by) {
  const auto& kept = scene.snapshot->checkpoints;
  if (kept.empty()) return -1;
  const int last = static_cast<int>(kept.size()) - 1;
  int at = last + 1;  // the newest model
  for (int i = 0; i <= last && !scene.newest; ++i)
    if (kept[static_cast<std::size_t>(i)]->step <= scene.shown.step) at = i;
  if (scene.newest && by < 0 && kept.back()->step == scene.snapshot->now.step) at = last;
  at = std::clamp(at + by, 0, last + 1);
  const int step = at > last ? -1 : kept[static_cast<std::size_t>(at)]->step;
  return step == scene.snapshot->now.step ? -1 : step;
}

TrackEvent draw_track(const Track& track, ImVec2 at, float width) {
  const Theme& t = theme();
  const Canvas canvas;
  TrackEvent out;
  const float height = scaled(28), middle = at.y + height / 2;
  const float x0 = at.x + scaled(8), x1 = at.x + width - scaled(8);
  const auto place = [&](float share) { return x0 + (x1 - x0) * share; };
  ImGui::SetCursorScreenPos(at);
  hit_area(track.id, ImVec2(std::max(1.f, width), height));
  note_item(track.id);
  if (ImGui::IsItemActive()) {
    out.dragged = true;
    out.share = std::clamp((ImGui::GetIO().MousePos.x - x0) / std::max(1.f, x1 - x0), 0.f, 1.f);
  }
  out.released = ImGui::IsItemDeactivated();
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && !ImGui::IsItemActive()) ImGui::SetTooltip("%s", track.help);
  canvas.fill_rect(ImVec2(x0, middle - scaled(2)), ImVec2(x1, middle + scaled(2)), t.panel_raised, scaled(2));
  canvas.rect(ImVec2(x0, middle - scaled(2)), ImVec2(x1, middle + scaled(2)), t.border, scaled(2));
  const bool somewhere = track.here >= 0;
  const float here = place(std::max(0.f, track.here));
  if (somewhere)
    canvas.fill_rect(ImVec2(x0, middle - scaled(2)), ImVec2(here, middle + scaled(2)), t.accent, scaled(2));
  for (const float tick : track.ticks) {
    const bool before = somewhere && tick <= track.here + 1e-6f;
    canvas.line(ImVec2(place(tick), middle - scaled(6)), ImVec2(place(tick), middle + scaled(6)),
                before ? t.accent : t.text_dim, scaled(1.2f));
  }
  if (track.pinned >= 0)
    canvas.circle(ImVec2(place(track.pinned), middle), scaled(7), t.warning, 0, scaled(2));
  if (!somewhere) return out;
  canvas.fill_circle(ImVec2(here, middle), scaled(7), t.accent);
  canvas.circle(ImVec2(here, middle), scaled(7), t.ground, 0, scaled(1.5f));
  return out;
}

bool draw_scrubber(const TrainingScene& scene, int& wanted, ImVec2 at, float width) {
  const TrainingSnapshot& snapshot = *scene.snapshot;
  const float end = static_cast<float>(std::max(1, snapshot.now.step));
  Track track{"###train_scrubber", tr("training.scrubber.help"), {}, 0, -1};
  track.here = static_cast<float>(scene.shown.step) / end;
  for (const auto& kept : snapshot.checkpoints) track.ticks.push_back(static_cast<float>(kept->step) / end);
  const TrackEvent event = draw_track(track, at, width);
  if (!event.dragged) return false;
  const int step = nearest_checkpoint(snapshot, event.share * end);
  const bool changed = step != wanted;
  wanted = step;
  return changed;
}

}  // namespace attnscope
