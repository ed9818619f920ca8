#include "core/text/added_tokens.h"

#include <unicode/uchar.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/text/characters.h"

namespace attnscope {

namespace {

bool is_word(char32_t c) {
  const auto letter = static_cast<UChar32>(c);
  const auto mask = U_GET_GC_MASK(letter);
  return u_hasBinaryProperty(letter, UCHAR_ALPHABETIC) ||
         (mask & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0;
}

// The start of the last character that ends at `at` (> 0) of a well-formed text.
std::size_t before_character(std::string_view text, std::size_t at) {
  do --at;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  return at;
}

char32_t character_at(std::string_view text, std::size_t at) { return next_code_point(text, at); }

bool touches_word(std::string_view text, std::size_t begin, std::size_t end) {
  const bool before = begin > 0 && is_word(character_at(text, before_character(text, begin)));
  return before || (end < text.size() && is_word(character_at(text, end)));
}

std::size_t without_space_before(std::string_view text, std::size_t begin, std::size_t limit) {
  while (begin > limit) {
    const std::size_t previous = before_character(text, begin);
    if (!is_white_space(character_at(text, previous))) break;
    begin = previous;
  }
  return begin;
}

std::size_t without_space_after(std::string_view text, std::size_t end) {
  for (std::size_t at = end; at < text.size(); end = at) {
    if (!is_white_space(next_code_point(text, at))) break;
  }
  return end;
}

// Of equal spellings the first one counts.
ByteTrie tree_of(std::vector<std::pair<std::string, int>>& spellings) {
  std::reverse(spellings.begin(), spellings.end());
  return ByteTrie(std::vector<ByteTrie::Entry>(spellings.begin(), spellings.end()));
}

}  // namespace

Result<AddedTokens> AddedTokens::make(const std::vector<AddedToken>& tokens, const Normalizer& normalizer) {
  AddedTokens out;
  std::vector<std::pair<std::string, int>> raw, normalized;
  for (const AddedToken& token : tokens) {
    if (token.content.empty() || out.vocabulary_.find(token.content)) continue;
    TRY_OK(out.vocabulary_.add(token.content, token.id));
    out.tokens_[token.id] = token;
    if (!token.normalized) {
      raw.emplace_back(token.content, token.id);
      continue;
    }
    MappedText spelling = MappedText::of(token.content);
    if (normalizer) TRY_OK(normalizer(spelling));
    normalized.emplace_back(spelling.text(), token.id);
  }
  out.raw_ = tree_of(raw);
  out.normalized_ = tree_of(normalized);
  return out;
}

const AddedToken* AddedTokens::at(int id) const {
  const auto found = tokens_.find(id);
  return found == tokens_.end() ? nullptr : &found->second;
}

Status AddedTokens::find(const ByteTrie& finder, const MappedText& mapped, const WordSink& sink) const {
  const std::string_view text = mapped.text();
  std::size_t done = 0;  // the end of what was handed on
  for (std::size_t at = 0, end = 0; !finder.empty() && at < text.size(); at = std::max(at + 1, end)) {
    const auto [length, id] = finder.longest(text.substr(at));
    end = at + std::max<std::size_t>(length, 1);
    if (length == 0) continue;
    const AddedToken& token = tokens_.at(id);
    if (token.single_word && touches_word(text, at, end)) continue;
    const std::size_t begin = token.lstrip ? without_space_before(text, at, done) : std::max(at, done);
    if (token.rstrip) end = without_space_after(text, end);
    if (begin > done) TRY_OK(sink({mapped.slice(done, begin), std::nullopt}));
    TRY_OK(sink({mapped.slice(begin, end), id}));
    done = end;
  }
  return done < text.size() ? sink({mapped.slice(done, text.size()), std::nullopt}) : Status(Done{});
}

Status AddedTokens::cut(const MappedText& text, const Normalizer& normalizer, const WordSink& sink) const {
  return find(raw_, text, [&](const Segment& segment) -> Status {
    if (segment.added) return sink(segment);
    MappedText stretch = segment.text;
    if (normalizer) TRY_OK(normalizer(stretch));
    return find(normalized_, stretch, sink);
  });
}

}  // namespace attnscope
