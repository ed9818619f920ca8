#include "app/widgets/pieces.h"

#include <algorithm>
#include <cstdio>

#include "app/look/item_map.h"
#include "app/look/key_controls.h"
#include "app/look/text_lines.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/number_field.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr ImGuiSliderFlags kSlider =
    ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_NoInput;  // Ctrl+click opens our own number field
bool headings_told = false;

// Caption over a slider: its name dim on the left, its value on the right.
// `face`: null for the small one, and the small digits.
void slider_caption(std::string_view title, std::string_view value, float width, ImFont* face = nullptr) {
  ImFont *words = face ? face : fonts().small, *digits = face ? face : fonts().mono_small;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Canvas canvas;
  const ImVec2 size = text_size(digits, value);
  draw_text(canvas, words, at, theme().text_dim,
            middle_truncated(words, title, std::max(1.f, width - size.x - scaled(6))));
  draw_text(canvas, digits, ImVec2(at.x + width - size.x, at.y), theme().text, value);
  ImGui::Dummy(ImVec2(width, text_size(words, "X").y));
}

SliderEvent slider_event(bool changed, const char* help) {
  const SliderEvent event{changed, ImGui::IsItemDeactivatedAfterEdit()};
  if (help) compat::item_tooltip(help);
  return event;
}

}  // namespace

void popup_over_panel() {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(screen.x - scaled(6), screen.y - scaled(6)), ImGuiCond_Always, ImVec2(1, 1));
}

void veil(ImVec2 p0, ImVec2 p1) { Canvas().fill_rect(p0, p1, with_alpha(theme().ground, 0.55f)); }

void tint(ImVec2 p0, ImVec2 p1) {
  const Canvas canvas;
  canvas.fill_rect(p0, p1, with_alpha(theme().warning, 0.24f));
  canvas.rect(p0, p1, with_alpha(theme().warning, 0.7f), 0, 0, scaled(1));
}

void end_at(ImVec2 position) {
  ImGui::SetCursorScreenPos(position);
  ImGui::Dummy(ImVec2(0, 0));  // newer versions of Dear ImGui assert unless an item follows
  ImGui::SetCursorScreenPos(position);
}

void figure_text(std::string_view text, float wrap) {
  note_text(text);
  const float width = wrap == 0 ? ImGui::GetContentRegionAvail().x : wrap;
  const std::string_view lines = wrap >= 0 ? in_lines(text, width) : text;
  if (wrap >= 0) ImGui::PushTextWrapPos(wrap == 0 ? 0.f : ImGui::GetCursorPosX() + wrap);
  ImGui::TextUnformatted(begin_of(lines), end_of(lines));
  if (wrap >= 0) ImGui::PopTextWrapPos();
  Canvas().drawn_text(nullptr, ImGui::GetItemRectMin(), ImGui::GetColorU32(ImGuiCol_Text), lines,
                      std::max(width, 0.f));
}

void text_line(ImFont* font, ImU32 colour, std::string_view text, float wrap) {
  const FontScope face(font);
  const ColourScope ink(ImGuiCol_Text, colour);
  figure_text(text, wrap);
}

void set_headings_told(bool told) { headings_told = told; }

void view_heading(std::string_view title, std::string_view sentence, float width) {
  {
    const FontScope face(headings_told ? fonts().body_bold : fonts().title);
    const ColourScope ink(ImGuiCol_Text, theme().text);
    figure_text(title, width);
  }
  if (headings_told && ImGui::IsItemHovered()) compat::item_tooltip(std::string(sentence).c_str());
  if (headings_told || sentence.empty()) return;
  const ColourScope ink(ImGuiCol_Text, theme().text_dim);
  figure_text(sentence, width);
}

void section_heading(std::string_view text) { text_line(fonts().body_bold, theme().text, text); }

void caption(std::string_view text, float width) {
  const FontScope face(fonts().small);
  const ColourScope ink(ImGuiCol_Text, theme().text_dim);
  figure_text(text, width);
}

float caption_height(std::string_view text, float width) {
  const FontScope face(fonts().small);
  return ImGui::CalcTextSize(begin_of(text), end_of(text), false, width).y;
}

bool chip(const Label& label, bool on, const char* help) {
  const Theme& t = theme();
  bool clicked = false;
  {
    const ColourScope ground(ImGuiCol_Button, on ? t.accent_soft : t.panel_raised);
    const ColourScope edge(ImGuiCol_Border, on ? t.accent : t.border);
    const ColourScope ink(ImGuiCol_Text, on && t.kind == ThemeKind::dark ? t.accent : t.text);
    clicked = ImGui::Button(label.c_str());
  }
  note_item(label);
  if (help) compat::item_tooltip(help);
  return clicked;
}

float chip_width(const Label& label) {
  return ImGui::CalcTextSize(label.c_str(), nullptr, true).x + 2 * ImGui::GetStyle().FramePadding.x;
}

