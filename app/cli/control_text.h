// Controls of labs and views, as the command line lists them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/lab/lab.h"

namespace attnscope::cli {

/// {"id", "kind": "whole" | "number" | "choice" | "switch" | "words", "default"}; "from" and "to" of numbers,
/// "choices" of a choice.
nlohmann::json control_json(const LabControl& control);
/// What it may be: "0 .. 1", "on | off".
std::string range_text(const LabControl& control);

}  // namespace attnscope::cli
