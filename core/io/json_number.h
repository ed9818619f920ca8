// Integers of a JSON value within a range, and the texts of members. Floats (also 3.0), other types and
// integers beyond 64 bits give nothing instead of being rounded or wrapped.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace attnscope {

/// The whole number from `least` to `most` that `value` holds; nothing where it holds anything else.
std::optional<std::int64_t> whole_in(const nlohmann::json& value, std::int64_t least, std::int64_t most);
/// The same of a member; nothing where `object` is no object or has none of that name.
std::optional<std::int64_t> whole_at(const nlohmann::json& object, const char* key, std::int64_t least,
                                     std::int64_t most);
/// The text of a member; `fallback` where `object` is no object or has no text of that name.
std::string member_text(const nlohmann::json& object, const char* key, const char* fallback = "");

}  // namespace attnscope
