// Editing the explained number, and the effect of the last edit.
#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/panels/inspector/inspector_parts.h"
#include "app/widgets/cell_edit.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/navigation.h"
#include "core/base/text.h"
#include "core/session/edit_places.h"
#include "core/trace/flow.h"

namespace attnscope {
namespace {

constexpr int kMostAfter = 6;

std::string place_text(const Place& place) {
  if (!place.is_weight()) return to_text(place.cell);
  std::string key = place.weight;
  for (const std::int64_t at : place.index) key += format(",%lld", static_cast<long long>(at));
  return key;
}

bool editable(const PanelContext& context, const Place& place) {
  if (place.is_weight()) return can_edit_weight(*context.run, place.weight);
  return can_edit(*context.run, context.workspace.cursor.sequence, place.cell);
}

const char* inspector_edit_why_not(const PanelContext& context, const Place& place) {
  const char* why = place.is_weight() ? "cell_edit.fixed.recorded" : why_fixed(*context.run, place.cell.site);
  return why ? why : "inspector.gone";
}

// True for the last step, whose values no other step reads; a weight counts as the step it is named after.
bool in_last_step(const PanelContext& context, const Place& place) {
  const auto of_weight = parse_site(place.weight.substr(0, place.weight.rfind('.')));
  if (place.is_weight() && !of_weight) return false;
  const auto& steps = context.run->steps;
  return step_index(steps, place.is_weight() ? *of_weight : place.cell.site) ==
         static_cast<int>(steps.size()) - 1;
}

void change(const PanelContext& context, const Place& place, float value, const std::string& gesture) {
  if (place.is_weight())
    edit_weight(context.commands, *context.run, place.weight, place.index, value, gesture);
  else
    edit_cell(context.commands, *context.run, context.workspace.cursor.sequence, place.cell, value, gesture);
}

// ---- effect on later steps ------------------------------------------------------------------------
// Index on a later step's axes from `pinned` and the cursor; `open` if some axis has no coordinate.
std::vector<std::int64_t> same_cell(const Record& record, const Cell& pinned, const Cursor& cursor,
                                    bool& open) {
  std::vector<std::int64_t> index;
  open = false;
  for (std::size_t d = 0; d < record.axes.size(); ++d) {
    const std::string_view axis = axis_name(record.axes[d]);
    const auto own = std::find_if(pinned.at.begin(), pinned.at.end(),
                                  [&](const AxisRange& at) { return at.axis == axis; });
    std::int64_t at = 0;
    const bool rows = axis == "query" || axis == "pos";
    if (rows && record.site.stack != pinned.site.stack && !pinned.at.empty())
      at = record.shape[d] - 1;  // rows of another stack: the last one, which predicts the next token
    else if (own != pinned.at.end())
      at = own->begin;
    else if (axis == "head")
      at = cursor.head;
    else if (axis == "key")
      at = cursor.key;
    else if (axis == "query" || axis == "pos")
      at = cursor.query;
    else
      open = true;
    index.push_back(std::clamp<std::int64_t>(at, 0, std::max<std::int64_t>(0, record.shape[d] - 1)));
  }
  return index;
}

// Old and new value of one cell; for a row, its largest change.
std::string change_text(const Trace& now, const Trace& before, const Record& record, const Cell& pinned,
                        const Cursor& cursor) {
  bool open = false;
  const std::vector<std::int64_t> index = same_cell(record, pinned, cursor, open);
  if (!open) {
    const double was = before.cell(record.site, index), is = now.cell(record.site, index);
    return tr("inspector.after.cell", {shown_number(was), shown_number(is)});
  }
  const std::size_t rank = index.size();
  const std::int64_t row = rank > 1 ? index[rank - 2] : 0, head = rank > 2 ? index[0] : 0,
                     width = record.shape.back();
  const double most = max_abs_difference(now.slice(record.site, head, {row, row + 1}, {0, width}),
                                         before.slice(record.site, head, {row, row + 1}, {0, width}));
  return tr("inspector.after.row", {shown_number(most)});
}

// Steps of the same block, then the last residual stream: enough to see whether the edit has an effect.
std::vector<Site> later_sites(const Trace& trace, const Place& place, const Cursor& cursor) {
  const Site from = place.is_weight() ? cursor.step : place.cell.site;
  const Stack stack = from.stack, main = trace.config().stack;
  const int layer = std::max(0, from.layer >= 0 ? from.layer : cursor.layer);
  std::vector<Site> sites;
  for (const StepKind kind : {StepKind::scores, StepKind::softmax, StepKind::values, StepKind::output,
                              StepKind::residual_mid, StepKind::mlp_down, StepKind::residual_post})
    sites.push_back(site_of(kind, layer, stack));
  for (const StepRole role : {StepRole::pattern, StepRole::branch})
    sites.push_back(cross_site(role, stack == main ? layer : 0, main));
  sites.push_back(stack_output(trace, stack));
  if (stack != main) sites.push_back(stack_output(trace, main));
  const int begin = place.is_weight() ? -1 : trace.index_of(from);
  std::erase_if(sites, [&](const Site& site) { return !trace.find(site) || trace.index_of(site) <= begin; });
  std::sort(sites.begin(), sites.end(),
            [&](const Site& a, const Site& b) { return trace.index_of(a) < trace.index_of(b); });
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  return sites;
}

// "pattern"; with block and stack if they differ.
std::string later_name(const Site& site, const Site& from) {
  std::string name = to_text(site);
  if (site.stack == from.stack) name.erase(0, stack_prefix(site.stack).size());
  if (const std::size_t at = name.find("blocks."); at != std::string::npos) name.erase(at, 7);
  const std::string own = std::to_string(site.layer) + ".";
  if (site.stack == from.stack && site.layer == from.layer && starts_with(name, own))
    name.erase(0, own.size());
  if (starts_with(name, "attn.")) name.erase(0, 5);
  return name;
}

// The run to compare with.
struct Other {
  std::shared_ptr<const Trace> trace;  ///< null: no such run
  const char* title = "inspector.after";
  bool working = false;  ///< it is still being computed
};

// The run without the edits of this number: isolates their effect from all other edits, with the model as it
// is now.
Other other_run(const PanelContext& context, const Place& place) {
  const RunResult& run = *context.run;
  const int sequence = run.nearest(context.workspace.cursor.sequence);
  const Trace& now = run.trace(sequence);
  const auto without = place.is_weight()
                           ? without_edits_at(run.document, now, sequence, place.weight, place.index)
                           : without_edits_at(run.document, now, sequence, place.cell);
  Other out;
  if (!without || run.recorded()) {
    if (context.before && !context.before->traces.empty()) out.trace = context.before->shared(sequence);
    out.title = context.session.pinned() ? "inspector.after.pinned" : "inspector.after.last";
    return out;
  }
  if (context.before && same_computation(context.before->document, *without)) {
    out.trace = context.before->traces[static_cast<std::size_t>(sequence)];
    return out;
  }
  const std::uint64_t key =
      key_of(place_text(place) + format("/%d/%llu", sequence, static_cast<unsigned long long>(run.version)));
  const auto made =
      inspector_cache(context.workspace)
          .without.get(key, context.workers(), [document = *without, traces = run.traces, sequence] {
            const auto runs = run_all(document, {}, traces);
            return runs ? (*runs)[static_cast<std::size_t>(sequence)] : nullptr;
          });
  out.working = made == nullptr;
  if (made) out.trace = *made;
  return out;
}

}  // namespace

void draw_number(const PanelContext& context, const Place& place, double value) {
  InspectorCache& cache = inspector_cache(context.workspace);
  const WithFont font(fonts().mono_big);
  const std::string text = shown_number(value);
  note_text(text);
  const ImVec2 at = ImGui::GetCursorScreenPos(), size = ImGui::CalcTextSize(text.c_str());
  const bool can = editable(context, place);
  hit_area("###number", ImVec2(std::max(size.x, px(40)), size.y));
  const bool hovered = ImGui::IsItemHovered(), active = can && ImGui::IsItemActive();
  if (can && (hovered || active)) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (hovered) offer_edit(context.workspace, place);
  if (ImGui::IsItemActivated()) cache.dragged = static_cast<float>(value);
  if (active && !ImGui::IsItemActivated() && ImGui::GetIO().MouseDelta.x != 0.f &&
      std::isfinite(cache.dragged)) {
    const float unit = std::max(0.01f, std::fabs(static_cast<float>(value)) * 0.01f);
    cache.dragged += ImGui::GetIO().MouseDelta.x / ui_scale() * unit;
    change(context, place, cache.dragged, "drag " + place_text(place));
  }
  if (can && ImGui::IsItemDeactivated()) context.commands.end_gesture();
  ImGui::GetWindowDrawList()->AddText(at, can && (hovered || active) ? theme().accent : theme().text,
                                      text.c_str());
  if (can && hovered && !active) {
    const WithFont body(fonts().body);
    ImGui::SetTooltip("%s", tr("inspector.drag"));
  }
}

void draw_edit(const PanelContext& context, const Place& place, double value) {
  section_title(tr("inspector.edit"));
  if (!editable(context, place))
    return wrapped_text(tr(inspector_edit_why_not(context, place)), theme().text_dim);
  InspectorCache& cache = inspector_cache(context.workspace);
  const std::string key =
      place_text(place) + format("@%llu", static_cast<unsigned long long>(context.run->version));
  if (cache.edit_key != key) cache.edit_key = key, cache.edit_text = shown_number(value);
  const Label set(tr("inspector.set"), "###set"), zero(tr("inspector.zero"), "###zero");
  const float buttons = button_width(set) + button_width(zero) + 2 * ImGui::GetStyle().ItemSpacing.x;
  bool entered = false;
  {
    const WithFont mono(fonts().mono);
    ImGui::SetNextItemWidth(std::max(px(60), ImGui::GetContentRegionAvail().x - buttons - px(4)));
    entered = ImGui::InputText("###edit_value", &cache.edit_text,
                               ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  }
  note_item("edit_value");
  compat::item_tooltip(tr("inspector.edit.field"));
  const auto typed = parse_number(cache.edit_text);
  ImGui::SameLine();
  if ((raised_button(set) || entered) && typed) change(context, place, *typed, {});
  ImGui::SameLine();
  if (raised_button(zero)) change(context, place, 0.f, {});
  if (!typed && cache.edit_text == shown_number(value)) return;  // −∞, as it stands there
  if (!typed) return wrapped_text(tr("inspector.edit.no_number"), theme().error);
  wrapped_text(tr(in_last_step(context, place) ? "inspector.edit.last" : "inspector.edit.help"),
               theme().text_dim);
}

void draw_after(const PanelContext& context, const Place& place) {
  const Cursor& cursor = context.workspace.cursor;
  const Trace& now = context.run->trace(cursor.sequence);
  const Other other = other_run(context, place);
  if (other.working) return dim_text(tr("inspector.working"));
  if (!other.trace) return;
  const Trace& before = *other.trace;
  const Cell pinned = place.is_weight() ? Cell{} : place.cell;
  int lines = 0;
  for (const Site& site : later_sites(now, place, cursor)) {
    const Record *is = now.find(site), *was = before.find(site);
    if (!was || was->shape != is->shape || lines >= kMostAfter) continue;
    if (lines++ == 0) section_title(tr(other.title));
    fact_row(later_name(site, place.is_weight() ? cursor.step : pinned.site),
             change_text(now, before, *is, pinned, cursor), to_text(site));
  }
}

}  // namespace attnscope
