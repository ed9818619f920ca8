// A text with the place in the original of each of its characters. Normalizers and pre-tokenizers rewrite and
// cut it; a token's place in the text the person typed is read off at the end. Places are kept by the run,
// not by the byte: a stretch that stands as it was typed is one run, and slices share the memory of the
// whole. Limit: a rewritten text may be longer than the typed one by a bounded factor only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

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
  /// Well-formed UTF-8 that stands at `place` as a whole. It has no limit.
  static MappedText at(std::string_view text, ByteSpan place);
  /// Empty, with the limits of this one: for what becomes of it.
  MappedText fresh() const;

  std::string_view text() const {
    return data_ ? std::string_view(data_->text).substr(begin_, end_ - begin_) : std::string_view();
  }
  std::size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }
  /// The place of bytes [begin, end) of text(); empty ranges give an empty span.
  ByteSpan span(std::size_t begin, std::size_t end) const;
  /// Visits the text in order: visit(begin, end, place) for stretches that stand at one place.
  template <class Visit>
  void each_place(const Visit& visit) const {
    for (std::size_t at = 0; at < size();) {
      const std::size_t end = std::min(size(), end_of_place(at));
      visit(at, end, span(at, at + 1));
      at = end;
    }
  }
  /// Shares the memory.
  MappedText slice(std::size_t begin, std::size_t end) const;

  /// Appends characters that stand for `place` together.
  void append(std::string_view characters, ByteSpan place);
  /// Appends bytes [begin, end) of another text with their places.
  void append(const MappedText& other, std::size_t begin, std::size_t end);
  /// Appends what bytes [begin, end) of `old` become. `dropped`: characters of it that go before the first
  /// new one.
  void append(const MappedText& old, std::size_t begin, std::size_t end,
              const std::vector<Rewrite>& characters, int dropped);
  /// Puts `prefix` in front; it shares the place of the first character. Does nothing to an empty text.
  void prepend(std::string_view prefix);

  /// An error where it is longer than what a text of the typed length may become.
  Status bounded() const;
  /// Is `next` from now on, what has become of it. Errors: as bounded; more made of the typed text, all
  /// versions together, than a tokenizer needs.
  Status become(MappedText next);

 private:
  // From byte `at` on. end >= 0: everything stands at [begin, end); kAsTyped: byte at + i at begin + i, and
  // each byte of a character where the whole character stands.
  static constexpr std::int32_t kAsTyped = -1;
  struct Run {
    std::uint32_t at;
    std::int32_t begin, end;
  };
  struct Limits {
    std::size_t typed, longest, left;  // bytes: of the typed text, of any version, of all that may follow
  };
  struct Storage {
    std::string text;
    std::vector<Run> runs;
    std::shared_ptr<Limits> limits;
  };

  Storage& own();
  std::size_t run_at(std::size_t byte) const;
  std::size_t end_of_place(std::size_t at) const;
  ByteSpan place_of(std::size_t byte) const;  // of the storage
  bool one_more(Storage& to, ByteSpan place) const;
  void add_run(Storage& to, std::int32_t begin, std::int32_t end) const;

  std::shared_ptr<Storage> data_;
  std::uint32_t begin_ = 0, end_ = 0;
};

/// A stretch of the text on its way to tokens; a segment that is already an added token has its id.
struct Segment {
  MappedText text;
  std::optional<int> added;
};

}  // namespace attnscope
