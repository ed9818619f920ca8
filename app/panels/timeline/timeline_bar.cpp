// The timeline at the bottom: current step, play buttons and speed, the bar of steps in their colours,
// breakpoints. The frame moves the cursor while playing; breakpoints and stop conditions stop it here. Button
// icons are drawn as shapes: no font has them.
#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/panels/timeline/timeline_buttons.h"
#include "app/panels/timeline/timeline_layout.h"
#include "app/state/controls.h"
#include "app/state/panel.h"
#include "app/views/steps_words.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/navigation.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/watch.h"

namespace attnscope {
namespace {

constexpr float kBarLeft = 202.f, kGutter = 12.f;
constexpr float kSlim = 44.f, kTitle = 24.f;  // minimum height with a title; height of the title
constexpr float kLeastStep = 15.f, kStepGap = 2.f, kTaller = 5.f;

// ---- the bar ------------------------------------------------------------------------------------
struct Bar {
  const PanelContext& context;
  const TimelineLayout& layout;
  int current = -1;
  ImVec2 p0;  // upper left corner of the bar
  float width = 0;
  ImDrawList* list;

  const std::vector<TimelineStep>& steps() const { return context.run->steps; }
  const TimelineStep& step(int index) const { return steps()[static_cast<std::size_t>(index)]; }
};

ImU32 segment_colour(const Bar& bar, const TimelineSegment& segment) {
  const Theme& t = theme();
  if (segment.folded()) return mix(t.ground, t.residual, t.kind == ThemeKind::dark ? 0.25f : 0.35f);
  const Hue hue = step_of(bar.step(segment.first).main.slot).hue;
  return mix(t.ground, hue_colour(hue), hue == Hue::norm ? 0.55f : 0.68f);
}

bool is_edited(const Bar& bar, const TimelineSegment& segment) {
  const Edits& edits = bar.context.run->document.edits;
  return std::any_of(edits.begin(), edits.end(), [&](const auto& edit) {
    const NumberEdit* number = edit->enabled ? edit->number() : nullptr;
    if (!number || number->where.kind != Target::Kind::step) return false;
    for (int i = segment.first; i <= segment.last; ++i) {
      const auto& sites = bar.step(i).sites;
      if (std::find(sites.begin(), sites.end(), number->where.site) != sites.end()) return true;
    }
    return false;
  });
}

void draw_segments(const Bar& bar) {
  const int lit = bar.layout.segment_of(bar.current);
  for (int i = 0; i < static_cast<int>(bar.layout.segments.size()); ++i) {
    const TimelineSegment& segment = bar.layout.segments[static_cast<std::size_t>(i)];
    const bool current = i == lit;
    const float grow = current ? px(kTaller) : 0.f;
    const ImVec2 p0(std::floor(bar.p0.x + segment.x0), bar.p0.y - grow);
    const ImVec2 p1(std::max(p0.x + 1, std::floor(bar.p0.x + segment.x1)), bar.p0.y + px(kBarHeight) + grow);
    const float rounding = std::min(px(3), (p1.x - p0.x) / 2);
    bar.list->AddRectFilled(p0, p1, current ? theme().accent : segment_colour(bar, segment), rounding);
    if (const float motion = bar.context.workspace.motion; current && motion < 1)  // what is still to come
      bar.list->AddRectFilled(ImVec2(p0.x + (p1.x - p0.x) * motion, p0.y), p1,
                              with_alpha(theme().ground, 0.5f), rounding);
    if (is_edited(bar, segment)) draw_edit_sign(Canvas(bar.list), ImVec2(p1.x, p0.y));
  }
}

bool place_label(const Bar& bar, std::string_view text, float centre, float room, ImU32 colour, float& left,
                 float& right) {
  const float text_width = ImGui::CalcTextSize(begin_of(text), end_of(text)).x;
  if (text_width > room) return false;
  left = std::clamp(centre - text_width / 2, bar.p0.x, std::max(bar.p0.x, bar.p0.x + bar.width - text_width));
  right = left + text_width;
  bar.list->AddText(ImVec2(std::floor(left), std::floor(bar.p0.y + px(kBarHeight + 9))), colour,
                    begin_of(text), end_of(text));
  return true;
}

// The longest form of a block's name that fits.
const std::string& group_label(const Bar& bar, const TimelineGroup& group) {
  static KeptTexts kept;
  const float room = group.x1 - group.x0;
  const auto longest = [&]() -> std::string {
    const std::string number = std::to_string(group.layer);
    const ModelConfig& config = bar.context.run->trace(0).config();
    for (const std::string& text :
         {block_name(config, group.stack, group.layer, true), tr("timeline.group", {number})})
      if (ImGui::CalcTextSize(text.c_str()).x <= room) return text;
    return number;
  };
  return kept.get(text_key({bar.context.run->version, static_cast<std::uint64_t>(group.stack),
                            static_cast<std::uint64_t>(group.layer), static_cast<std::uint64_t>(room)}),
                  longest);
}

/// Labels of all steps if they fit; else names of blocks, around the label of the current step.
void draw_labels(const Bar& bar) {
  const int lit = bar.layout.segment_of(bar.current);
  float left = 0, right = 0;
  {
    const WithFont bold(fonts().body_bold);
    const TimelineSegment& segment = bar.layout.segments[static_cast<std::size_t>(std::max(0, lit))];
    place_label(bar, kind_label(*bar.context.run, bar.step(bar.current)),
                bar.p0.x + (segment.x0 + segment.x1) / 2, bar.width, theme().text, left, right);
  }
  const float taken0 = left - px(10), taken1 = right + px(10);
  const WithFont small(fonts().small);
  const auto fits = [&](const TimelineSegment& segment) {
    return !segment.folded() &&
           ImGui::CalcTextSize(kind_label(*bar.context.run, bar.step(segment.first))).x <=
               segment.x1 - segment.x0 + px(2);
  };
  const auto& segments = bar.layout.segments;
  if (std::all_of(segments.begin(), segments.end(), fits)) {
    for (const TimelineSegment& segment : segments)
      if (segment.first != bar.current)
        place_label(bar, kind_label(*bar.context.run, bar.step(segment.first)),
                    bar.p0.x + (segment.x0 + segment.x1) / 2, bar.width, theme().text_dim, left, right);
    return;
  }
  float free_from = bar.p0.x;
  for (const TimelineGroup& group : bar.layout.groups) {
    if (group.layer < 0) continue;
    const std::string& text = group_label(bar, group);
    const float half = ImGui::CalcTextSize(text.c_str()).x / 2;
    float centre = bar.p0.x + (group.x0 + group.x1) / 2;
    const bool meets = centre + half > taken0 && centre - half < taken1;
    if (meets)
      centre = bar.p0.x + group.x0 + half;  // left-aligned in its group, beside the current step's label
    if (centre + half > taken0 && centre - half < taken1) continue;
    if (centre - half < free_from) continue;
    if (place_label(bar, text, centre, bar.width, theme().text_dim, left, right)) free_from = right + px(6);
  }
}

// Colour of a stack's blocks, if there are several stacks.
ImU32 stack_colour(const Bar& bar, Stack stack) {
  if (!has_stacks(bar.context.run->trace(0).config())) return theme().border;
  const ImU32 colour = stack == Stack::enc      ? theme().k
                       : stack == Stack::vision ? theme().residual
                                                : theme().q;
  return with_alpha(colour, 0.8f);
}

/// A line under each block, to show blocks when steps are narrow.
void draw_groups(const Bar& bar) {
  int blocks = 0;
  for (const TimelineGroup& group : bar.layout.groups) blocks += group.layer >= 0;
  if (blocks < 2) return;
  const float y = std::floor(bar.p0.y + px(kBarHeight + 6));
  const bool several = has_stacks(bar.context.run->trace(0).config());
  for (const TimelineGroup& group : bar.layout.groups)
    if (group.layer >= 0)
      bar.list->AddLine(ImVec2(bar.p0.x + group.x0, y), ImVec2(bar.p0.x + group.x1, y),
                        stack_colour(bar, group.stack), px(several ? 2.f : 1.f));
}

void toggle_breakpoint(Workspace& workspace, const std::string& site) {
  if (std::erase(workspace.breakpoints, site) == 0) workspace.breakpoints.push_back(site);
}

void draw_gutter(const Bar& bar) {
  Workspace& workspace = bar.context.workspace;
  const float y = bar.p0.y - px(kTaller) - px(kGutter / 2);
  ImGui::SetCursorScreenPos(ImVec2(bar.p0.x, bar.p0.y - px(kTaller + kGutter)));
  const bool pressed = hit_area("###breakpoints", ImVec2(bar.width, px(kGutter)));
  const bool hovered = ImGui::IsItemHovered();
  const int under = hovered || pressed ? bar.layout.step_at(ImGui::GetIO().MousePos.x - bar.p0.x) : -1;
  if (pressed && under >= 0) toggle_breakpoint(workspace, to_text(bar.step(under).main));
  const auto middle = [&](int step) {
    const auto& segment = bar.layout.segments[static_cast<std::size_t>(bar.layout.segment_of(step))];
    const float share = (static_cast<float>(step - segment.first) + 0.5f) /
                        static_cast<float>(segment.last - segment.first + 1);
    return bar.p0.x + segment.x0 + (segment.x1 - segment.x0) * share;
  };
  if (hovered && under >= 0) {
    bar.list->AddCircle(ImVec2(middle(under), y), px(4.5f), theme().breakpoint, 0, px(1.5f));
    const bool set = breakpoint_between(bar.steps(), workspace.breakpoints, under - 1, under + 1) == under;
    const char* key = set ? "timeline.breakpoint.set" : "timeline.breakpoint.none";
    ImGui::SetTooltip("%s", tr(key, {kind_label(*bar.context.run, bar.step(under))}).c_str());
  }
  for (int i = -1; (i = breakpoint_between(bar.steps(), workspace.breakpoints, i,
                                           static_cast<int>(bar.steps().size()))) >= 0;)
    bar.list->AddCircleFilled(ImVec2(middle(i), y), px(4.5f), theme().breakpoint);
}

void step_tooltip(const Bar& bar, int index) {
  const RunResult& run = *bar.context.run;
  const TimelineStep& step = bar.step(index);
  const int sequence = bar.context.workspace.cursor.sequence;
  const Trace& trace = run.trace(sequence);
  std::int64_t nanoseconds = 0;
  for (const Site& site : step.sites)
    if (const Record* record = trace.find(site)) nanoseconds += record->end_ns - record->begin_ns;
  const Record* main = trace.find(step.main);
  ImGui::BeginTooltip();
  {
    const WithFont bold(fonts().body_bold);
    const std::string title = title_text(trace, step.main);
    const std::string place = step.layer >= 0              ? place_name(trace.config(), step.main, true)
                              : has_stacks(trace.config()) ? stack_name(trace.config(), step.main.stack)
                                                           : std::string();
    ImGui::TextUnformatted(place.empty() ? title.c_str() : tr("timeline.in_block", {place, title}).c_str());
  }
  {
    const WithFont mono(fonts().mono_small);
    const bool shape = !bar.context.workspace.hides_shapes;
    if (main)
      dim_text(to_text(main->site) + (shape ? "  " + step_shape(run, main->site, sequence) : std::string()));
    dim_text(tr("timeline.time", {format("%.1f", static_cast<double>(nanoseconds) / 1000.0)}));
  }
  ImGui::EndTooltip();
}

// Dragging within a step scrubs its animation.
void scrub_motion(const Bar& bar, int under) {
  Workspace& workspace = bar.context.workspace;
  if (ImGui::IsItemDeactivated()) workspace.motion_held = false;
  if (!ImGui::IsItemActive() || !ImGui::IsMouseDragging(0, px(3)) || under < 0 || !workspace.animate) return;
  const int at = bar.layout.segment_of(under);
  const TimelineSegment& segment = bar.layout.segments[static_cast<std::size_t>(std::max(0, at))];
  if (segment.folded()) return;
  const float share =
      (ImGui::GetIO().MousePos.x - bar.p0.x - segment.x0) / std::max(1.f, segment.x1 - segment.x0);
  workspace.motion = std::clamp(share, 0.f, 1.f);
  workspace.motion_held = true;
}

void draw_bar(const Bar& bar) {
  draw_segments(bar);
  draw_groups(bar);
  draw_labels(bar);
  draw_gutter(bar);
  ImGui::SetCursorScreenPos(ImVec2(bar.p0.x, bar.p0.y - px(kTaller)));
  hit_area("###steps", ImVec2(bar.width, px(kBarHeight + 2 * kTaller)));
  note_item("timeline.steps");
  const int under = bar.layout.step_at(ImGui::GetIO().MousePos.x - bar.p0.x);
  Workspace& workspace = bar.context.workspace;
  if (ImGui::IsItemActive() && under >= 0 && under != bar.current) {
    workspace.playing = false;
    go_to_step(workspace, *bar.context.run, under);
  }
  scrub_motion(bar, under);
  if (!ImGui::IsItemHovered() || under < 0) return;
  step_tooltip(bar, under);
  offer_edit(workspace, {Cell{bar.step(under).main, {}}, {}, {}});
}

// The unfolded block does not change during a drag: steps must not move under the pointer.
TimelineBlock open_block(const Workspace& workspace) {
  ImGuiStorage* storage = ImGui::GetStateStorage();
  const ImGuiID layer = ImGui::GetID("timeline.open"), stack = ImGui::GetID("timeline.open_stack");
  const Cursor& cursor = workspace.cursor;
  if (!ImGui::IsMouseDown(0)) {
    storage->SetInt(layer, cursor.layer);
    storage->SetInt(stack, static_cast<int>(cursor.stack));
  }
  return {static_cast<Stack>(storage->GetInt(stack, static_cast<int>(cursor.stack))),
          storage->GetInt(layer, cursor.layer)};
}

// The first step in (from, to] that meets a stop condition; -1: none. Each step is tested once per pass.
int rule_met(Workspace& workspace, const RunResult& run, int from, int to) {
  const Trace& trace = run.trace(workspace.cursor.sequence);
  for (int i = std::max(0, from + 1); i <= to && i < static_cast<int>(run.steps.size()); ++i)
    for (const std::string& text : workspace.stops) {
      const auto rule = parse_stop(text);
      if (!rule) continue;
      for (const Site& site : run.steps[static_cast<std::size_t>(i)].sites)
        if (const auto value = stop_value(trace, site, *rule)) {
          workspace.stopped_by = tr("timeline.stopped", {text, to_text(site), short_number(*value)});
          return i;
        }
    }
  return -1;
}

// If the cursor has passed a breakpoint since the last frame, stops playing there.
void stop_at_breakpoint(Workspace& workspace, const RunResult& run) {
  ImGuiStorage* storage = ImGui::GetStateStorage();
  const ImGuiID id = ImGui::GetID("timeline.seen");
  const int current = current_step(workspace, run), seen = storage->GetInt(id, current);
  if (workspace.playing) {
    workspace.stopped_by.clear();
    const int named = breakpoint_between(run.steps, workspace.breakpoints, seen, current),
              met = rule_met(workspace, run, seen, named >= 0 ? named : current),
              stop = met >= 0 ? met : named;
    if (stop >= 0) {
      workspace.playing = false;
      go_to_step(workspace, run, stop);
    }
  }
  storage->SetInt(id, current_step(workspace, run));
}

// Clears the message of a stop when the cursor leaves that step.
void forget_stop(Workspace& workspace, int current) {
  ImGuiStorage* storage = ImGui::GetStateStorage();
  const ImGuiID id = ImGui::GetID("timeline.stopped_at");
  if (workspace.stopped_by.empty())
    storage->SetInt(id, -1);
  else if (storage->GetInt(id, -1) < 0)
    storage->SetInt(id, current);
  else if (storage->GetInt(id) != current)
    workspace.stopped_by.clear();
}

}  // namespace

void draw_timeline(const PanelContext& context) {
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(10), px(8)));  // padding of tooltips
  ImVec2 origin = ImGui::GetCursorScreenPos();
  if (!context.run || context.run->steps.empty()) return dim_text(tr("timeline.empty"));
  stop_at_breakpoint(context.workspace, *context.run);
  const int current = current_step(context.workspace, *context.run);
  forget_stop(context.workspace, current);
  const float room = ImGui::GetContentRegionAvail().x;
  const bool slim = ImGui::GetContentRegionAvail().y < px(kSlim);  // the bar without a title
  const float taken = slim ? 0.f : timeline_direction(context.workspace, origin, room);
  ImGui::SetCursorScreenPos(origin);
  if (slim) origin.y -= px(kTitle);
  if (!slim) {
    const WithFont bold(fonts().body_bold);
    static KeptText kept;
    const float wide = room - taken - px(12);
    const std::string& title = kept.get(
        {context.run->version, static_cast<std::uint64_t>(current), context.workspace.backward,
         static_cast<std::uint64_t>(std::max(0.f, wide))},
        [&] {
          const std::string words = timeline_title(context, current);
          return shortened(context.workspace.backward ? tr("timeline.backward.title", {words}) : words, wide);
        });
    const std::string& stopped = context.workspace.stopped_by;
    const bool stops = !stopped.empty() && !context.workspace.playing;
    const WithColour ink(ImGuiCol_Text, stops ? theme().warning : theme().text);
    ImGui::TextUnformatted(stops ? shortened(stopped, wide).c_str() : title.c_str());
  }
  timeline_buttons(context, origin);
  timeline_speed(context.workspace, origin);
  const float width = std::max(px(120), room - px(kBarLeft + kBarRight));
  const Bar bar{context,
                kept_layout(*context.run, open_block(context.workspace), width, px(kLeastStep), px(kStepGap)),
                current_step(context.workspace, *context.run),
                ImVec2(origin.x + px(kBarLeft), origin.y + px(kBarTop)),
                width,
                ImGui::GetWindowDrawList()};
  draw_bar(bar);
}

}  // namespace attnscope
