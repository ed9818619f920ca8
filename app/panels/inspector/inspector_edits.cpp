// The list of all edits in the order of application: each can be switched on and off, moved by dragging,
// shown and removed; new ones are typed in the --edit syntax.
#include <algorithm>

#include "app/look/item_map.h"
#include "app/panels/inspector/inspector_parts.h"
#include "app/widgets/edit_words.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/arch/lora.h"
#include "core/base/text.h"
#include "core/lens/watch.h"
#include "core/session/data_edits.h"
#include "core/session/edit_values.h"
#include "core/session/mask_edits.h"
#include "core/session/steering.h"
#include "core/trace/editable.h"

namespace attnscope {
namespace {

constexpr const char* kDragged = "edit";
constexpr float kMostStrength = 2;  // of an adapter, on its slider

struct EditLine {
  std::string id, text;
};
struct EditLineEvent {
  bool toggled = false, removed = false, clicked = false;
};

// The text as one item, wrapped; true when clicked.
bool words_item(const EditLine& line, float width, ImU32 colour) {
  note_text(line.text);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::CalcTextSize(line.text.c_str(), nullptr, false, width);
  const bool clicked = hit_area("###goto", ImVec2(std::max(width, px(20)), size.y));
  note_item("goto_" + line.id);
  const ImU32 ink = ImGui::IsItemHovered() ? theme().accent : colour;
  ImGui::GetWindowDrawList()->AddText(ImGui::GetFont(), ImGui::GetFontSize(), at, ink, line.text.c_str(),
                                      nullptr, width);
  return clicked;
}

constexpr int kMaskCell = -1;  // has no order and no switch
constexpr int kAdapter = -2;   // stands first, and has a switch

// `index`: of an edit, in the order in which they are carried out, or one of the above.
EditLineEvent edit_line(const PanelContext& context, const EditLine& line, int index, bool enabled) {
  const WithId id(line.id.c_str());
  EditLineEvent event;
  const float right =
      ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - ImGui::GetFrameHeight() * 0.9f;
  if (index != kMaskCell) {
    const WithVar padding(ImGuiStyleVar_FramePadding, ImVec2(px(2), px(2)));
    bool on = enabled;
    event.toggled = ImGui::Checkbox("###on", &on);
    note_item("on_" + line.id);
    compat::item_tooltip(tr("inspector.edits.toggle"));
    ImGui::SameLine();
  }
  event.clicked =
      words_item(line, right - px(4) - ImGui::GetCursorPosX(), enabled ? theme().text : theme().text_dim);
  if (index >= 0) {
    compat::item_tooltip(tr("inspector.edits.go_to"));
    if (ImGui::BeginDragDropSource()) {
      ImGui::SetDragDropPayload(kDragged, &index, sizeof index);
      ImGui::TextUnformatted(line.text.c_str());
      ImGui::EndDragDropSource();
    }
    const WithColour frame(ImGuiCol_DragDropTarget, theme().accent);
    if (ImGui::BeginDragDropTarget()) {
      if (const ImGuiPayload* payload = ImGui::AcceptDragDropPayload(kDragged)) {
        const int from = *static_cast<const int*>(payload->Data);
        context.commands.edit(Text::of("inspector.edits.moved", {line.text}), {},
                              [from, index](Document& changed) {
                                return move_edit(changed, static_cast<std::size_t>(from), index - from);
                              });
      }
      ImGui::EndDragDropTarget();
    }
  }
  ImGui::SameLine(right);
  event.removed = close_button("###remove");
  note_item("remove_" + line.id);
  compat::item_tooltip(tr("inspector.edits.remove"));
  return event;
}

// The cells edited in one mask, each with a button to undo it.
int draw_mask_cells(const PanelContext& context, std::size_t index, const MaskEdit& mask) {
  int lines = 0;
  for (const Mask::Cell& cell : mask.cells) {
    const Text words = mask_cell_words(mask.of, cell);
    const std::string id = "mask" + std::to_string(index) + "." + std::to_string(lines++);
    if (edit_line(context, {id, words.str()}, kMaskCell, true).removed)
      context.commands.edit(Text::of("inspector.edits.removed", {words}), {},
                            [of = mask.of, cell](Document& changed) -> Status {
                              take_back_mask_cell(changed, of, cell.query, cell.key);
                              return Done{};
                            });
  }
  return lines;
}

// The site where an edit takes effect; empty for masks.
std::optional<Site> site_of_edit(const PanelContext& context, const Edit& edit) {
  const Stack main = context.run->trace(0).config().stack;
  if (const Exchange* exchange = edit.exchange())
    return site_of(StepKind::residual_in, std::max(0, exchange->layer),
                   exchange->stack == Stack::single ? main : exchange->stack);
  const NumberEdit* number = edit.number();
  if (!number) return std::nullopt;
  if (number->where.kind == Target::Kind::input) return site_of(StepRole::embedding, -1, main);
  if (number->where.kind == Target::Kind::step) return number->where.site;
  const auto site = parse_site(number->where.weight.substr(0, number->where.weight.rfind('.')));
  return site ? std::optional(*site) : std::nullopt;
}

void go_to_edit(const PanelContext& context, const Edit& edit) {
  const auto site = context.run ? site_of_edit(context, edit) : std::nullopt;
  if (!site || !context.run->trace(context.workspace.cursor.sequence).find(*site)) return;
  go_to_site(context.workspace, *context.run, *site);
  Cursor& cursor = context.workspace.cursor;
  const NumberEdit* number = edit.number();
  if (!number || number->where.kind == Target::Kind::weight) return;
  Cell cell{*site, {}};
  for (const AxisRange& range : number->where.at) {
    if (range.axis == "head") cursor.head = static_cast<int>(range.begin);
    if (range.axis == "pos" || range.axis == "query") cursor.query = range.begin;
    if (range.axis == "key") cursor.key = range.begin;
    cell.at.push_back({range.axis, range.begin});
  }
  if (!cell_index(context.run->trace(cursor.sequence), cell).empty())
    pin_cell(context.workspace, *context.run, cell);
}

// True if no sequence of the run has the place, for instance after shortening the text.
bool is_unreached(const PanelContext& context, const Edit& edit) {
  if (!context.run || !edit.enabled || !edit.number()) return false;
  const auto& traces = context.run->traces;
  return std::all_of(traces.begin(), traces.end(), [&](const auto& trace) {
    return std::any_of(trace->unreached.begin(), trace->unreached.end(),
                       [&](const auto& one) { return same_edit(*one, edit); });
  });
}

// The adapter of the model (LoRA): each change reads the model again from its file, one undo point.
int draw_adapter(const PanelContext& context, const Document& document) {
  if (!document.opened || document.opened->lora.empty()) return 0;
  const LoraChoice now = document.opened->lora;
  const Text name = Text::of("inspector.lora", {lora_name(now)});
  const auto adapt = [&](const LoraChoice& lora, Text sentence, const char* gesture = "") {
    context.commands.act(
        [lora, sentence = std::move(sentence), gesture](Session& s) { s.adapt(lora, sentence, gesture); });
  };
  const EditLineEvent event = edit_line(context, {"adapter", name.str()}, kAdapter, now.on);
  if (event.removed) return adapt({}, Text::of("inspector.edits.removed", {name})), 1;
  if (event.toggled) {
    LoraChoice other = now;
    other.on = !now.on;
    adapt(other, Text::of(now.on ? "inspector.edits.off" : "inspector.edits.on", {name}));
  }
  InspectorCache& cache = inspector_cache(context.workspace);
  cache.strength_held = cache.strength_held && ImGui::IsAnyItemActive();
  if (!cache.strength_held && !context.session.adapting()) cache.strength = static_cast<float>(now.strength);
  const SliderEvent slid = slider_real(
      "###adapter_strength", tr("inspector.lora.strength"), cache.strength, -kMostStrength, kMostStrength,
      "%.2f", ImGui::GetContentRegionAvail().x - px(6), tr("inspector.lora.strength.help"));
  cache.strength_held = (cache.strength_held || slid.changed) && !slid.released;
  if (slid.released) {
    const LoraChoice other{now.folder, static_cast<double>(cache.strength), true};
    adapt(other, Text::of("inspector.lora.scaled", {lora_name(now), format("%.2f", other.strength)}),
          "adapter_strength");
  }
  return 1;
}

int draw_edit_lines(const PanelContext& context, const Document& document) {
  int lines = 0;
  for (std::size_t i = 0; i < document.edits.size(); ++i) {
    const Edit& edit = *document.edits[i];
    const MaskEdit* mask = edit.mask();
    if (mask && !mask->spec && edit.enabled) {
      lines += draw_mask_cells(context, i, *mask);
      continue;
    }
    const Text words = edit_words(edit);
    const std::string text = words.str();
    const EditLineEvent event =
        edit_line(context, {"edit" + std::to_string(i), text}, static_cast<int>(i), edit.enabled);
    if (event.toggled)
      context.commands.edit(
          Text::of(edit.enabled ? "inspector.edits.off" : "inspector.edits.on", {words}), {},
          [i, on = !edit.enabled](Document& changed) { return switch_edit(changed, i, on); });
    if (event.removed)
      context.commands.edit(Text::of("inspector.edits.removed", {words}), {},
                            [i](Document& changed) { return remove_edit(changed, i); });
    if (event.clicked) go_to_edit(context, edit);
    if (is_unreached(context, edit)) wrapped_text(tr("inspector.edits.unreached"), theme().warning);
    ++lines;
    if (mask && edit.enabled) lines += draw_mask_cells(context, i, *mask);
  }
  return lines;
}

// Edits that produce NaN are allowed: shows the first NaN of the run; a click goes there.
void draw_broken(const PanelContext& context) {
  if (!context.run || context.run->traces.empty() || context.run->document.edits.empty()) return;
  Workspace& workspace = context.workspace;
  const auto trace = context.run->shared(workspace.cursor.sequence);
  const auto broken = inspector_cache(workspace).broken.get(
      key_of({context.run->version, static_cast<std::uint64_t>(workspace.cursor.sequence)}),
      context.workers(), [trace] { return first_broken(*trace); });
  if (!broken || !*broken) return;
  const Cell& cell = **broken;
  const std::string text = tr("inspector.edits.broken", {to_text(cell)});
  if (!words_item({"broken", text}, ImGui::GetContentRegionAvail().x - px(6), theme().warning)) return;
  go_to_site(workspace, *context.run, cell.site);
  pin_cell(workspace, *context.run, cell);
}

// Appends the typed edit to the list, as the command line does.
void take_new_edit(const PanelContext& context, InspectorCache& cache) {
  const Session& session = context.session;
  const int sequence = context.workspace.cursor.sequence;
  const Document& document = session.document();
  const auto prompts = DataEdits::of_document(document, cache.new_edit);
  const auto read =
      !prompts
          ? Result<Edits>(prompts.error())
          : edits_of_text(
                cache.new_edit, document,
                named_numbers(*document.opened, runs_on_screen(session.result(), session.pinned(), sequence)),
                [&]() -> Result<std::vector<std::shared_ptr<const Trace>>> { return context.run->traces; },
                *prompts ? (*prompts)->of(nullptr) : DataNumbers());
  const Edits edits = read ? *read : Edits{};
  Status can = read ? Status(Done{}) : Status(read.error());
  for (const auto& edit : edits)
    if (can) can = check_new_edit(context, edit);
  cache.new_edit_error.reset();
  if (!can) cache.new_edit_error = can.error();
  if (!can) return;
  const Text words = edits.size() == 1 ? edit_words(*edits.front()) : Text(cache.new_edit);
  context.commands.edit(Text::of("inspector.edits.added", {words}), {}, [edits](Document& changed) -> Status {
    changed.edits.insert(changed.edits.end(), edits.begin(), edits.end());
    return Done{};
  });
  const std::vector<Text> others = other_models({cache.new_edit}, *document.opened);
  cache.other_model.reset();
  cache.other_words = {};
  if (!others.empty() && !edits.empty()) cache.other_model = others.front(), cache.from_other = edits.back();
  cache.new_edit.clear();
}

// As long as that edit stands in the list.
void draw_other_model(InspectorCache& cache, const Document& document) {
  if (!cache.other_model) return;
  const auto edit = cache.from_other.lock();
  if (std::find(document.edits.begin(), document.edits.end(), edit) == document.edits.end()) return;
  wrapped_text(cache.other_words.get({key_of(language())}, [&] { return cache.other_model->str(); }),
               theme().warning);
  note_item("edit_of_another_model");
}

void draw_new_edit(const PanelContext& context) {
  InspectorCache& cache = inspector_cache(context.workspace);
  bool entered = false;
  {
    const WithFont mono(fonts().mono_small);
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - px(6));
    entered = ImGui::InputTextWithHint("###new_edit", tr("inspector.edits.new"), &cache.new_edit,
                                       ImGuiInputTextFlags_EnterReturnsTrue);
    if (entered) ImGui::SetKeyboardFocusHere(-1);  // keep the focus: single letters elsewhere are shortcuts
    if (ImGui::IsItemEdited()) cache.new_edit_error.reset();
  }
  note_item("new_edit");
  if (!ImGui::IsItemActive() && !cache.new_edit_error)  // the tooltip would cover the error
    compat::item_tooltip(tr("inspector.edits.new.help"));
  if (entered && !cache.new_edit.empty()) take_new_edit(context, cache);
  if (cache.new_edit_error) wrapped_text(cache.new_edit_error->text(), theme().error);
  draw_other_model(cache, context.session.document());
}

}  // namespace

