// A list of names in a sentence: the first few, then how many more there are.
#pragma once

#include <string>
#include <vector>

#include "core/base/keyed_text.h"

namespace attnscope {

/// The first `most` of these names, joined, "and 37 more".
Text some_of(const std::vector<std::string>& names, std::size_t most);

}  // namespace attnscope
