// Whole numbers of a JSON file within borders. Refuses what is no whole number, and what an integer of 32 or
// 64 bits would read as another one.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace attnscope {

/// The whole number from `least` to `most` that `value` holds; nothing where it holds anything else.
std::optional<std::int64_t> whole_in(const nlohmann::json& value, std::int64_t least, std::int64_t most);
/// The same of a member; nothing where `object` is no object or has none of that name.
std::optional<std::int64_t> whole_at(const nlohmann::json& object, const char* key, std::int64_t least,
                                     std::int64_t most);

}  // namespace attnscope
