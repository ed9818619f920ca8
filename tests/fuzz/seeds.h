// Valid files that are made by hand because no fixture has all of their parts.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace attnscope::fuzz {

/// One tokenizer.json of each kind of vocabulary, with every kind of part in it.
std::vector<nlohmann::json> rich_tokenizers();
/// Small ones with one of the parts of tests/golden/tokenizers/components.json each.
std::vector<nlohmann::json> component_tokenizers();

}  // namespace attnscope::fuzz