Status check_new_edit(const PanelContext& context, const std::shared_ptr<const Edit>& edit) {
  const Document& document = context.session.document();
  const int sequence = context.workspace.cursor.sequence;
  if (const NumberEdit* number = edit->number()) return check_edit(context.run->trace(sequence), *number);
  RunOptions options;
  for (const auto& one : document.edits)
    if (one->exchange()) options.edits.push_back(one);
  options.edits.push_back(edit);
  const auto inputs = inputs_of(document);
  return document.model->accepts(inputs.at(static_cast<std::size_t>(sequence)), options);
}

void draw_edits(const PanelContext& context) {
  section_title(tr("inspector.edits"));
  const Document& document = context.session.document();
  const int lines = draw_adapter(context, document) + draw_edit_lines(context, document);
  if (lines == 0) wrapped_text(tr("inspector.edits.none"), theme().text_dim);
  draw_broken(context);
  if (context.run && !context.run->recorded() && document.model) {
    draw_new_edit(context);
    draw_exchanges(context);
  }
  const History& history = context.session.history();
  if (!history.can_undo() || context.workspace.still) return;
  const std::string& words = inspector_cache(context.workspace).undo.get({history.version()}, [&] {
    return tr("inspector.undo", {history.undo_sentence()});
  });
  wrapped_text(words, theme().text_dim);
}

}  // namespace attnscope
