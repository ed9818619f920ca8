#include "core/base/listed.h"

#include <algorithm>

#include "core/base/text.h"

namespace attnscope {

Text some_of(const std::vector<std::string>& names, std::size_t most) {
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size()));
  const std::string first = join({names.begin(), end}, ", ");
  return names.size() <= most ? Text(first) : Text::of("note.list.more", {first, names.size() - most});
}

}  // namespace attnscope
