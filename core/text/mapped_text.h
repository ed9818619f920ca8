// A text that remembers where each of its bytes came from. Normalizers and pre-tokenizers rewrite and cut it;
// a token's place in the text the person typed is read off at the end. Spans are absolute bytes of that first
// text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

struct ByteSpan {
  std::int32_t begin = 0;
  std::int32_t end = 0;
};

/// One character of a rewritten text. change > 0: it is new and shares the place of the character before it;
/// 0: it stands for the next character of the old text; -n: for the next one, and the n after that are
/// dropped.
struct Rewrite {
  char32_t character;
  int change;
};

class MappedText {
 public:
  MappedText() = default;
  /// Well-formed UTF-8 from any bytes: an ill-formed byte becomes U+FFFD that spans that byte.
  static MappedText of(std::string_view input);

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  /// The place of bytes [begin, end) of text(); empty ranges give an empty span.
  ByteSpan span(std::size_t begin, std::size_t end) const;
  MappedText slice(std::size_t begin, std::size_t end) const;

  /// `dropped`: characters of the old text that go before the first new one.
  void rewrite(const std::vector<Rewrite>& characters, int dropped = 0);
  /// Puts `prefix` in front; it shares the place of the first character. Does nothing to an empty text.
  void prepend(std::string_view prefix);
  /// Appends a character that stands for `place`.
  void append(std::string_view character, ByteSpan place);

 private:
  std::string text_;
  std::vector<ByteSpan>
      spans_;  // one per byte of text_: the place of the whole character the byte belongs to
};

/// A stretch of the text on its way to tokens; a segment that is already an added token has its id.
struct Segment {
  MappedText text;
  std::optional<int> added;
};

}  // namespace attnscope
