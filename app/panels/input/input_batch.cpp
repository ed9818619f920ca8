#include "app/panels/input/input_batch.h"

#include <algorithm>
#include <limits>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/panels/input/input_line.h"
#include "app/state/controls.h"
#include "app/widgets/number_field.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr int kMostTabs = 6;
constexpr float kNumberField = 96.f, kToField = 64.f, kFieldGap = 4.f;

int sequences(const PanelContext& context) {
  return static_cast<int>(context.session.document().sequences.size());
}

bool has_tokens(const PanelContext& context) {
  const auto& all = context.session.document().sequences;
  return std::any_of(all.begin(), all.end(), [](const Sequence& sequence) {
    return !sequence.input.ids.empty() || !sequence.input.source.empty();
  });
}

Text padding_words(const Padding& padding) {
  if (!padding.on) return Text::of("input.padding.off");
  const char* side = padding.side == PadSide::left ? "input.padding.left" : "input.padding.right";
  return padding.to > 0 ? Text::of("input.padding.to_now", {Text::of(side), padding.to}) : Text::of(side);
}

const std::string& padding_label(const PanelContext& context) {
  static KeptText kept;
  const Padding& padding = context.session.document().padding;
  return kept.get(
      {padding.on, static_cast<std::uint64_t>(padding.side), static_cast<std::uint64_t>(padding.to)},
      [&] { return tr("input.padding.now", {padding_words(padding).str()}) + " \u25be"; });
}

}  // namespace

float BatchBar::width(const PanelContext& context) const {
  const int count = sequences(context);
  float width = ImGui::CalcTextSize(tr("input.sequence")).x + px(8);
  if (count > kMostTabs) width += px(kNumberField) + px(kFieldGap);
  for (int i = 0; i < count && count <= kMostTabs; ++i)
    width += button_width(std::to_string(i + 1)) + px(kFieldGap);
  width += button_width("+") + px(kFieldGap);
  if (count > 1) width += button_width("\u2212") + px(kFieldGap);
  if (has_tokens(context)) width += px(10) + button_width(padding_label(context));
  return width;
}

void BatchBar::draw_tabs(const PanelContext& context) {
  const int count = sequences(context);
  int& chosen = context.workspace.cursor.sequence;
  ImGui::AlignTextToFramePadding();
  dim_text(tr("input.sequence"));
  ImGui::SameLine(0, px(8));
  if (count > kMostTabs) {
    int number = chosen + 1;
    ImGui::SetNextItemWidth(px(kNumberField));
    if (number_field("###sequence", number, 1, count, {"", nullptr, true}).changed) chosen = number - 1;
    ImGui::SameLine(0, px(kFieldGap));
  }
  for (int i = 0; i < count && count <= kMostTabs; ++i) {
    if (raised_button({std::to_string(i + 1), "###sequence", std::to_string(i)}, i == chosen)) chosen = i;
    ImGui::SameLine(0, px(kFieldGap));
  }
  const std::size_t at = sequence_index(context);
  if (raised_button("+###add_sequence"))
    context.commands.act([this, at](Session& session) {
      const Status added = session.edit(Text::of("input.edit.add_sequence", {std::to_string(at + 1)}), {},
                                        [at](Document& changed) { return add_sequence(changed, at); });
      if (added) go_to_ = at + 1;
    });
  compat::item_tooltip(tr("input.add_sequence.help"));
  if (count < 2) return;
  ImGui::SameLine(0, px(kFieldGap));
  if (raised_button("\u2212###delete_sequence"))
    context.commands.edit(Text::of("input.edit.delete_sequence", {std::to_string(at + 1)}), {},
                          [at](Document& changed) { return delete_sequence(changed, at); });
  if (ImGui::IsItemHovered())
    compat::item_tooltip(tr("input.delete_sequence.help", {std::to_string(at + 1)}).c_str());
}

void BatchBar::change(const PanelContext& context, const Padding& wanted, const char* gesture) {
  if (wanted == context.session.document().padding) return;
  context.commands.act([this, wanted, gesture = std::string(gesture)](Session& session) {
    Document tried = session.document();
    const Status fits = set_padding(tried, wanted);
    error_.reset();
    if (!fits) error_ = fits.error();
    if (fits)
      (void)session.edit(Text::of("input.edit.padding", {padding_words(wanted)}), gesture,
                         [&](Document& changed) { return set_padding(changed, wanted); });
  });
}

void BatchBar::draw_padding_popup(const PanelContext& context) {
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(14), px(12)));
  if (!ImGui::BeginPopup("###padding_popup")) {
    wanted_to_.reset();
    error_.reset();
    return;
  }
  Padding now = context.session.document().padding;
  const struct {
    const char *key, *id;
    bool on;
    PadSide side;
  } choices[] = {{"input.padding.off", "###padding_off", false, now.side},
                 {"input.padding.right", "###padding_right", true, PadSide::right},
                 {"input.padding.left", "###padding_left", true, PadSide::left}};
  for (const auto& choice : choices) {
    const bool chosen = now.on == choice.on && (!choice.on || now.side == choice.side);
    if (raised_button(Label(tr(choice.key), choice.id), chosen))
      change(context, {choice.on, choice.side, now.to}, "");
    ImGui::SameLine(0, px(kFieldGap));
  }
  ImGui::SameLine(0, px(14));
  ImGui::TextUnformatted(tr("input.padding.to"));
  ImGui::SameLine(0, px(8));
  int to = wanted_to_.value_or(static_cast<int>(now.to));
  ImGui::SetNextItemWidth(px(kToField));
  const SliderEvent typed = number_field("###padding_to", to, 0, std::numeric_limits<int>::max());
  if (typed.changed) {
    wanted_to_ = to;
    change(context, {true, now.side, to}, "padding_to");
  }
  if (ImGui::IsItemDeactivated()) context.commands.end_gesture();
  if (!ImGui::IsItemActive() && !error_) wanted_to_.reset();
  ImGui::PushTextWrapPos(px(360));
  dim_text(tr("input.padding.note"));
  ImGui::PopTextWrapPos();
  if (error_) {
    ImGui::PushTextWrapPos(px(360));
    const WithColour ink(ImGuiCol_Text, theme().error);
    ImGui::TextUnformatted(error_->text().c_str());
    note_item("padding_error");
    ImGui::PopTextWrapPos();
  }
  ImGui::EndPopup();
}

void BatchBar::draw_padding(const PanelContext& context) {
  ImGui::SameLine(0, px(10));
  if (raised_button({padding_label(context), "###padding"}, context.session.document().padding.on))
    ImGui::OpenPopup("###padding_popup");
  compat::item_tooltip(tr("input.padding.button.help"));
  popup_below_item(true);
  draw_padding_popup(context);
}

void BatchBar::draw(const PanelContext& context) {
  if (go_to_ && context.run && *go_to_ < context.run->traces.size())
    context.workspace.cursor.sequence = static_cast<int>(*std::exchange(go_to_, std::nullopt));
  draw_tabs(context);
  if (has_tokens(context)) draw_padding(context);
}

}  // namespace attnscope
