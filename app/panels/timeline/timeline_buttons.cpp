// The timeline's buttons: step, play, speed, forward or backward; and its title.
#include "app/panels/timeline/timeline_buttons.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/look/item_map.h"
#include "app/state/controls.h"
#include "app/state/panel.h"
#include "app/widgets/navigation.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kSlowest = 0.25f, kFastest = 8.f;

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

}  // namespace

void timeline_buttons(const PanelContext& context, ImVec2 origin) {
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

namespace {

std::string speed_text(float speed) {
  std::string digits = format("%.2f", static_cast<double>(speed));
  while (digits.back() == '0') digits.pop_back();
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

}  // namespace

void timeline_speed(Workspace& workspace, ImVec2 origin) {
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

namespace {

std::string section_of(const TimelineStep& step) {
  if (step.main.part == Part::cross) return tr("timeline.cross");
  return step.main.part == Part::attn ? tr("timeline.attention") : "";
}

}  // namespace

std::string timeline_title(const PanelContext& context, int current) {
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

float timeline_direction(Workspace& workspace, ImVec2 origin, float room) {
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

}  // namespace attnscope
