// The label of a control, its words and the id behind them ("Stop###train_stop"), made every frame: put
// together without asking for memory. Refuses to outlive the words that it was made of.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

namespace attnscope {

class Label {
 public:
  /// As it is.
  Label(const char* whole) : whole_(whole) {}                 // NOLINT(google-explicit-constructor)
  Label(const std::string& whole) : whole_(whole.c_str()) {}  // NOLINT(google-explicit-constructor)
  /// Parts behind each other.
  Label(std::string_view words, std::string_view id, std::string_view more = {}) {
    const std::size_t size = words.size() + id.size() + more.size();
    if (size >= sizeof own_) long_.resize(size);
    char* const begin = size < sizeof own_ ? own_ : long_.data();
    char* at = begin;
    for (const std::string_view part : {words, id, more})
      if (!part.empty()) at = static_cast<char*>(std::memcpy(at, part.data(), part.size())) + part.size();
    *at = 0;
    whole_ = begin;
  }
  Label(const Label&) = delete;
  Label& operator=(const Label&) = delete;

  const char* c_str() const { return whole_; }
  operator std::string_view() const { return whole_; }  // NOLINT(google-explicit-constructor)

 private:
  const char* whole_;
  char own_[128];
  std::string long_;  // where it does not fit there
};

/// Where a text begins, for those who take two pointers: never null.
inline const char* begin_of(std::string_view text) { return text.data() ? text.data() : ""; }
inline const char* end_of(std::string_view text) { return begin_of(text) + text.size(); }

}  // namespace attnscope
