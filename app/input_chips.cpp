// The chips of the input bar: one per token, in a strip that scrolls sideways; the button that generates, and
// the choice of a sequence of the batch.
#include <algorithm>

#include "app/controls.h"
#include "app/input_bar.h"
#include "app/look/item_map.h"
#include "app/look/strings.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr float kChipHeight = 26.f, kChipGap = 6.f, kChipPadding = 9.f;
constexpr float kWidestLabel = 160.f;
constexpr int kMostSequenceButtons = 8;

std::string id_text(std::size_t pos) { return "###chip" + std::to_string(pos); }

}  // namespace

void InputBar::measure_chips(const PanelContext& context, const Document& document,
                             const Sequence& sequence) {
  const auto length = static_cast<std::size_t>(sequence.input.length());
  const bool same = chip_ids_ == sequence.input.ids && chip_labels_.size() == length &&
                    chip_scale_ == ui_scale() && !typing_;
  if (same && opened_ == context.session.opened_version() && !chip_x_.empty()) return;
  chip_ids_ = sequence.input.ids;
  chip_scale_ = ui_scale();
  chip_labels_.resize(length);
  chip_x_.assign(1, 0.f);
  const bool vectors = !sequence.input.vectors.empty();
  const WithFont face(fonts().mono);
  for (std::size_t pos = 0; pos < length; ++pos) {
    const std::string label = position_label(*document.opened, sequence, static_cast<std::int64_t>(pos));
    chip_labels_[pos] = shortened(vectors ? tr("input.token", {label}) : label, px(kWidestLabel));
    note_text(chip_labels_[pos]);
    float width = ImGui::CalcTextSize(chip_labels_[pos].c_str()).x + 2 * px(kChipPadding);
    {
      const WithFont small(fonts().mono_small);
      width += px(5) + ImGui::CalcTextSize(std::to_string(pos).c_str()).x;
    }
    chip_x_.push_back(chip_x_.back() + width + px(kChipGap));
  }
}

void InputBar::draw_chip(const PanelContext& context, const Sequence& sequence, std::size_t pos,
                         float height) {
  Cursor& cursor = context.workspace.cursor;
  const auto index = static_cast<std::int64_t>(pos);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 end(at.x + chip_x_[pos + 1] - chip_x_[pos] - px(kChipGap), at.y + height);
  if (ImGui::InvisibleButton(id_text(pos).c_str(), ImVec2(end.x - at.x, height))) {
    (ImGui::GetIO().KeyShift ? cursor.key : cursor.query) = index;
  }
  note_item(id_text(pos));
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) lit_next_ = index;
  if (ImGui::IsItemClicked(ImGuiMouseButton_Right) || (hovered && ImGui::IsMouseDoubleClicked(0))) {
    menu_pos_ = pos;
    open_menu_ = true;
  }
  const Theme& t = theme();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, end, hovered || lit_ == index ? t.hovered : t.panel_raised, px(metric::kRounding));
  const bool query = cursor.query == index, key = cursor.key == index;
  list->AddRect(at, end,
                query ? t.q
                : key ? t.k
                      : t.border,
                px(metric::kRounding), 0, query || key ? px(2) : 1.f);
  const float middle = (at.y + end.y) / 2, left = at.x + px(kChipPadding);
  const auto write = [&](ImFont* font, float x, const std::string& text, ImU32 colour) {
    const WithFont face(font);
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    list->AddText(ImVec2(x, middle - size.y / 2), colour, text.c_str());
    return x + size.x;
  };
  const float next = write(fonts().mono, left, chip_labels_[pos], t.text);
  write(fonts().mono_small, next + px(5), std::to_string(pos), t.text_dim);
  if (hovered && sequence.input.vectors.empty())
    ImGui::SetTooltip("%s", tr("input.chip.help", {chip_labels_[pos], std::to_string(sequence.input.ids[pos]),
                                                   std::to_string(pos)})
                                .c_str());
  else if (hovered)
    ImGui::SetTooltip("%s", tr("input.row.help", {std::to_string(pos)}).c_str());
}

void InputBar::draw_strip(const PanelContext& context, const Sequence& sequence, float width, float height) {
  const float content = chip_x_.back();
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  compat::begin_child("chips", ImVec2(width, height + px(7)), false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const float wheel = ImGui::GetIO().MouseWheel + ImGui::GetIO().MouseWheelH;
  float scroll = ImGui::GetScrollX();
  if (wheel != 0 && ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem))
    scroll -= wheel * px(80);
  const std::int64_t query = context.workspace.cursor.query;
  if (query != shown_query_ && query >= 0 && query + 1 < static_cast<std::int64_t>(chip_x_.size())) {
    shown_query_ = query;
    scroll = std::clamp(scroll, chip_x_[static_cast<std::size_t>(query) + 1] - width + px(20),
                        chip_x_[static_cast<std::size_t>(query)]);
  }
  scroll = std::clamp(scroll, 0.f, std::max(0.f, content - width));
  if (scroll != ImGui::GetScrollX()) ImGui::SetScrollX(scroll);
  const auto first = std::upper_bound(chip_x_.begin(), chip_x_.end(), scroll) - chip_x_.begin();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  for (auto pos = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, first - 1));
       pos + 1 < chip_x_.size() && chip_x_[pos] < scroll + width; ++pos) {
    ImGui::SetCursorScreenPos(ImVec2(origin.x + chip_x_[pos], origin.y));
    draw_chip(context, sequence, pos, height);
  }
  ImGui::SetCursorScreenPos(ImVec2(origin.x + content - 1, origin.y));
  ImGui::Dummy(ImVec2(1, 1));
  if (content > width + 1) {
    const ImVec2 low(ImGui::GetWindowPos().x, origin.y + height + px(3));
    const float begin = scroll / content * width, part = width / content * width;
    ImGui::GetWindowDrawList()->AddRectFilled(
        ImVec2(low.x + begin, low.y), ImVec2(low.x + begin + part, low.y + px(3)), theme().border, px(1.5f));
  }
  ImGui::EndChild();
}

