#include "core/lab/lab.h"

#include <algorithm>
#include <cmath>

#include "core/base/number.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

std::string last_word(const std::string& key) { return key.substr(key.rfind('.') + 1); }

Result<double> parse_choice(const LabChoice& choice, std::string_view text) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < choice.keys.size(); ++i) {
    known.push_back(last_word(choice.keys[i]));
    if (known.back() == text) return static_cast<double>(i);
  }
  return fail(Code::not_found, "error.lab.no_choice", {in_quotes(text), join(known, ", ")});
}

Result<double> parse_switch(std::string_view text) {
  if (text == "on" || text == "1") return 1.0;
  if (text == "off" || text == "0") return 0.0;
  return fail(Code::bad_format, "error.lab.no_switch", {in_quotes(text)});
}

// Between the borders of its control.
double fitted(const LabControl& control, double value) {
  if (const auto* number = std::get_if<LabNumber>(&control.kind)) {
    if (!std::isfinite(value)) return number->initial;
    value = std::clamp(value, number->least, number->most);
    return number->whole ? std::round(value) : value;
  }
  if (const auto* choice = std::get_if<LabChoice>(&control.kind))
    return value >= 0 && value < static_cast<double>(choice->keys.size()) ? std::floor(value)
                                                                          : choice->initial;
  return value != 0 ? 1 : 0;
}

}  // namespace

std::string LabControl::id() const { return last_word(key); }

double LabControl::initial() const {
  if (const auto* number = std::get_if<LabNumber>(&kind)) return number->initial;
  if (const auto* choice = std::get_if<LabChoice>(&kind)) return choice->initial;
  const auto* on = std::get_if<LabSwitch>(&kind);
  return on && on->initial ? 1 : 0;
}

double LabValues::number(const std::string& id) const {
  const auto at = values_.find(id);
  CHECK(at != values_.end());
  return at->second;
}

const std::string& LabValues::words(const std::string& id) const {
  static const std::string none;
  const auto at = words_.find(id);
  return at == words_.end() ? none : at->second;
}

std::int64_t LabValues::whole(const std::string& id) const { return std::llround(number(id)); }

std::string Lab::id() const { return last_word(key); }

const std::vector<Lab>& labs() {
  static const std::vector<Lab> sorted = [] {
    std::vector<Lab> all = labs_by_file();
    std::sort(all.begin(), all.end(), [](const Lab& a, const Lab& b) { return a.order < b.order; });
    return all;
  }();
  return sorted;
}

Result<const Lab*> find_lab(std::string_view id) {
  for (const Lab& lab : labs())
    if (lab.id() == id) return &lab;
  std::vector<std::string> known;
  for (const Lab& lab : labs()) known.push_back(lab.id());
  return fail(Code::not_found, "error.lab.no_lab", {in_quotes(id), join(known, ", ")});
}

const LabControl* find_control(const std::vector<LabControl>& controls, std::string_view id) {
  for (const LabControl& control : controls)
    if (control.id() == id) return &control;
  return nullptr;
}

std::optional<double> moved_value(const Lab& lab, double share) {
  const LabControl* control = lab.moves.id.empty() ? nullptr : find_control(lab, lab.moves.id);
  const auto* number = control ? std::get_if<LabNumber>(&control->kind) : nullptr;
  if (!number) return std::nullopt;
  if (share <= 0 || share >= 1) return number->initial;
  const double away = (1 - std::cos(2 * std::acos(-1.0) * share)) / 2;  // 0, 1 in the middle, 0
  return fitted(*control, number->log ? number->initial * std::pow(lab.moves.to / number->initial, away)
                                      : number->initial + (lab.moves.to - number->initial) * away);
}

LabValues initial_values(const Lab& lab) {
  LabValues out;
  for (const LabControl& control : lab.controls) {
    out.set(control.id(), control.initial());
    if (const auto* words = std::get_if<LabWords>(&control.kind)) out.set_words(control.id(), words->initial);
  }
  return out;
}

Result<double> parse_value(const LabControl& control, std::string_view text) {
  const auto named = [&](Result<double> value) -> Result<double> {
    if (!value) return within(Text(control.id()), value.error());
    return value;
  };
  if (const auto* choice = std::get_if<LabChoice>(&control.kind)) return named(parse_choice(*choice, text));
  if (std::holds_alternative<LabSwitch>(control.kind)) return named(parse_switch(text));
  if (std::holds_alternative<LabWords>(control.kind)) return 0;
  const auto& number = std::get<LabNumber>(control.kind);
  TRY(const double value, named(parse_real(text, number.least, number.most)));
  if (number.whole && std::round(value) != value)
    return fail(Code::bad_format, "error.lab.no_whole", {control.id(), in_quotes(text)});
  return value;
}

Status set_value(const std::vector<LabControl>& controls, LabValues& values, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos)
    return fail(Code::bad_format, "error.lab.no_assignment", {in_quotes(assignment)});
  const LabControl* control = find_control(controls, assignment.substr(0, equals));
  if (!control) {
    std::vector<std::string> known;
    for (const LabControl& other : controls) known.push_back(other.id());
    return fail(Code::not_found, "error.lab.no_control",
                {in_quotes(assignment.substr(0, equals)), join(known, ", ")});
  }
  TRY(const double value, parse_value(*control, assignment.substr(equals + 1)));
  values.set(control->id(), value);
  if (std::holds_alternative<LabWords>(control->kind))
    values.set_words(control->id(), std::string(assignment.substr(equals + 1)));
  return Done{};
}

Result<LabRequest> parse_lab_request(std::string_view text) {
  const std::vector<std::string> parts = split(text, ',');
  LabRequest out;
  TRY(out.lab, find_lab(parts.empty() ? std::string_view() : parts.front()));
  out.values = initial_values(*out.lab);
  for (std::size_t i = 1; i < parts.size(); ++i) TRY_OK(set_value(*out.lab, out.values, parts[i]));
  return out;
}

std::string value_text(const LabControl& control, double value) {
  if (const auto* choice = std::get_if<LabChoice>(&control.kind))
    return last_word(choice->keys[static_cast<std::size_t>(fitted(control, value))]);
  if (std::holds_alternative<LabSwitch>(control.kind)) return value != 0 ? "on" : "off";
  if (std::holds_alternative<LabWords>(control.kind)) return {};
  const auto& number = std::get<LabNumber>(control.kind);
  return number.whole ? std::to_string(std::llround(value)) : format("%.6g", value);
}

std::string value_text(const LabControl& control, const LabValues& values) {
  if (std::holds_alternative<LabWords>(control.kind)) return values.words(control.id());
  return value_text(control, values.number(control.id()));
}

Result<LabPicture> compute(const Lab& lab, const LabValues& values, const std::atomic<bool>& cancel) {
  LabValues whole = initial_values(lab);
  for (const LabControl& control : lab.controls)
    if (const auto at = values.all().find(control.id()); at != values.all().end()) {
      whole.set(control.id(), fitted(control, at->second));
      whole.set_words(control.id(), values.words(control.id()));
    }
  return lab.compute(whole, cancel);
}

Result<LabPicture> compute(const Lab& lab, const LabValues& values) {
  const std::atomic<bool> never{false};
  return compute(lab, values, never);
}

}  // namespace attnscope
