// The steps beside the current one, as chips below the figure.
#include "app/look/fonts.h"
#include "app/look/kept_text.h"
#include "app/look/theme.h"
#include "app/views/steps_header.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

/// A previous or next step.
struct StepChip {
  std::string label;
  Site site;
  ImU32 colour = 0;
};
struct Neighbours {
  std::vector<StepChip> before, after;
};

std::vector<StepChip> chips_of(const RunResult& run, int index) {
  std::vector<StepChip> out;
  const TimelineStep& s = run.steps[static_cast<std::size_t>(index)];
  const bool each = s.kind == StepKind::qkv;
  for (const Site& site : each ? s.sites : std::vector<Site>{s.main}) {
    const std::string label = each ? site_member(site) : kind_label(run, s);
    out.push_back({label + "###steps_go_" + to_text(site), site, hue_colour(step_of(site.slot).hue)});
  }
  return out;
}

// As many as fit, the nearest first.
Neighbours neighbours_of(const RunResult& run, int step, float room) {
  Neighbours out;
  const auto take = [&](int index, std::vector<StepChip>& into, bool front) {
    const std::vector<StepChip> chips = chips_of(run, index);
    float wide = 0;
    for (const StepChip& chip : chips) wide += site_chip_width(chip.label) + 8 * ui_scale();
    if (wide > room) return;
    room -= wide;
    into.insert(front ? into.begin() : into.end(), chips.begin(), chips.end());
  };
  for (int away = 1; away <= 3; ++away) {
    if (step - away >= 0) take(step - away, out.before, true);
    if (step + away < static_cast<int>(run.steps.size())) take(step + away, out.after, false);
  }
  return out;
}

}  // namespace

void draw_neighbours(const ViewContext& context, int step, float width) {
  const float unit = ui_scale(),
              captions = site_chip_width(tr("steps.before")) + site_chip_width(tr("steps.next"));
  const float room = width - captions - 40 * unit;
  static Neighbours kept;
  static std::uint64_t kept_key = 0;
  const std::uint64_t key =
      text_key({context.run.version, static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(room),
                static_cast<std::uint64_t>(theme_version())});
  if (key != kept_key || fonts_pending()) kept = neighbours_of(context.run, step, room);
  kept_key = key;
  bool any = false;
  const auto draw = [&](const char* caption, const std::vector<StepChip>& chips) {
    if (chips.empty()) return;
    if (any) ImGui::SameLine(0, 26 * unit);
    any = true;
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(to_vec4(theme().text_dim), "%s", caption);
    for (const StepChip& chip : chips) {
      ImGui::SameLine(0, 8 * unit);
      if (step_chip(chip.label, false, with_alpha(chip.colour, 0.8f)))
        go_to_site(context.workspace, context.run, chip.site);
    }
  };
  draw(tr("steps.before"), kept.before);
  draw(tr("steps.next"), kept.after);
}

}  // namespace attnscope
