// Spelling <-> id, both ways. Ids come from files and are checked once, here.
// Errors: negative ids, ids above kMaxTokenId (a bound on what a file can make us allocate) and two
// spellings of one id.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

inline constexpr std::int64_t kMaxTokenId =
    (1 << 22) - 1;  // the largest vocabularies in use have 2^20 entries

class Vocabulary {
 public:
  /// Errors have the spelling and the id.
  Status add(std::string_view spelling, std::int64_t id);
  /// The same for lists that may spell two ids alike: find() gives the last one.
  Status add_or_repeat(std::string_view spelling, std::int64_t id);
  std::optional<int> find(std::string_view spelling) const;
  /// Empty for an id that is not used.
  std::string_view spelling(int id) const;
  bool has(int id) const {
    return id >= 0 && id < size() && spellings_[static_cast<std::size_t>(id)] != nullptr;
  }
  /// Highest id + 1.
  int size() const { return static_cast<int>(spellings_.size()); }
  std::size_t count() const { return ids_.size(); }
  void reserve(std::size_t count) { ids_.reserve(count); }

 private:
  Status check(std::string_view spelling, std::int64_t id) const;
  void set(const std::string* spelling, std::int64_t id);

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, int, Hash, std::equal_to<>> ids_;
  std::vector<const std::string*> spellings_;  // by id, into the keys of ids_ (which do not move)
};

/// The ids of the spellings `<0x00>` to `<0xFF>`; -1 = absent.
using ByteIds = std::vector<int>;
ByteIds byte_ids_of(const Vocabulary& vocabulary);
/// True where every one of `bytes` has an id; false where there are no ids at all.
bool has_all(const ByteIds& ids, std::string_view bytes);

}  // namespace attnscope
