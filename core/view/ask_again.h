// The page of Ask that a session or a figure was left at, asked again, without a window.
#pragma once

#include <nlohmann/json.hpp>

#include "core/view/ask_figures.h"

namespace attnscope {

/// What the page shows, every cell exact; null: `look` says nothing of it. Errors: those of the question, and
/// a page that the window alone has.
Result<std::shared_ptr<const AskShown>> asked_again(const nlohmann::json& look, const Document& document,
                                                    std::size_t sequence);

}  // namespace attnscope
