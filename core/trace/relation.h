// A relation of grammar or meaning between two words of a text: from one of them attention may look at the
// other.
#pragma once

#include <cstdint>
#include <string>

#include "core/step/site.h"

namespace attnscope {

struct WordRelation {
  std::string name;  ///< "subject", "object", ...: the key of the words
  Stack stack = Stack::single;
  std::int64_t from = 0, to = 0;  ///< rows of that stack: the query, and the key that it belongs to
};

}  // namespace attnscope
