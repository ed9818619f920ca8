#include "app/cli/control_text.h"

#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope::cli {
namespace {

std::vector<std::string> choices_of(const LabControl& control, const LabChoice& choice) {
  std::vector<std::string> out;
  for (int i = 0; i < std::ssize(choice.keys); ++i) out.push_back(value_text(control, i));
  return out;
}

}  // namespace

nlohmann::json control_json(const LabControl& control) {
  nlohmann::json out{{"id", control.id()}, {"default", value_text(control, control.initial())}};
  if (const auto* number = std::get_if<LabNumber>(&control.kind)) {
    out["kind"] = number->whole ? "whole" : "number";
    out["from"] = number->least, out["to"] = number->most, out["default"] = number->initial;
  } else if (const auto* choice = std::get_if<LabChoice>(&control.kind)) {
    out["kind"] = "choice", out["choices"] = choices_of(control, *choice);
  } else if (const auto* words = std::get_if<LabWords>(&control.kind)) {
    out["kind"] = "words", out["default"] = words->initial;
  } else {
    out["kind"] = "switch";
  }
  return out;
}

std::string range_text(const LabControl& control) {
  if (const auto* number = std::get_if<LabNumber>(&control.kind))
    return value_text(control, number->least) + " .. " + value_text(control, number->most);
  if (const auto* choice = std::get_if<LabChoice>(&control.kind))
    return join(choices_of(control, *choice), " | ");
  return std::holds_alternative<LabWords>(control.kind) ? tr("cli.lab.words") : "on | off";
}

}  // namespace attnscope::cli
