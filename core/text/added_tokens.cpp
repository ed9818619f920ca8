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

}  // namespace

void AddedTokens::Finder::add(const std::string& spelling, int id) {
  if (spelling.empty() || !ids.emplace(spelling, id).second) return;
  auto& of_byte = lengths[static_cast<unsigned char>(spelling[0])];
  const auto place = std::lower_bound(of_byte.begin(), of_byte.end(), spelling.size(), std::greater<>());
  if (place == of_byte.end() || *place != spelling.size()) of_byte.insert(place, spelling.size());
}

std::optional<int> AddedTokens::Finder::match(std::string_view text, std::size_t at, std::size_t& end) const {
  for (const std::size_t length : lengths[static_cast<unsigned char>(text[at])]) {
    if (at + length > text.size()) continue;
    const auto found = ids.find(std::string(text.substr(at, length)));
    if (found == ids.end()) continue;
    end = at + length;
    return found->second;
  }
  return std::nullopt;
}

Result<AddedTokens> AddedTokens::make(const std::vector<AddedToken>& tokens, const Normalizer& normalizer) {
  AddedTokens out;
  for (const AddedToken& token : tokens) {
    if (token.content.empty() || out.vocabulary_.find(token.content)) continue;
    TRY_OK(out.vocabulary_.add(token.content, token.id));
    out.tokens_[token.id] = token;
    if (!token.normalized) {
      out.raw_.add(token.content, token.id);
      continue;
    }
    MappedText spelling = MappedText::of(token.content);
    if (normalizer) TRY_OK(normalizer(spelling));
    out.normalized_.add(spelling.text(), token.id);
  }
  return out;
}

const AddedToken* AddedTokens::at(int id) const {
  const auto found = tokens_.find(id);
  return found == tokens_.end() ? nullptr : &found->second;
}

void AddedTokens::find(const Finder& finder, const MappedText& mapped, std::vector<Segment>& out) const {
  const std::string_view text = mapped.text();
  std::size_t done = 0;  // the end of what is already in `out`
  for (std::size_t at = 0, end = 0; at < text.size(); at = std::max(at + 1, end)) {
    end = at + 1;
    const auto id = finder.match(text, at, end);
    if (!id) continue;
    const AddedToken& token = tokens_.at(*id);
    if (token.single_word && touches_word(text, at, end)) continue;
    const std::size_t begin = token.lstrip ? without_space_before(text, at, done) : std::max(at, done);
    if (token.rstrip) end = without_space_after(text, end);
    if (begin > done) out.push_back({mapped.slice(done, begin), std::nullopt});
    out.push_back({mapped.slice(begin, end), *id});
    done = end;
  }
  if (done < text.size()) out.push_back({mapped.slice(done, text.size()), std::nullopt});
}

Result<std::vector<Segment>> AddedTokens::cut(MappedText text, const Normalizer& normalizer) const {
  std::vector<Segment> raw, out;
  find(raw_, text, raw);
  for (Segment& segment : raw) {
    if (segment.added) {
      out.push_back(std::move(segment));
      continue;
    }
    if (normalizer) TRY_OK(normalizer(segment.text));
    find(normalized_, segment.text, out);
  }
  return out;
}

}  // namespace attnscope
