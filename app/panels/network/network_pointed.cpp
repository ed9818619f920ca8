// The box of the network map under the mouse: its words, what a click opens, its menu.
#include "app/panels/network/network_pointed.h"

#include <algorithm>

#include "app/panels/network/network_edits.h"
#include "app/panels/network/network_layout.h"
#include "app/state/controls.h"
#include "app/state/panel.h"
#include "app/views/steps_words.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/navigation.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {

std::string network_label(const PanelContext& context, const NetworkBox& box) {
  const ModelConfig& config = context.run->trace(context.workspace.cursor.sequence).config();
  if (box.kind == NetworkBox::Kind::title) return stack_name(config, box.stack);
  if (box.blocks > 1)
    return tr("map.blocks", {std::to_string(box.layer), std::to_string(box.layer + box.blocks - 1),
                             std::to_string(box.blocks)});
  if (box.kind == NetworkBox::Kind::folded || box.kind == NetworkBox::Kind::header)
    return tr("map.block", {std::to_string(box.layer)});
  return tr(box.key);
}

namespace {

// Nothing while a lesson asks for it.
std::string shape_words(const PanelContext& context, const Site& site) {
  if (context.workspace.hides_shapes) return {};
  return step_shape(*context.run, site, context.workspace.cursor.sequence);
}

// Tooltip of a box with several steps: titles only, because shape and parameters differ between them.
void describe_several(const PanelContext& context, const NetworkBox& box) {
  const Trace& trace = context.run->trace(context.workspace.cursor.sequence);
  std::string titles;
  for (const Site& site : box.sites) titles += (titles.empty() ? "" : " · ") + title_text(trace, site);
  {
    const WithFont bold(fonts().body_bold);
    ImGui::TextUnformatted(network_label(context, box).c_str());
  }
  wrapped_text(tr("map.steps", {titles, title_text(trace, box.target)}), theme().text_dim);
  const WithFont mono(fonts().mono_small);
  const std::string shape = shape_words(context, box.target);
  ImGui::TextUnformatted((to_text(box.target) + "  " + shape).c_str());
}

}  // namespace

void network_tooltip(const PanelContext& context, const NetworkBox& box) {
  const Trace& trace = context.run->trace(context.workspace.cursor.sequence);
  const bool whole = box.kind == NetworkBox::Kind::folded || box.kind == NetworkBox::Kind::header;
  if (box.kind == NetworkBox::Kind::title)
    return ImGui::SetTooltip("%s", tr("map.stack.open", {network_label(context, box)}).c_str());
  const Site site = box.holds(context.workspace.cursor.step) ? context.workspace.cursor.step : box.target;
  const Record* record = trace.find(site);
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(px(300));
  if (whole) {
    ImGui::TextUnformatted(tr(box.kind == NetworkBox::Kind::folded ? "map.block.open" : "map.block.here"));
  } else if (record && box.sites.size() > 1) {
    describe_several(context, box);
  } else if (record) {
    {
      const WithFont bold(fonts().body_bold);
      ImGui::TextUnformatted(title_text(trace, site).c_str());
    }
    if (!context.workspace.hides_doing) wrapped_text(sentence_text(trace, site), theme().text_dim);
    const WithFont mono(fonts().mono_small);
    const std::string shape = shape_words(context, site);
    ImGui::TextUnformatted((to_text(site) + "  " + shape).c_str());
  }
  if (box.parameters > 0)
    ImGui::TextUnformatted(tr("map.parameters", {format_count(box.parameters)}).c_str());
  {
    const WithFont mono(fonts().mono_small);
    for (const std::string& edit : edits_of(box, *context.run, context.workspace.cursor.sequence))
      ImGui::TextUnformatted(edit.c_str());
  }
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

// A folded block is unfolded at the step that the cursor had in the other block.
void click_network(const PanelContext& context, const NetworkBox& box) {
  Workspace& workspace = context.workspace;
  Site target = box.target;
  if (box.kind == NetworkBox::Kind::folded && workspace.cursor.step.layer >= 0) {
    Site same = workspace.cursor.step;
    const int nearest = std::clamp(same.layer, box.layer, box.layer + box.blocks - 1);
    same.layer = same.stack == box.stack ? nearest : box.layer, same.stack = box.stack;
    if (context.run->trace(workspace.cursor.sequence).find(same)) target = same;
  }
  workspace.playing = false;
  workspace.cursor.stack = box.stack;
  if (box.layer >= 0) workspace.cursor.layer = target.layer >= 0 ? target.layer : box.layer;
  go_to_site(workspace, *context.run, target);
}

// Context menu: of a block's input (resid_pre), of the cursor's head, or of a step in the box.
void offer_network(const PanelContext& context, const NetworkBox& box) {
  if (box.kind == NetworkBox::Kind::title) return;
  const bool whole = box.kind == NetworkBox::Kind::folded || box.kind == NetworkBox::Kind::header;
  const Cursor& cursor = context.workspace.cursor;
  const Site site = whole                    ? site_of(StepRole::stream, box.layer, box.stack)
                    : box.holds(cursor.step) ? cursor.step
                                             : box.target;
  Cell cell{site, {}};
  if (box.heads)
    cell = {cursor_place(cursor, context.run->trace(cursor.sequence)).site(StepRole::head_out, box.layer),
            {{"head", cursor.head}}};
  offer_edit(context.workspace, {cell, {}, {}});
}

}  // namespace attnscope