ChipRow::ChipRow(ImVec2 at, float width, const Look& look)
    : face_(look.font),
      slim_(ImGuiStyleVar_FramePadding, ImVec2(scaled(look.padding.x), scaled(look.padding.y))),
      at_(at),
      gap_(scaled(look.gap), scaled(look.gap)),
      width_(width),
      right_(at.x),
      y_(at.y),
      cut_(look.cut) {}

ChipRow::ChipRow(float width, float gap)
    : face_(nullptr),
      slim_(ImGuiStyleVar_FramePadding, ImGui::GetStyle().FramePadding),
      at_(ImGui::GetCursorScreenPos()),
      gap_(scaled(gap), ImGui::GetStyle().ItemSpacing.y),
      width_(width),
      right_(at_.x),
      y_(at_.y) {}

bool ChipRow::place(float wide) {
  float x = right_ > at_.x ? right_ + before_ : right_;
  if (x + wide > at_.x + width_) {
    if (cut_) return false;
    if (x > at_.x) y_ += ImGui::GetFrameHeight() + gap_.y;
    x = at_.x;
  }
  ImGui::SetCursorScreenPos(ImVec2(x, y_));
  right_ = x + wide;
  before_ = gap_.x;
  return true;
}

bool ChipRow::operator()(const Label& label, bool on, const char* help) {
  return place(chip_width(label)) && chip(label, on, help);
}

SliderEvent slider_int(const char* id, std::string_view title, std::int64_t& value, std::int64_t lo,
                       std::int64_t hi, float width, const char* help, bool logarithmic) {
  const StyleScope tight(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(8), scaled(3)));
  const FontScope face(fonts().small);
  ImGui::BeginGroup();
  slider_caption(title, std::to_string(value), width);
  ImGui::SetNextItemWidth(width);
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(4), 0));
  SliderEvent event;
  if (typed_instead(id, width)) {
    event = number_field(id, value, lo, hi);
    event.typed = true;
  } else {
    const ImGuiSliderFlags flags = kSlider | (logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
    const bool changed = ImGui::SliderScalar(id, ImGuiDataType_S64, &value, &lo, &hi, "", flags);
    note_item(id);
    if (ImGui::IsItemClicked()) take_digits();
    event = slider_event(changed, help);
  }
  ImGui::EndGroup();
  return event;
}

SliderEvent slider_real(const char* id, std::string_view title, float& value, float lo, float hi,
                        const char* shape, float width, const char* help, bool logarithmic, ImFont* face) {
  const StyleScope tight(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(8), scaled(3)));
  const FontScope letters(fonts().small);
  ImGui::BeginGroup();
  char text[48];
  std::snprintf(text, sizeof text, shape, static_cast<double>(value));
  slider_caption(title, text, width, face);
  ImGui::SetNextItemWidth(width);
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(4), 0));
  SliderEvent event;
  if (typed_instead(id, width)) {
    double number = static_cast<double>(value);
    event = number_field(id, number, static_cast<double>(lo), static_cast<double>(hi), {"%.4g"});
    event.typed = true;
    if (event.changed) value = static_cast<float>(number);
  } else {
    const ImGuiSliderFlags flags = kSlider | (logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
    const bool changed = ImGui::SliderFloat(id, &value, lo, hi, "", flags);
    note_item(id);
    if (ImGui::IsItemClicked()) take_digits();
    event = slider_event(changed, help);
  }
  ImGui::EndGroup();
  return event;
}

bool play_button(const char* id, bool playing, const char* help) {
  const float side = scaled(28);
  const ImVec2 at = ImGui::GetCursorScreenPos(), centre(at.x + side / 2, at.y + side / 2);
  const bool clicked = hit_area(id, ImVec2(side, side));
  note_item(id);
  const Theme& t = theme();
  const Canvas canvas;
  const float alpha = ImGui::GetStyle().Alpha;  // lower when disabled
  canvas.fill_circle(centre, side / 2,
                     with_alpha(ImGui::IsItemHovered() ? mix(t.accent, t.text, 0.2f) : t.accent, alpha));
  const float r = side * 0.19f;
  if (playing) {
    canvas.fill_rect(ImVec2(centre.x - r, centre.y - r), ImVec2(centre.x - r * 0.3f, centre.y + r),
                     t.on_accent);
    canvas.fill_rect(ImVec2(centre.x + r * 0.3f, centre.y - r), ImVec2(centre.x + r, centre.y + r),
                     t.on_accent);
  } else {
    canvas.fill_triangle(ImVec2(centre.x - r * 0.7f, centre.y - r * 1.2f),
                         ImVec2(centre.x + r * 1.3f, centre.y),
                         ImVec2(centre.x - r * 0.7f, centre.y + r * 1.2f), t.on_accent);
  }
  if (help) compat::item_tooltip(help);
  return clicked;
}

}  // namespace attnscope
