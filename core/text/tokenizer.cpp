#include "core/text/tokenizer.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <tuple>

#include "core/base/text.h"

namespace attnscope {

namespace {

std::string ascii_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// 0 equal, 1 equal but for a leading space, 2 begins with, 3 holds; -1 no match.
int match_rank(std::string_view text, std::string_view query) {
  if (text == query) return 0;
  const std::string_view word = starts_with(text, " ") ? text.substr(1) : text;
  if (word == query) return 1;
  if (starts_with(text, query) || starts_with(word, query)) return 2;
  return text.find(query) != std::string_view::npos ? 3 : -1;
}

bool is_visible(char32_t c) {
  const auto type = u_charType(static_cast<UChar32>(c));
  return u_isgraph(static_cast<UChar32>(c)) && type != U_FORMAT_CHAR && type != U_PRIVATE_USE_CHAR;
}

void append_visible(std::string& out, char32_t c) {
  if (c == U'\n') {
    out += "⏎";
  } else if (c == U'\t') {
    out += "⇥";
  } else if (c < 0x20 || c == 0x7F) {
    out += format("<0x%02X>", static_cast<unsigned>(c));
  } else if (c == U' ' || is_visible(c)) {
    append_utf8(out, c);
  } else {
    out += format("<U+%04X>", static_cast<unsigned>(c));
  }
}

// Letters and their marks in one character where Unicode has it: fonts draw "é" and "한" better than their
// parts.
std::string composed(std::string text) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* rules = icu::Normalizer2::getNFCInstance(status);
  if (U_FAILURE(status) || rules->isNormalizedUTF8(text, status)) return text;
  std::string out;
  icu::StringByteSink<std::string> sink(&out);
  rules->normalizeUTF8(0, text, sink, nullptr, status);
  return U_SUCCESS(status) ? out : text;
}

}  // namespace

Tokenizer::~Tokenizer() = default;

Result<Encoding> Tokenizer::encode_recorded(std::string_view text, bool add_special,
                                            const SegmentationLimits&, Segmentation&) const {
  return encode(text, add_special);
}

std::vector<std::string> unknown_pieces(const Tokenizer& tokenizer, std::string_view text,
                                        const std::vector<Token>& tokens) {
  std::vector<std::string> out;
  const auto unknown = tokenizer.unknown();
  for (const Token& token : tokens) {
    if (!unknown || token.id != *unknown || token.end <= token.begin) continue;
    const auto begin = static_cast<std::size_t>(token.begin);
    std::string piece(text.substr(begin, static_cast<std::size_t>(token.end) - begin));
    piece.erase(0, std::min(piece.find_first_not_of(" \t\n"), piece.size()));
    const bool typed = piece == tokenizer.token_text(*unknown);  // the token itself
    if (!typed && !piece.empty() && std::find(out.begin(), out.end(), piece) == out.end())
      out.push_back(std::move(piece));
  }
  return out;
}

std::vector<int> Encoding::ids() const {
  std::vector<int> out;
  out.reserve(tokens.size());
  for (const Token& token : tokens) out.push_back(token.id);
  return out;
}

std::vector<int> Tokenizer::search(std::string_view query, int limit) const {
  std::vector<int> out;
  if (query.empty() || limit <= 0) return out;
  std::call_once(searchable_once_, [this] {
    for (int id = 0; id < vocab_size(); ++id) {
      if (!token_text(id).empty()) searchable_.emplace_back(id, ascii_lower(decode({id}, false)));
    }
  });
  const std::string wanted = ascii_lower(query);
  std::vector<std::tuple<int, std::size_t, int>> found;  // (rank, length, id)
  for (const auto& [id, text] : searchable_) {
    const int rank = match_rank(text, wanted);
    if (rank >= 0) found.emplace_back(rank, text.size(), id);
  }
  const std::size_t count = std::min(found.size(), static_cast<std::size_t>(limit));
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), found.end());
  for (std::size_t i = 0; i < count; ++i) out.push_back(std::get<2>(found[i]));
  // The spelling the person typed comes before its upper- and lower-case relatives of the same length.
  std::stable_partition(out.begin(), out.end(), [&](int id) { return decode({id}, false) == query; });
  return out;
}

std::string display_bytes(std::string_view bytes) {
  std::size_t first = 0, last = bytes.size();
  while (first < last && bytes[first] == ' ') ++first;
  while (last > first && bytes[last - 1] == ' ') --last;
  std::string out;
  for (std::size_t i = 0; i < first; ++i) out += "·";
  for (std::size_t at = first; at < last;) {
    const std::size_t start = at;
    const char32_t c = next_code_point(bytes.substr(0, last), at);
    const bool broken = c == U'\xFFFD' && at == start + 1;
    if (broken) {
      out += format("<0x%02X>", static_cast<unsigned>(static_cast<unsigned char>(bytes[start])));
    } else {
      append_visible(out, c);
    }
  }
  for (std::size_t i = last; i < bytes.size(); ++i) out += "·";
  return out.empty() ? "<empty>" : composed(std::move(out));
}

}  // namespace attnscope
