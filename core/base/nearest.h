// Suggestions for a misspelt name ("did you mean ..."): the known names with the smallest edit
// distance.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// At most `count` of `known`, the fewest letters to change, insert or leave out first (Levenshtein); equal
/// ones in their order, each once.
std::vector<std::string> nearest_names(std::string_view name, std::vector<std::string> known,
                                       std::size_t count = 3);

}  // namespace attnscope
