#include "app/widgets/number_field.h"

#include <imgui_internal.h>  // the id of the active item

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>
#include <variant>

#include "app/look/item_map.h"
#include "core/base/number.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

using Number = std::variant<double, std::uint64_t>;
constexpr float kRefusalWidth = 300.f;  // units

/// State of the field that was clicked last: its text, and its value before typing.
struct Typing {
  ImGuiID id = 0;
  std::string text, first;
  Number before;
  std::optional<Error> refused;
  bool left = false;  ///< it lost the focus with text that is no number
};
Typing& typing() {
  static Typing typing;
  return typing;
}

struct FieldKind {
  std::string shown;
  std::function<Result<Number>(std::string_view)> read;
};

// Sets `value` to the typed number, or to the one from before when the text is not valid.
bool take(Typing& now, const FieldKind& kind, Number& value) {
  const Number was = value;
  now.refused.reset();
  value = now.before;
  if (now.text == now.first) return value != was;
  if (auto read = kind.read(plain_number(now.text)))
    value = *read;
  else
    now.refused = read.error();
  return value != was;
}

SliderEvent field_of(const char* id, Number& value, const FieldKind& kind, const NumberLook& look) {
  Typing& now = typing();
  const ImGuiID own = ImGui::GetID(id);
  bool mine = now.id == own;
  const bool active = ImGui::GetActiveID() == own;
  if (mine && now.left &&
      (ImGui::IsMouseClicked(0) || !ImGui::GetIO().InputQueueCharacters.empty() || active)) {
    now = {};
    mine = false;
  }
  std::string text = mine && (active || now.left) ? now.text
                     : look.blank && !active      ? std::string()
                                                  : kind.shown;
  const bool wrong = mine && now.refused;
  SliderEvent event;
  bool edited = false;
  {
    const ColourScope edge(ImGuiCol_Border, wrong ? theme().error : ImGui::GetColorU32(ImGuiCol_Border));
    const StyleScope line(ImGuiStyleVar_FrameBorderSize,
                          wrong ? scaled(1.5f) : ImGui::GetStyle().FrameBorderSize);
    edited = ImGui::InputText(id, &text, ImGuiInputTextFlags_AutoSelectAll);
  }
  note_item(id);
  if (ImGui::IsItemActivated()) now = {own, text, text, value, {}, false}, mine = true;
  if (edited && mine) {
    now.text = text;
    event.changed = take(now, kind, value);
  }
  if (mine && ImGui::IsItemDeactivated()) {
    event.released = value != now.before;
    now.left = now.refused.has_value();
    if (!now.left) now = {};
  }
  if (mine && now.left)
    tell_below(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), with_capital(now.refused->text()));
  else if (look.help && !active) {
    const FontScope help(fonts().body);
    compat::item_tooltip(look.help);
  }
  return event;
}

template <class Whole>
SliderEvent step_buttons(const char* id, Whole& value, Whole least, Whole most, float gap) {
  SliderEvent event;
  const IdScope own(id);
  const ImVec2 size(ImGui::GetFrameHeight(), ImGui::GetFrameHeight());
  for (const bool more : {false, true}) {
    ImGui::SameLine(0, gap);
    const DisabledScope idle(more ? value >= most : value <= least);
    if (!ImGui::Button(more ? "+###more" : "\u2212###less", size)) continue;
    value = more ? value + 1 : value - 1;
    event = {true, true};
  }
  return event;
}

template <class Whole>
SliderEvent whole_field(const char* id, Whole& value, Whole least, Whole most, const NumberLook& look) {
  const float gap = ImGui::GetStyle().ItemInnerSpacing.x;
  if (look.steps)
    ImGui::SetNextItemWidth(std::max(1.f, ImGui::CalcItemWidth() - 2 * (ImGui::GetFrameHeight() + gap)));
  const FieldKind kind{std::to_string(value), [&](std::string_view text) -> Result<Number> {
                         TRY(const std::uint64_t read, parse_whole(text, static_cast<std::uint64_t>(least),
                                                                   static_cast<std::uint64_t>(most)));
                         return Number(read);
                       }};
  Number number = static_cast<std::uint64_t>(value);
  const SliderEvent event = field_of(id, number, kind, look);
  if (event.changed) value = static_cast<Whole>(std::get<std::uint64_t>(number));
  if (!look.steps) return event;
  const SliderEvent stepped = step_buttons(id, value, least, most, gap);
  return stepped.changed ? stepped : event;
}

}  // namespace

std::string typed_number(double value) {
  constexpr double kInFull = 1e9;
  if (value < kInFull && value == std::floor(value)) return format("%.0f", value);
  std::string out = format("%.4g", value);
  const std::size_t at = out.find("e+");
  if (at == std::string::npos) return out;
  out.erase(at + 1, 1);
  while (at + 2 < out.size() && out[at + 1] == '0') out.erase(at + 1, 1);
  return out;
}

std::string with_capital(std::string words) {
  if (!words.empty() && words[0] >= 'a' && words[0] <= 'z')
    words[0] = static_cast<char>(words[0] - 'a' + 'A');
  return words;
}

void tell_below(ImVec2 p0, ImVec2 p1, const std::string& words) {
  ImGui::SetNextWindowPos(ImVec2(p0.x, p1.y + scaled(4)));
  ImGui::BeginTooltip();
  {
    const FontScope face(fonts().body);
    const ColourScope ink(ImGuiCol_Text, theme().error);
    ImGui::PushTextWrapPos(scaled(kRefusalWidth));
    note_text(words);
    ImGui::TextUnformatted(words.c_str());
    ImGui::PopTextWrapPos();
  }
  ImGui::EndTooltip();
  note_item("number_refused", {p0, p1, 0, 0, 0, 0, 0, 0, {}, p0, p1});
}

SliderEvent number_field(const char* id, double& value, double least, double most, const NumberLook& look) {
  char shown[48] = "";
  if (look.shape) std::snprintf(shown, sizeof shown, look.shape, value);
  const FieldKind kind{look.shape ? std::string(shown) : typed_number(value),
                       [&](std::string_view text) -> Result<Number> {
                         TRY(const double read, parse_real(text, least, most));
                         return Number(read);
                       }};
  Number number = value;
  const SliderEvent event = field_of(id, number, kind, look);
  if (event.changed) value = std::get<double>(number);
  return event;
}

SliderEvent number_field(const char* id, std::uint64_t& value, std::uint64_t least, std::uint64_t most,
                         const NumberLook& look) {
  return whole_field(id, value, least, most, look);
}

SliderEvent number_field(const char* id, std::int64_t& value, std::int64_t least, std::int64_t most,
                         const NumberLook& look) {
  return whole_field(id, value, least, most, look);
}

SliderEvent number_field(const char* id, int& value, int least, int most, const NumberLook& look) {
  return whole_field(id, value, least, most, look);
}

bool typed_instead(const char* id, float width) {
  const ImGuiID own = ImGui::GetID(id), active = ImGui::GetActiveID();
  if (typing().id == own) return true;
  if (active != 0 || !ImGui::GetIO().KeyCtrl || !ImGui::IsWindowHovered()) return false;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  return ImGui::IsMouseHoveringRect(at, ImVec2(at.x + width, at.y + ImGui::GetFrameHeight()));
}

}  // namespace attnscope
