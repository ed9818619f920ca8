// The page of Ask in a session: its measure and settings, as the window shows it and attnscope-cli draws it
// again.
#pragma once

#include <nlohmann/json.hpp>

#include "core/session/asking.h"

namespace attnscope {

nlohmann::json ask_look(const Asking& asking);
/// Takes `look["ask"]`; without it all is as at first.
void take_ask_look(const nlohmann::json& look, Asking& asking);

}  // namespace attnscope