void InputBar::draw_generate(const PanelContext& context) {
  const int sequence = context.workspace.cursor.sequence;
  if (context.session.generating()) {
    if (raised_button(std::string("\u25a0 ") + tr("input.stop") + "###generate", true))
      context.commands.act([](Session& session) { session.cancel_generating(); });
    return;
  }
  {
    const WithColour ink(ImGuiCol_Text, theme().accent);
    if (ImGui::Button((std::string("\u25b6 ") + tr("input.generate") + "###generate").c_str()))
      context.commands.act([sequence, count = generate_count_](Session& session) {
        session.generate(sequence, count, tr("input.edit.generate", {std::to_string(count)}));
      });
  }
  note_item("generate");
  compat::item_tooltip(tr("input.generate.help", {std::to_string(generate_count_)}).c_str());
  ImGui::SameLine(0, px(3));
  if (raised_button(std::to_string(generate_count_) + " \u25be###generate_count"))
    ImGui::OpenPopup("###generate_counts");
  if (!begin_popup("###generate_counts")) return;
  for (const int count : {1, 5, 20, 50})
    if (ImGui::MenuItem(
            (tr("input.tokens", {std::to_string(count)}) + "###count" + std::to_string(count)).c_str(),
            nullptr, count == generate_count_))
      generate_count_ = count;
  ImGui::EndPopup();
}

void InputBar::draw_sequences(const PanelContext& context, float right) {
  const int count = static_cast<int>(context.session.document().sequences.size());
  int& chosen = context.workspace.cursor.sequence;
  const std::string word = tr("input.sequence");
  const int shown = std::min(count, kMostSequenceButtons);
  float width = ImGui::CalcTextSize(word.c_str()).x + px(8);
  for (int i = 0; i < shown; ++i) width += button_width(std::to_string(i)) + px(4);
  if (count > shown) width = ImGui::CalcTextSize(word.c_str()).x + px(8 + 110);
  ImGui::SetCursorScreenPos(ImVec2(right - width, ImGui::GetCursorScreenPos().y));
  ImGui::AlignTextToFramePadding();
  dim_text(word);
  ImGui::SameLine(0, px(8));
  if (count > shown) {
    int number = chosen + 1;
    ImGui::SetNextItemWidth(px(110));
    if (ImGui::InputInt("###sequence", &number)) chosen = std::clamp(number - 1, 0, count - 1);
    return;
  }
  for (int i = 0; i < shown; ++i) {
    if (raised_button(std::to_string(i + 1) + "###sequence" + std::to_string(i), i == chosen)) chosen = i;
    ImGui::SameLine(0, px(4));
  }
}

void InputBar::draw_chips(const PanelContext& context, float width) {
  const Document& document = context.session.document();
  const auto at = std::min(document.sequences.size() - 1,
                           static_cast<std::size_t>(std::max(0, context.workspace.cursor.sequence)));
  const Sequence& sequence = document.sequences[at];
  measure_chips(context, document, sequence);
  const bool vectors = !sequence.input.vectors.empty();
  const bool predicts = !vectors && document.model->config().head.present;
  const float side = (predicts  ? px(170)
                      : vectors ? px(110)
                                : 0.f) +
                     (document.sequences.size() > 1 ? px(190) : 0.f);
  const float strip = std::clamp(chip_x_.back(), px(40), std::max(px(80), width - side));
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float height = px(kChipHeight);
  draw_strip(context, sequence, strip, height);
  const WithVar padding(ImGuiStyleVar_FramePadding, ImVec2(px(10), (height - ImGui::GetFontSize()) / 2));
  ImGui::SetCursorScreenPos(ImVec2(origin.x + strip, origin.y));
  if (predicts) draw_generate(context);
  if (vectors) {
    const WithColour ink(ImGuiCol_Text, theme().text_dim);
    if (ImGui::Button((std::string(tr("input.add_token")) + "###add_token").c_str()))
      context.commands.edit(tr("input.edit.add_token"), {}, add_position);
    note_item("add_token");
    compat::item_tooltip(tr("input.add_token.help"));
  }
  if (document.sequences.size() > 1) {
    ImGui::SetCursorScreenPos(ImVec2(origin.x, origin.y));
    draw_sequences(context, origin.x + width);
  }
}

}  // namespace attnscope
