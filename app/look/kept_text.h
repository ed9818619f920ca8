// What every frame shows and few frames change: put together again only when what it follows from, the
// language, the size of the letters or the colours are another. Refuses to know what it says.
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

/// A sum of what is shown follows from: numbers, and the language, letters and colours of this moment.
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
  /// What `make()` gave for these numbers.
  template <class Make>
  T& get(std::initializer_list<std::uint64_t> from, Make&& make) {
    const std::uint64_t key = text_key(from);
    if (key != key_) {
      made_ = make();
      key_ = fonts_pending() ? 0 : key;  // measured with stand-ins: again when the letters are there
    }
    return made_;
  }

 private:
  std::uint64_t key_ = 0;
  T made_{};
};

using KeptText = Kept<std::string>;

/// Many of them, by a sum of what each follows from; those that were not asked for lately are forgotten.
class KeptTexts {
 public:
  /// What `make()` gave for this sum. Holds until many others were asked for.
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

/// tr(key, arguments), kept. Holds until many others were asked for.
inline const std::string& kept_tr(std::string_view key, std::initializer_list<std::string_view> arguments) {
  static KeptTexts kept;
  Hash hash;
  hash.take(language());
  hash.take(key);
  for (const std::string_view argument : arguments) hash.take(argument);
  return kept.get(hash.value(), [&] { return tr(key, arguments); });
}

/// A sum of what a text shortened to `width` pixels follows from.
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
