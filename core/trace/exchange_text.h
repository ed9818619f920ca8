// Exchanged parts of a model as text: "blocks.*.mlp.activation=relu".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/edit.h"

namespace attnscope {

/// "order", "attn.skip", "mlp.activation": what may stand behind "blocks.*.".
std::vector<std::string> names_of_parts();
/// "blocks.*.mlp.activation": nothing where the place is no part of a model, or several blocks of it by
/// number.
std::optional<Exchange> parse_part(std::string_view place);
/// Errors: a value that the part cannot have; `whole` is the text of the edit.
Result<Exchange> part_with_value(Exchange exchange, std::string_view value, std::string_view whole);
std::string exchange_text(const Exchange& exchange);
/// What is wrong with an edit's text.
Error bad_edit(std::string_view text, const Text& problem);

}  // namespace attnscope
