// The page of Ask that a session or a figure was left at, asked again, without a window.
#pragma once

#include <nlohmann/json.hpp>

#include "core/view/ask_figures.h"

namespace attnscope {

/// What the page shows, every cell exact; null: `look` says nothing of it. `pinned`: the run that is compared
/// with, as its document; null: none. Errors: those of the question, and a graph that the window read from a
/// file.
Result<std::shared_ptr<const AskShown>> asked_again(const nlohmann::json& look, const Document& document,
                                                    std::size_t sequence, const Document* pinned = nullptr);

}  // namespace attnscope
