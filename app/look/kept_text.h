// Caches of values that are shown every frame and seldom change: computed again only when the key changes, a
// hash of the inputs, the language, the font version and the theme version. UI thread only.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "app/look/fonts.h"
#include "app/look/theme.h"
#include "core/base/hash.h"
#include "core/base/words.h"

namespace attnscope {

/// Key of a cached value: hash of the numbers and of the current language, font version and theme version.
inline std::uint64_t text_key(std::initializer_list<std::uint64_t> from) {
  Hash hash;
  for (const std::uint64_t number : from) hash.take(number);
  hash.take(language());
  hash.take(static_cast<std::uint64_t>(fonts_version()));
  hash.take(static_cast<std::uint64_t>(theme_version()));
  return hash.value();
}

template <class T>
class Kept {
 public:
  /// The cached result of `make()` for these inputs; calls it again when the key changed.
  template <class Make>
  T& get(std::initializer_list<std::uint64_t> from, Make&& make) {
    const std::uint64_t key = text_key(from);
    if (key != key_) {
      made_ = make();
      key_ = fonts_pending() ? 0 : key;  // measured before its glyphs were loaded: made again next time
    }
    return made_;
  }

 private:
  std::uint64_t key_ = 0;
  T made_{};
};

using KeptText = Kept<std::string>;

/// Many cached texts by key, in two generations of at most kMost entries; the older one is dropped when full.
class KeptTexts {
 public:
  /// The cached result of `make()` for this key. The reference holds until kMost other keys were looked up.
  template <class Make>
  const std::string& get(std::uint64_t key, Make&& make) {
    if (const auto known = now_.find(key); known != now_.end()) return known->second;
    if (now_.size() >= kMost) before_ = std::exchange(now_, {});
    const auto known = before_.find(key);
    return now_.emplace(key, known == before_.end() ? make() : known->second).first->second;
  }

 private:
  static constexpr std::size_t kMost = 2048;
  std::unordered_map<std::uint64_t, std::string> now_, before_;
};

/// Cached tr(key, arguments). The reference holds until some 2,000 other texts were looked up.
inline const std::string& kept_tr(std::string_view key, std::initializer_list<std::string_view> arguments) {
  static KeptTexts kept;
  Hash hash;
  hash.take(language());
  hash.take(key);
  for (const std::string_view argument : arguments) hash.take(argument);
  return kept.get(hash.value(), [&] { return tr(key, arguments); });
}

/// Cache key of a text shortened to `width` pixels.
inline std::uint64_t width_key(std::string_view text, const ImFont* font, float size, float width) {
  Hash hash;
  hash.take(text);
  hash.take(reinterpret_cast<std::uintptr_t>(font));
  hash.take(std::bit_cast<std::uint32_t>(size));
  hash.take(std::bit_cast<std::uint32_t>(width));
  hash.take(static_cast<std::uint64_t>(fonts_version()));
  return hash.value();
}

}  // namespace attnscope
