#include "app/panels/input/input_mask.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/panels/input/input_line.h"
#include "app/state/controls.h"
#include "app/widgets/places.h"
#include "core/base/computed.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/mask_edits.h"

namespace attnscope {
namespace {

constexpr float kMaskField = 330.f, kPreview = 150.f, kLabel = 150.f;
constexpr std::int64_t kMostPreview = 256;  // tokens; longer masks are cropped
constexpr std::int64_t kPresetWindow = 4;

// The masks set by the user: "causal", "enc:window(4)"; "model" if none is set.
std::string masks_text(const Document& document) {
  std::string text;
  for (const AttentionKind of : kAttentionKinds) {
    const MaskSpec spec = asked_mask(document, of);
    if (!spec.is_model()) text += (text.empty() ? "" : ", ") + std::string(mask_prefix(of)) + spec.text();
  }
  return text.empty() ? MaskSpec().text() : text;
}

// The same in the window's language where it is one word.
std::string told_masks(const Document& document) {
  std::string text = masks_text(document);
  if (text == "model") return tr("input.mask.model");
  if (text == "causal") return tr("mask.kind.causal");
  return text == "full" ? tr("mask.kind.full") : text;
}

std::uint64_t document_key(const PanelContext& context) {
  return key_of({context.session.opened_version(), context.session.history().point()});
}

std::string spans_now(const PanelContext& context) {
  return spans_text(context.session.document().sequences[sequence_index(context)].input.spans);
}

void draw_error(const std::optional<Error>& error, const char* name) {
  if (!error) return;
  const WithColour ink(ImGuiCol_Text, theme().error);
  text_in_lines(error->text(), px(kMaskField));
  note_item(name);
  note_text(error->text());
}

/// A single-line field in the mono font; true when it was changed.
bool field(const char* id, const char* hint, std::string& text, bool& typing, bool wrong) {
  const WithFont face(fonts().mono);
  const WithColour border(ImGuiCol_Border, wrong ? theme().error : theme().border);
  ImGui::SetNextItemWidth(px(kMaskField));
  const bool changed = ImGui::InputTextWithHint((std::string("###") + id).c_str(), hint, &text);
  note_item(id);
  typing = ImGui::IsItemActive();
  return changed;
}

}  // namespace

const std::string& MaskBox::label(const PanelContext& context) const {
  return label_.get({document_key(context)}, [&] {
    const std::string text = told_masks(context.session.document());
    note_text(text);
    return tr("input.mask.now", {shortened(text, px(kLabel))}) + " \u25be";
  });
}

bool MaskBox::own_masks(const PanelContext& context) const {
  if (const std::uint64_t key = document_key(context); std::exchange(own_key_, key) != key)
    own_ = all_own_masks(context.session.document());
  return own_;
}

float MaskBox::width(const PanelContext& context) const { return button_width(label(context)); }

void MaskBox::follow(const PanelContext& context) {
  const std::uint64_t point = context.session.history().point();
  if (point != point_ && !typing_text_) text_error_.reset();
  if (point != point_ && !typing_spans_) spans_error_.reset();
  point_ = point;
  const Document& document = context.session.document();
  if (!document.model || !has_attention(document.model->config(), of_)) of_ = AttentionKind::main;
  if (!typing_text_ && !text_error_) text_ = asked_mask(document, of_).text();
  if (!typing_spans_ && !spans_error_) spans_ = spans_now(context);
}

void MaskBox::try_mask(Session& session, const std::string& text) {
  Document tried = session.document();
  const AttentionKind of = of_;
  const Status fits = set_mask_text(tried, text, of);
  text_error_.reset();
  if (!fits) text_error_ = fits.error();
  const MaskSpec asked = asked_mask(tried, of);
  const std::string prefix(mask_prefix(of));
  if (fits && asked != asked_mask(session.document(), of))
    (void)session.edit(Text::of("input.edit.mask", {prefix + asked.text()}), "mask_text" + prefix,
                       [&](Document& changed) { return set_mask_text(changed, text, of); });
  point_ = session.history().point();
}

// The mask text may name spans: it is validated against the new ones, as is a mask text that had an error.
void MaskBox::try_spans(const PanelContext& context, const std::string& text) {
  const std::size_t count = context.session.document().sequences.size();
  const std::size_t first = all_ ? 0 : sequence_index(context), end = all_ ? count : first + 1;
  context.commands.act([this, first, end, text](Session& session) {
    const auto change = [&](Document& changed) -> Status {
      for (std::size_t at = first; at < end; ++at) TRY_OK(set_spans(changed, at, text));
      return set_mask_text(changed, asked_mask(changed, AttentionKind::main).text());
    };
    Document tried = session.document();
    const Status fits = change(tried);
    spans_error_.reset();
    if (!fits) spans_error_ = fits.error();
    bool other = false;
    for (std::size_t at = first; at < end; ++at)
      other |= tried.sequences[at].input.spans != session.document().sequences[at].input.spans;
    if (fits && other) (void)session.edit(Text::of("input.edit.spans", {text}), "spans_text", change);
    if (fits && text_error_) try_mask(session, text_);
    point_ = session.history().point();
  });
}

// Chips to choose which of the model's masks is edited; nothing if there is one.
void MaskBox::draw_choice(const PanelContext& context) {
  if (!context.session.document().model) return;
  const ModelConfig& config = context.session.document().model->config();
  const auto count = std::count_if(kAttentionKinds.begin(), kAttentionKinds.end(),
                                   [&](AttentionKind of) { return has_attention(config, of); });
  if (count < 2) return;
  bool first = true;
  for (const AttentionKind of : kAttentionKinds) {
    if (!has_attention(config, of)) continue;
    if (!first) ImGui::SameLine(0, px(5));
    first = false;
    const std::string id = "###mask_of" + std::to_string(static_cast<int>(of));
    if (!raised_button(attention_name(config, attention_place(of, config.stack)) + id, of == of_) ||
        of == of_)
      continue;
    of_ = of;
    text_error_.reset();
    text_ = asked_mask(context.session.document(), of).text();
    context.commands.end_gesture();
  }
}

void MaskBox::draw_presets(const PanelContext& context) {
  const Document& document = context.session.document();
  const std::vector<std::string> presets =
      mask_presets(document, of_, sequence_index(context), kPresetWindow);
  const WithFont face(fonts().mono);
  const float right = ImGui::GetCursorScreenPos().x + px(kMaskField);
  for (std::size_t i = 0; i < presets.size(); ++i) {
    const std::string shown = shortened(presets[i], px(160));
    if (i > 0 && ImGui::GetItemRectMax().x + px(5) + button_width(shown) < right) ImGui::SameLine(0, px(5));
    const bool on = is_chosen_mask(document, presets[i], of_);
    if (!raised_button(shown + "###mask_preset" + std::to_string(i), on)) continue;
    text_error_.reset();
    const std::string prefix(mask_prefix(of_));
    context.commands.edit(
        Text::of("input.edit.mask", {prefix + presets[i]}), {},
        [text = presets[i], of = of_](Document& changed) { return choose_mask(changed, text, of); });
  }
}

void MaskBox::draw_text(const PanelContext& context) {
  if (field("mask_text", tr("input.mask.hint"), text_, typing_text_, text_error_.has_value()))
    context.commands.act([this, text = text_](Session& session) { try_mask(session, text); });
  if (ImGui::IsItemDeactivated()) context.commands.end_gesture();
  draw_error(text_error_, "mask_error");
}

void MaskBox::draw_spans(const PanelContext& context) {
  dim_text(tr("input.spans"));
  if (context.session.document().sequences.size() > 1) {
    ImGui::SameLine(0, px(12));
    if (raised_button(Label(tr("input.spans.all"), "###spans_all"), all_)) {
      all_ = !all_;
      if (all_) try_spans(context, spans_);
    }
  }
  if (field("spans_text", tr("input.spans.hint"), spans_, typing_spans_, spans_error_.has_value()))
    try_spans(context, spans_);
  if (ImGui::IsItemDeactivated()) context.commands.end_gesture();
  draw_error(spans_error_, "spans_error");
}

// The mask of block 0 of its stack for the cursor's sequence: allowed pairs light, others hatched.
void MaskBox::draw_preview(const PanelContext& context) {
  if (!context.run) return;
  const RunResult& run = *context.run;
  const int sequence = run.nearest(static_cast<int>(sequence_index(context)));
  const Trace& trace = run.trace(sequence);
  const Record* record = has_attention(trace.config(), of_)
                             ? trace.find(attention_place(of_, trace.config().stack).site(StepRole::mask, 0))
                             : nullptr;
  if (!record) return;
  const std::int64_t rows = std::min(record->shape[0], kMostPreview),
                     cols = std::min(record->shape[1], kMostPreview);
  const std::uint64_t key =
      key_of({run.version, static_cast<std::uint64_t>(sequence), static_cast<std::uint64_t>(of_)});
  if (preview_key_ != key) {
    preview_key_ = key;
    const MaskPlace place{of_, 0, sequence};
    preview_ = mask_plane(mask_of(run.document, place), {0, rows}, {0, cols});
  }
  context.painter.upload("input.mask", preview_);
  HeatStyle style;
  style.map = Colormap::mask;
  style.gap = std::max(rows, cols) <= 32 ? px(1) : 0.f;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 end(at.x + px(kPreview), at.y + px(kPreview));
  context.painter.heatmap(ImGui::GetWindowDrawList(), "input.mask", at, end, style);
  ImGui::Dummy(ImVec2(px(kPreview), px(kPreview)));
  note_item("mask_preview");
  dim_text(tr("input.mask.preview", {std::to_string(rows), std::to_string(cols)}));
}

void MaskBox::draw_popup(const PanelContext& context) {
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(16), px(14)));
  if (!ImGui::BeginPopup("###mask_popup")) {
    text_error_.reset();
    spans_error_.reset();
    typing_text_ = typing_spans_ = false;
    return;
  }
  follow(context);
  ImGui::BeginGroup();
  {
    const WithFont face(fonts().body_bold);
    ImGui::TextUnformatted(tr("input.mask.title"));
  }
  draw_choice(context);
  draw_presets(context);
  draw_text(context);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + px(kMaskField));
  dim_text(tr("input.mask.note"));
  ImGui::PopTextWrapPos();
  ImGui::Dummy(ImVec2(1, px(2)));
  if (of_ == AttentionKind::main) draw_spans(context);
  ImGui::EndGroup();
  ImGui::SameLine(0, px(20));
  ImGui::BeginGroup();
  draw_preview(context);
  ImGui::EndGroup();
  ImGui::EndPopup();
}

void MaskBox::draw(const PanelContext& context) {
  if (raised_button({label(context), "###mask"}, !own_masks(context))) ImGui::OpenPopup("###mask_popup");
  const std::size_t cells = count_switched_cells(context.session.document());
  compat::item_tooltip(cells ? tr("input.mask.cells", {std::to_string(cells)}).c_str()
                             : tr("input.mask.button.help"));
  if (cells > 0) {  // a dot instead of text, so that the layout is stable while cells are painted
    const ImVec2 corner(ImGui::GetItemRectMax().x - px(4), ImGui::GetItemRectMin().y + px(4));
    ImGui::GetWindowDrawList()->AddCircleFilled(corner, px(3.5f), theme().warning);
    note_item("mask_cells_dot");
  }
  popup_below_item(true);
  draw_popup(context);
}

}  // namespace attnscope
