// Notes on steps and cells: part of the document, so they can be undone and are saved with a session. The
// field edits the note of the current place.
#include "app/look/item_map.h"
#include "app/panels/inspector/inspector_parts.h"
#include "app/widgets/navigation.h"

namespace attnscope {
namespace {

// The pinned cell, else the current step.
const std::string& place_of_notes(const Workspace& workspace) {
  const Place* place = place_of(workspace);
  const bool pinned = place && !place->is_weight();
  const Site& site = pinned ? place->cell.site : workspace.cursor.step;
  std::uint64_t key = key_of(site);
  if (pinned)
    for (const AxisRange& one : place->cell.at)
      key = key_of({key, key_of(one.axis), static_cast<std::uint64_t>(one.begin)});
  static KeptTexts kept;
  return kept.get(key, [&] { return pinned ? to_text(place->cell) : to_text(site); });
}

void go_to_note(const PanelContext& context, const std::string& place) {
  const auto cell = parse_cell(place);
  if (!cell) return;
  const Trace& trace = context.run->trace(context.workspace.cursor.sequence);
  if (!cell->at.empty() || !trace.find(cell->site))
    if (const auto there = trace.tensor(*cell); !there)
      return context.commands.act([why = there.error()](Session& session) { session.report(why); });
  go_to_site(context.workspace, *context.run, cell->site);
  if (!cell->at.empty()) pin_cell(context.workspace, *context.run, *cell);
}

void remove_note(const PanelContext& context, const std::string& place) {
  context.commands.edit(Text::of("notes.removed", {place}), {}, [place](Document& changed) -> Status {
    changed.notes.erase(place);
    return Done{};
  });
}

void draw_note(const PanelContext& context, const std::string& place, const std::string& words, int number) {
  const std::string id = "note" + std::to_string(number);
  const WithId scope(id.c_str());
  const float right =
      ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - ImGui::GetFrameHeight() * 0.9f;
  {
    const WithFont mono(fonts().mono_small);
    const WithColour ink(ImGuiCol_Text, theme().accent);
    ImGui::TextUnformatted(shortened(place, right - ImGui::GetCursorPosX() - px(8)).c_str());
  }
  if (ImGui::IsItemClicked()) go_to_note(context, place);
  note_item(id);
  compat::item_tooltip(tr("notes.go_to"));
  ImGui::SameLine(right);
  if (close_button("###remove")) remove_note(context, place);
  note_item("remove_" + id);
  compat::item_tooltip(tr("notes.remove"));
  note_text(words);
  wrapped_text(words, theme().text);
}

// Above the notes, so that the field does not move when one is added.
void inspector_notes_draw_field(const PanelContext& context) {
  const auto& notes = context.session.document().notes;
  InspectorCache& cache = inspector_cache(context.workspace);
  std::string& written = cache.note;
  const std::string& place = place_of_notes(context.workspace);
  const auto own = notes.find(place);
  static const std::string kNone;
  const std::string& kept = own == notes.end() ? kNone : own->second;
  if (written == cache.kept_note) written = kept;  // not being edited
  cache.kept_note = kept;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - px(6));
  const std::string& hint = kept_tr("notes.new", {place});
  const bool entered =
      ImGui::InputTextWithHint("###new_note", hint.c_str(), &written, ImGuiInputTextFlags_EnterReturnsTrue);
  note_item("new_note");
  if (!entered || written == kept) return;
  if (written.empty()) return remove_note(context, place);
  context.commands.edit(Text::of("notes.written", {place}), {},
                        [place, written](Document& changed) -> Status {
                          changed.notes[place] = written;
                          return Done{};
                        });
}

}  // namespace

void draw_notes(const PanelContext& context) {
  section_title(tr("notes.title"));
  inspector_notes_draw_field(context);
  const auto& notes = context.session.document().notes;
  if (notes.empty()) wrapped_text(tr("notes.none"), theme().text_dim);
  int number = 0;
  for (const auto& [place, words] : notes) draw_note(context, place, words, number++);
}

}  // namespace attnscope
