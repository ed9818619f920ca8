// JSON from untrusted files: read whole, parsed without exceptions, errors with line and column.
// Errors: nesting deeper than kMaxJsonDepth and more values than kMostJsonValues (before they are built),
// ill-formed UTF-8, trailing text, files larger than the limit, and (with TwiceKeys::refuse) a key that
// stands twice in one object.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace attnscope {

inline constexpr int kMaxJsonDepth = 256;
inline constexpr std::size_t kMostJsonValues = std::size_t{16} << 20;  ///< lists, objects and what they hold
inline constexpr std::uint64_t kMaxJsonBytes = std::uint64_t{512} << 20;

/// A key that stands twice in one object: keep the last value, or an error (bad_format).
enum class TwiceKeys { last_wins, refuse };

/// Parses `text`; `what` is its name in errors ("config.json"). Never throws.
/// Errors: bad_format with line and column, unsupported for deep nesting and too many values, no_memory.
Result<nlohmann::json> parse_json(std::string_view text, const std::string& what,
                                  TwiceKeys twice = TwiceKeys::last_wins,
                                  std::size_t most_values = kMostJsonValues);
/// Reads and parses a file. Errors as parse_json and read_file.
Result<nlohmann::json> read_json_file(const std::string& path, std::uint64_t max_bytes = kMaxJsonBytes);

}  // namespace attnscope
