#include "core/text/mapped_text.h"

#include <algorithm>

#include "core/base/text.h"

namespace attnscope {

namespace {

// The byte after the character at `at`; the text is well-formed.
std::size_t after_character(std::string_view text, std::size_t at) {
  if (at < text.size()) next_code_point(text, at);
  return at;
}

}  // namespace

MappedText MappedText::of(std::string_view input) {
  MappedText out;
  out.text_.reserve(input.size());
  out.spans_.reserve(input.size());
  std::string character;
  for (std::size_t at = 0; at < input.size();) {
    const std::size_t begin = at;
    character.clear();
    append_utf8(character, next_code_point(input, at));
    out.append(character, {static_cast<std::int32_t>(begin), static_cast<std::int32_t>(at)});
  }
  return out;
}

ByteSpan MappedText::span(std::size_t begin, std::size_t end) const {
  if (spans_.empty()) return {};
  const std::size_t last = std::min(end, spans_.size());
  if (begin >= last) {
    const std::int32_t place = begin < spans_.size() ? spans_[begin].begin : spans_.back().end;
    return {place, place};
  }
  return {spans_[begin].begin, std::max(spans_[begin].begin, spans_[last - 1].end)};
}

MappedText MappedText::slice(std::size_t begin, std::size_t end) const {
  MappedText out;
  out.text_ = text_.substr(begin, end - begin);
  out.spans_.assign(spans_.begin() + static_cast<std::ptrdiff_t>(begin),
                    spans_.begin() + static_cast<std::ptrdiff_t>(end));
  return out;
}

void MappedText::append(std::string_view character, ByteSpan place) {
  text_ += character;
  spans_.insert(spans_.end(), character.size(), place);
}

void MappedText::prepend(std::string_view prefix) {
  if (empty()) return;
  text_.insert(0, prefix);
  spans_.insert(spans_.begin(), prefix.size(), ByteSpan(spans_.front()));
}

void MappedText::rewrite(const std::vector<Rewrite>& characters, int dropped) {
  MappedText out;
  out.text_.reserve(text_.size());
  out.spans_.reserve(text_.size());
  std::string utf8;
  std::size_t at = 0;  // the next byte of the old text
  for (; dropped > 0; --dropped) at = after_character(text_, at);
  for (const Rewrite& next : characters) {
    const bool is_new = next.change > 0 || at >= text_.size();
    const ByteSpan place = !is_new ? spans_[at] : at > 0 ? spans_[at - 1] : span(0, 0);
    for (int gone = next.change; !is_new && gone <= 0; ++gone) at = after_character(text_, at);
    utf8.clear();
    append_utf8(utf8, next.character);
    out.append(utf8, place);
  }
  *this = std::move(out);
}

}  // namespace attnscope
