#include "core/io/json_number.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace attnscope {

std::optional<std::int64_t> whole_in(const nlohmann::json& value, std::int64_t least, std::int64_t most) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() && !std::in_range<std::int64_t>(value.get<std::uint64_t>()))
    return std::nullopt;
  const auto number = value.get<std::int64_t>();
  return number >= least && number <= most ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> whole_at(const nlohmann::json& object, const char* key, std::int64_t least,
                                     std::int64_t most) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() ? whole_in(*found, least, most) : std::nullopt;
}

std::string member_text(const nlohmann::json& object, const char* key, const char* fallback) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  const bool text = object.is_object() && found != object.end() && found->is_string();
  return text ? found->get<std::string>() : fallback;
}

}  // namespace attnscope
