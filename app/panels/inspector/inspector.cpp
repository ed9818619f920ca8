// The inspector at the right: how the pinned number is computed, how to edit it, the effect of edits, and
// facts about the current step. The parts are in inspector_*.cpp; this file puts them in order.
#include "app/panels/inspector/inspector_parts.h"
#include "app/widgets/navigation.h"
#include "core/base/text.h"
#include "core/trace/inside.h"
#include "core/trace/ties.h"

namespace attnscope {
namespace {

constexpr std::int64_t kCheapVocabulary = 4096;

std::string crumb_of(const Place& place) {
  std::string name = place.is_weight() ? place.weight : to_text(place.cell.site);
  if (const std::size_t at = name.find("blocks."); at != std::string::npos) name.erase(at, 7);
  return name;
}

/// Breadcrumbs of the places followed so far: "scores › rot_q › q", each a link back.
void draw_trail(const PanelContext& context) {
  Workspace& workspace = context.workspace;
  const std::size_t length = workspace.inspector.trail.size();
  if (length < 2) return;
  const float left = ImGui::GetCursorScreenPos().x, right = left + ImGui::GetContentRegionAvail().x;
  std::size_t back_to = 0;
  float bottom = 0;
  {
    const WithFont font(fonts().small);
    Flow flow(left, right);
    if (flow.link("###back", tr("inspector.back"), theme().accent, tr("inspector.back.help")))
      back_to = length - 1;
    flow.space(10);
    for (std::size_t i = length > 4 ? length - 4 : 0; i < length; ++i) {
      const bool last = i + 1 == length;
      const std::string name = crumb_of(workspace.inspector.trail[i]);
      if (last)
        flow.text(name, theme().text_dim);
      else if (flow.link(format("###crumb%zu", i), name, theme().accent))
        back_to = i + 1;
      if (!last) flow.text(" › ", theme().text_dim);
    }
    flow.next_line();
    bottom = flow.bottom();
  }
  ImGui::SetCursorScreenPos(ImVec2(left, bottom));
  const bool key = !ImGui::GetIO().WantTextInput && compat::key_pressed(compat::Key::backspace, false);
  if (key) back_to = length - 1;
  if (back_to > 0) go_back(workspace, *context.run, back_to);
}

void draw_name(const PanelContext& context, const Place& place) {
  const WithFont mono(fonts().mono_small);
  const std::string name = place.is_weight() ? place.weight : to_text(place.cell.site);
  const std::string where =
      place.is_weight() ? weight_coordinates(*context.run, place)
                        : coordinates_text(*context.run, context.workspace.cursor.sequence, place.cell);
  note_text(where);
  {
    const WithVar tight(ImGuiStyleVar_ItemSpacing, ImVec2(px(8), px(2)));
    wrapped_text(name, theme().text_dim);
  }
  wrapped_text(where, theme().text_dim);
}

void draw_weight(const PanelContext& context, const Place& place) {
  const Tensor* weight = context.run->trace(context.workspace.cursor.sequence).weights().find(place.weight);
  if (!weight || !is_cell(place.index, weight->sizes()))
    return wrapped_text(tr("inspector.gone"), theme().text_dim);
  const double value = static_cast<double>(weight->at(place.index));
  draw_number(context, place, value);
  draw_name(context, place);
  wrapped_text(tr("inspector.weight", {shape_text(*weight)}), theme().text_dim);
  std::vector<std::string> names;
  const ModelConfig& config = context.run->trace(context.workspace.cursor.sequence).config();
  for (const WeightCell& cell : same_weights(config, place.weight)) names.push_back(cell.name);
  if (names.size() > 1) wrapped_text(tr("inspector.weight.shared", {join(names, ", ")}), theme().text_dim);
  draw_weight_facts(context, place.weight);
  draw_gradient(context, place);
  draw_edit(context, place, value);
  draw_after(context, place);
}

std::shared_ptr<const std::optional<Explanation>> explanation_of(const PanelContext& context,
                                                                 const Cell& cell, const std::string& key) {
  const auto trace = context.run->shared(context.workspace.cursor.sequence);
  const bool words = is_over_vocabulary(cell.site.slot);
  const bool cheap = !words || trace->config().outputs() <= kCheapVocabulary;
  return inspector_cache(context.workspace)
      .explanation.get(key_of(key), cheap, context.workers(), [trace, cell]() -> std::optional<Explanation> {
        auto found = explain(*trace, cell.site, cell_index(*trace, cell));
        return found ? std::optional(*std::move(found)) : std::nullopt;
      });
}

void draw_cell(const PanelContext& context, const Place& place) {
  const std::string key = format("%llu/%d/", static_cast<unsigned long long>(context.run->version),
                                 context.workspace.cursor.sequence) +
                          to_text(place.cell);
  const auto found = explanation_of(context, place.cell, key);
  if (!found) {
    draw_name(context, place);
    return dim_text(tr("inspector.working"));
  }
  if (!*found) {
    draw_name(context, place);
    return wrapped_text(tr("inspector.gone"), theme().text_dim);
  }
  const Explanation explanation = **found;  // a copy: following a link changes the place while drawing
  draw_number(context, place, explanation.recorded);
  draw_name(context, place);
  draw_gradient(context, place);
  draw_rule(context, explanation, key);
  if (!explanation.terms.empty()) wrapped_text(tr("inspector.click"), theme().text_dim);
  draw_edit(context, place, explanation.recorded);
  draw_after(context, place);
}

bool about_keys(Slot slot) { return is_score_plane(slot); }

void draw_body(const PanelContext& context) {
  draw_answer(context);
  {
    const WithFont bold(fonts().body_bold);
    dim_text(tr("inspector.title"));
  }
  if (!context.run || context.run->traces.empty())
    return wrapped_text(tr("inspector.empty"), theme().text_dim);
  Workspace& workspace = context.workspace;
  keep_trail(workspace);
  draw_trail(context);
  if (const Place* here = place_of(workspace)) {
    const Place place = *here;  // a copy: a click may change the trail
    if (place.is_weight())
      draw_weight(context, place);
    else
      draw_cell(context, place);
  } else {
    wrapped_text(tr("inspector.hint"), theme().text_dim);
  }
  draw_edits(context);
  const Cursor& cursor = workspace.cursor;
  if (about_keys(cursor.step.slot)) draw_head_facts(context, cursor.step, cursor.head, cursor.query);
  draw_step_facts(context, cursor.step);
  draw_watch(context);
  draw_notes(context);
}

}  // namespace

void draw_inspector(const PanelContext& context) {
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(10), px(8)));  // padding of tooltips
  compat::begin_child("###inspector_body", ImVec2(ImGui::GetContentRegionAvail().x - px(6), 0), false);
  draw_body(context);
  ImGui::EndChild();
}

}  // namespace attnscope
