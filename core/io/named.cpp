#include "core/io/named.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/io/json_number.h"

namespace attnscope {

std::optional<std::size_t> named_row(const nlohmann::json& written, std::span<const std::string_view> names,
                                     std::int64_t first) {
  const auto last = first + static_cast<std::int64_t>(names.size()) - 1;
  if (const auto number = whole_in(written, first, last)) return static_cast<std::size_t>(*number - first);
  if (!written.is_string()) return std::nullopt;
  const auto found = std::find(names.begin(), names.end(), written.get_ref<const std::string&>());
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace attnscope
