// The replacement table that SentencePiece compiles its normalization rules into ("precompiled charsmap"): a
// double-array trie over bytes whose leaves point at the replacements. Decoded from its bytes. Error: a
// table that points outside of itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

class Charsmap {
 public:
  /// Replaces nothing.
  Charsmap() = default;
  static Result<Charsmap> from_bytes(std::string_view bytes);

  struct Found {
    std::size_t length = 0;        // bytes of the text that are replaced
    std::string_view replacement;  // may be empty
  };
  /// What `text` begins with, the longest or the shortest entry.
  std::optional<Found> longest(std::string_view text) const { return find(text, true); }
  std::optional<Found> shortest(std::string_view text) const { return find(text, false); }
  bool empty() const { return units_.empty(); }

 private:
  std::optional<Found> find(std::string_view text, bool longest) const;
  std::string_view replacement_at(std::uint32_t offset) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;  // each ends with a zero byte
};

/// The bytes that a base64 text stands for; white space is skipped. Errors: another character, a broken end.
Result<std::string> from_base64(std::string_view text);

}  // namespace attnscope
