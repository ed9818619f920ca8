// The timeline at the bottom: current step, play buttons and speed, the bar of steps in their colours,
// breakpoints. The frame moves the cursor while playing; breakpoints and stop conditions stop it here. Button
// icons are drawn as shapes: no font has them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
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

constexpr float kBarLeft = 202.f, kBarRight = 22.f, kBarTop = 32.f, kBarHeight = 18.f, kGutter = 12.f;
constexpr float kSlim = 44.f, kTitle = 24.f;  // minimum height with a title; height of the title
constexpr float kLeastStep = 15.f, kStepGap = 2.f, kTaller = 5.f, kSlowest = 0.25f, kFastest = 8.f;

enum class Knob { previous, play, pause, next };

void draw_triangle(ImDrawList* list, ImVec2 centre, float size, float direction, ImU32 colour) {
  const float back = centre.x - direction * size * 0.7f;
  ImVec2 top(back, centre.y - size), end(back, centre.y + size);
  if (direction < 0) std::swap(top, end);  // clockwise: needed for anti-aliased edges
  list->AddTriangleFilled(top, ImVec2(centre.x + direction * size, centre.y), end, colour);
}

void draw_button_shape(ImDrawList* list, ImVec2 centre, Knob shape, ImU32 colour) {
  if (shape == Knob::pause) {
    for (const float x : {-4.f, 4.f})
      list->AddRectFilled(ImVec2(centre.x + px(x) - px(2), centre.y - px(6)),
                          ImVec2(centre.x + px(x) + px(2), centre.y + px(6)), colour, px(1));
    return;
  }
  if (shape == Knob::play)
    return draw_triangle(list, ImVec2(centre.x + px(0.5f), centre.y), px(7), 1, colour);
  draw_triangle(list, centre, px(4.5f), shape == Knob::next ? 1.f : -1.f, colour);
}

bool round_button(const char* id, ImVec2 centre, float radius, Knob shape, bool strong, const char* help) {
  const Theme& t = theme();
  ImGui::SetCursorScreenPos(ImVec2(centre.x - radius, centre.y - radius));
  const bool pressed = hit_area(id, ImVec2(2 * radius, 2 * radius));
  note_item(id);
  const bool hovered = ImGui::IsItemHovered();
  compat::item_tooltip(help);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImU32 ground = strong    ? (hovered ? mix(t.accent, t.text, 0.2f) : t.accent)
                       : hovered ? t.hovered
                                 : t.panel_raised;
  list->AddCircleFilled(centre, radius, ground);
  if (!strong) list->AddCircle(centre, radius, t.border);
  draw_button_shape(list, centre, shape, strong ? t.on_accent : t.text);
  return pressed;
}

void draw_buttons(const PanelContext& context, ImVec2 origin) {
  Workspace& workspace = context.workspace;
  const RunResult& run = *context.run;
  const float y = origin.y + px(kBarTop + kBarHeight / 2);
  const int current = current_step(workspace, run), last = static_cast<int>(run.steps.size()) - 1;
  if (round_button("###previous", ImVec2(origin.x + px(14), y), px(13), Knob::previous, false,
                   tr("timeline.previous"))) {
    workspace.playing = false;
    go_to_step(workspace, run, current - 1);
  }
  const Knob shape = workspace.playing ? Knob::pause : Knob::play;
  if (round_button("###play", ImVec2(origin.x + px(52), y), px(16), shape, true,
                   tr(workspace.playing ? "timeline.pause" : "timeline.play"))) {
    workspace.playing = !workspace.playing;
    if (workspace.playing && current >= last) go_to_step(workspace, run, 0);
  }
  if (round_button("###next", ImVec2(origin.x + px(90), y), px(13), Knob::next, false, tr("timeline.next"))) {
    workspace.playing = false;
    go_to_step(workspace, run, current + 1);
  }
}

