// The program's own sentences as a text to learn vocabularies from: what its lessons say, in every language
// that it speaks. Refuses to read the disk.
#pragma once

#include <string>
#include <vector>

namespace attnscope {

/// One sentence each, the languages one after the other.
std::vector<std::string> own_sentences();

}  // namespace attnscope
