// Controls as data: a member of a view is the value and all that is said of it: its name in files and in
// --set, its texts and the item on screen. `choose`, `toggle` and `slide` draw it, Choices keeps it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {

/// One of the values of a control.
template <class Value>
struct Option {
  std::string_view name;  ///< in files and in --set
  Value value;
  std::string_view text = {};  ///< ends the key of its text; none: the name
  std::string_view item = {};  ///< ends the id of its chip; none: `text`
};

/// One of few, a chip each. Files have its name, or a bool as such.
template <class Value>
struct OneOf {
  const char* name;
  std::span<const Option<Value>> options;
  Value value;
  const char *keys, *items;    ///< beginnings; where there is no such text, the name is the text
  const char* help = nullptr;  ///< tooltip of all chips; null: key + ".help" of each, where there is one
  std::int64_t first = 0;      ///< what files of before wrote for the first option

  operator Value() const { return value; }  // NOLINT(google-explicit-constructor)
  OneOf& operator=(Value chosen) {
    value = chosen;
    return *this;
  }
};

struct Switch {
  const char *name, *key, *item;  ///< tooltip: key + ".help"
  bool on = false;

  operator bool() const { return on; }  // NOLINT(google-explicit-constructor)
};

/// A number of a range.
template <class Number>
struct Ranged {
  const char *name, *key, *item;  ///< tooltip: key + ".help"
  Number least, most, value;

  operator Number() const { return value; }  // NOLINT(google-explicit-constructor)
};

/// The text key + ".help"; null where there is none.
inline const char* help_of(std::string_view key) {
  const Label help(key, ".help");
  return has_string(help) ? tr(help) : nullptr;
}

/// Text and id of the option's chip; `arguments`: of the text.
template <class Value>
Label label_of(const OneOf<Value>& control, const Option<Value>& option,
               std::initializer_list<std::string_view> arguments = {}) {
  const std::string_view text = option.text.empty() ? option.name : option.text;
  const Label key(control.keys, text);
  return Label(has_string(key) ? std::string_view(kept_tr(key, arguments)) : option.name, control.items,
               option.item.empty() ? text : option.item);
}

/// Tooltip of an option's chip; null: none.
template <class Value>
const char* option_help(const OneOf<Value>& control, const Option<Value>& option) {
  if (control.help) return tr(control.help);
  return help_of(Label(control.keys, option.text.empty() ? option.name : option.text));
}

struct AllOptions {
  template <class Value>
  bool operator()(const Value&) const {
    return true;
  }
};
/// Draws a chip of each option for whose value `there` is true, into a row; `arguments`: of
/// their texts. True when one was clicked.
template <class Value, class There = AllOptions>
bool choose(ChipRow& row, OneOf<Value>& control, const There& there = {},
            std::initializer_list<std::string_view> arguments = {}) {
  bool clicked = false;
  for (const Option<Value>& option : control.options) {
    if (!there(option.value)) continue;
    if (!row(label_of(control, option, arguments), control.value == option.value,
             option_help(control, option)))
      continue;
    control.value = option.value;
    clicked = true;
  }
  return clicked;
}

/// The same as one menu of `width` pixels, whose item is `items` + "menu".
template <class Value, class There = AllOptions>
bool choose_in_menu(OneOf<Value>& control, float width,
                    std::initializer_list<std::string_view> arguments = {}, const There& there = {}) {
  const auto now = std::find_if(control.options.begin(), control.options.end(),
                                [&](const auto& option) { return option.value == control.value; });
  const Label chosen = label_of(control, *now, arguments);
  const std::string_view whole = chosen;
  const Label shown(whole.substr(0, whole.find("###")), {});
  const Label id(control.items, "menu");
  bool clicked = false;
  ImGui::SetNextItemWidth(width);
  const bool open = ImGui::BeginCombo(id.c_str(), shown.c_str());
  note_item(id);
  if (!open) return false;
  for (const Option<Value>& option : control.options) {
    if (!there(option.value)) continue;
    const Label label = label_of(control, option, arguments);
    if (ImGui::Selectable(label.c_str(), control.value == option.value))
      control.value = option.value, clicked = true;
    note_item(label);
    if (const char* help = option_help(control, option)) compat::item_tooltip(help);
  }
  ImGui::EndCombo();
  return clicked;
}

/// Pixels of the chips that choose() would draw, with `gap` pixels behind each.
template <class Value, class There = AllOptions>
float chips_width(const OneOf<Value>& control, float gap, const There& there = {},
                  std::initializer_list<std::string_view> arguments = {}) {
  float out = 0;
  for (const Option<Value>& option : control.options)
    if (there(option.value)) out += chip_width(label_of(control, option, arguments)) + gap;
  return out;
}

inline void toggle(ChipRow& row, Switch& control) {
  if (row(Label(tr(control.key), control.item), control.on, help_of(control.key))) control.on = !control.on;
}

inline SliderEvent slide(Ranged<float>& control, const char* shape, float width) {
  return slider_real(control.item, tr(control.key), control.value, control.least, control.most, shape, width,
                     help_of(control.key));
}
inline SliderEvent slide(Ranged<std::int64_t>& control, float width) {
  return slider_int(control.item, tr(control.key), control.value, control.least, control.most, width,
                    help_of(control.key));
}

}  // namespace attnscope