// ---- speed: a drag changes it continuously, a click doubles it and wraps around ----
std::string speed_text(float speed) {
  std::string digits = format("%.2f", static_cast<double>(speed));
  while (digits.back() == '0') digits.pop_back();
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

void draw_speed(Workspace& workspace, ImVec2 origin) {
  const WithFont font(fonts().small);
  const std::string text = tr("timeline.speed", {speed_text(workspace.speed)});
  const ImVec2 size(px(80), px(26));
  const ImVec2 p0(origin.x + px(112), origin.y + px(kBarTop + kBarHeight / 2) - size.y / 2);
  ImGui::SetCursorScreenPos(p0);
  const bool released = hit_area("###speed", size);
  const bool hovered = ImGui::IsItemHovered();
  compat::item_tooltip(tr("timeline.speed.help"));
  const bool dragging = ImGui::IsItemActive() && ImGui::IsMouseDragging(0, px(4));
  if (dragging) {
    workspace.speed =
        std::clamp(workspace.speed * std::exp2(ImGui::GetIO().MouseDelta.x / px(40)), kSlowest, kFastest);
  } else if (released && ImGui::GetMouseDragDelta(0, px(4)).x == 0.f) {
    workspace.speed = workspace.speed * 1.99f > kFastest
                          ? kSlowest
                          : std::exp2(std::floor(std::log2(workspace.speed) + 1.001f));
  }
  if (hovered || dragging) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    ImGui::GetWindowDrawList()->AddRectFilled(p0, ImVec2(p0.x + size.x, p0.y + size.y), theme().hovered,
                                              px(5));
  }
  const ImVec2 ink = ImGui::CalcTextSize(text.c_str());
  ImGui::GetWindowDrawList()->AddText(ImVec2(p0.x + px(6), std::floor(p0.y + (size.y - ink.y) / 2)),
                                      theme().text_dim, text.c_str());
}

// ---- title --------------------------------------------------------------------------------------
std::string section_of(const TimelineStep& step) {
  if (step.main.part == Part::cross) return tr("timeline.cross");
  return step.main.part == Part::attn ? tr("timeline.attention") : "";
}

std::string title_of(const PanelContext& context, int current) {
  const RunResult& run = *context.run;
  const TimelineStep& step = run.steps[static_cast<std::size_t>(current)];
  const std::string number = std::to_string(current + 1), count = std::to_string(run.steps.size());
  const auto& opened = run.document.opened;
  if (opened && opened->scene && !opened->scene->walk.empty()) {
    const LocalText& title = opened->scene->title;
    return tr("timeline.scene", {in_language(title), number, kind_label(run, step)});
  }
  const ModelConfig& config = run.trace(0).config();
  if (step.layer < 0 && has_stacks(config))
    return tr("timeline.block", {stack_name(config, step.main.stack), kind_label(run, step), number, count});
  if (step.layer < 0) return tr("timeline.outside", {kind_label(run, step), number, count});
  const std::string block = block_name(config, step.main.stack, step.layer, true), section = section_of(step);
  if (section.empty()) return tr("timeline.block", {block, kind_label(run, step), number, count});
  return tr("timeline.part", {block, section, kind_label(run, step), number, count});
}

// ---- forward or backward --------------------------------------------------------------------------
// Two chips at the right end of the title's line; returns their width, pixels.
float draw_direction(Workspace& workspace, ImVec2 origin, float room) {
  const WithFont small(fonts().small);
  const WithVar tight(ImGuiStyleVar_FramePadding, ImVec2(px(9), px(1.5f)));
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(4), px(4)));
  const Label forward(tr("timeline.forward"), "###direction_forward");
  const Label backward(tr("timeline.backward"), "###direction_backward");
  const float width = button_width(forward) + button_width(backward) + px(4);
  ImGui::SetCursorScreenPos(ImVec2(origin.x + room - width - px(kBarRight), origin.y));
  if (raised_button(forward, !workspace.backward)) workspace.backward = false;
  compat::item_tooltip(tr("timeline.forward.help"));
  ImGui::SameLine();
  if (raised_button(backward, workspace.backward)) workspace.backward = true;
  compat::item_tooltip(tr("timeline.backward.help"));
  return width + px(kBarRight);
}

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
  const float taken = slim ? 0.f : draw_direction(context.workspace, origin, room);
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
          const std::string words = title_of(context, current);
          return shortened(context.workspace.backward ? tr("timeline.backward.title", {words}) : words, wide);
        });
    const std::string& stopped = context.workspace.stopped_by;
    const bool stops = !stopped.empty() && !context.workspace.playing;
    const WithColour ink(ImGuiCol_Text, stops ? theme().warning : theme().text);
    ImGui::TextUnformatted(stops ? shortened(stopped, wide).c_str() : title.c_str());
  }
  draw_buttons(context, origin);
  draw_speed(context.workspace, origin);
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
