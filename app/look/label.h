// The label of an ImGui item, text and ID ("Stop###train_stop"), built every frame; up to 127 bytes without
// heap allocation. A Label made of one string only points to it: it must not outlive that string.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "core/base/no_copy.h"

namespace attnscope {

class Label : NoCopy {
 public:
  /// Uses the string as it is.
  Label(const char* whole) : whole_(whole) {}                 // NOLINT(google-explicit-constructor)
  Label(const std::string& whole) : whole_(whole.c_str()) {}  // NOLINT(google-explicit-constructor)
  /// Concatenates the parts.
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

  const char* c_str() const { return whole_; }
  operator std::string_view() const { return whole_; }  // NOLINT(google-explicit-constructor)

 private:
  const char* whole_;
  char own_[128];
  std::string long_;  // used when the label does not fit into own_
};

/// First byte of a text, for functions that take two pointers: never null.
inline const char* begin_of(std::string_view text) { return text.data() ? text.data() : ""; }
inline const char* end_of(std::string_view text) { return begin_of(text) + text.size(); }

}  // namespace attnscope
