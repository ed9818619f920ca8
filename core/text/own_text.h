// The program's own sentences as a corpus to learn vocabularies from: the texts of its lessons in all of
// its languages, from the embedded assets.
#pragma once

#include <string>
#include <vector>

namespace attnscope {

/// One sentence each, the languages one after the other.
std::vector<std::string> own_sentences();

}  // namespace attnscope
