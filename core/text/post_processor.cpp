#include "core/text/post_processor.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "core/text/byte_level.h"

namespace attnscope {

namespace {

// Widths in the original text, in bytes, of the spaces that a spelling opens and ends with.
struct Margins {
  std::vector<std::int64_t> leading, trailing;
};

Margins margins_of(std::string_view spelling) {
  static const std::string space_letter = byte_letter(' ');
  Margins out;
  bool inside = false;
  for (std::size_t at = 0; at < spelling.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(spelling, at);
    const bool letter = spelling.substr(begin, at - begin) == space_letter;
    if (!letter && !u_isUWhiteSpace(static_cast<UChar32>(c))) {
      inside = true;
      out.trailing.clear();
      continue;
    }
    const auto width = letter ? 1 : static_cast<std::int64_t>(at - begin);
    if (!inside) out.leading.push_back(width);
    out.trailing.push_back(width);
  }
  return out;
}

void trim(PlacedToken& placed, bool is_first, bool add_prefix_space) {
  Margins margins = margins_of(placed.matched);
  Token& token = placed.token;
  if (add_prefix_space && is_first && !margins.leading.empty())
    margins.leading.erase(margins.leading.begin());
  for (const std::int64_t width : margins.leading) token.begin = std::min(token.begin + width, token.end);
  for (const std::int64_t width : margins.trailing) token.end = std::max(token.end - width, token.begin);
}

std::optional<unsigned char> byte_of_spelling(std::string_view spelling) {
  if (spelling.size() != 6 || !starts_with(spelling, "<0x") || spelling[5] != '>') return std::nullopt;
  unsigned value = 0;
  const auto read = std::from_chars(spelling.data() + 3, spelling.data() + 5, value, 16);
  if (read.ec != std::errc() || read.ptr != spelling.data() + 5) return std::nullopt;
  return static_cast<unsigned char>(value);
}

void flush_bytes(std::string& bytes, std::vector<std::string>& out) {
  if (bytes.empty()) return;
  if (is_valid_utf8(bytes)) {
    out.push_back(bytes);
  } else {
    out.insert(out.end(), bytes.size(), "\xEF\xBF\xBD");
  }
  bytes.clear();
}

}  // namespace

PostProcessor trim_post_processor(bool add_prefix_space) {
  return [add_prefix_space](std::vector<PlacedToken>& tokens, bool) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      trim(tokens[i], i == 0 || tokens[i].token.begin == 0, add_prefix_space);
    }
  };
}

PostProcessor template_post_processor(std::vector<Token> before, std::vector<Token> after) {
  return [before = std::move(before), after = std::move(after)](std::vector<PlacedToken>& tokens,
                                                                bool add_special) {
    if (!add_special) return;
    std::vector<PlacedToken> out;
    out.reserve(before.size() + tokens.size() + after.size());
    for (const Token& token : before) out.push_back({token, {}});
    for (PlacedToken& token : tokens) out.push_back(std::move(token));
    for (const Token& token : after) out.push_back({token, {}});
    tokens = std::move(out);
  };
}

PostProcessor post_processor_sequence(std::vector<PostProcessor> parts) {
  return [parts = std::move(parts)](std::vector<PlacedToken>& tokens, bool add_special) {
    for (const PostProcessor& part : parts) part(tokens, add_special);
  };
}

Decoder byte_level_decoder() {
  return [](std::vector<std::string> spellings) {
    std::string bytes;
    for (const std::string& spelling : spellings) bytes += bytes_of_letters(spelling);
    return std::vector<std::string>{lossy_utf8(bytes)};
  };
}

Decoder byte_fallback_decoder() {
  return [](std::vector<std::string> spellings) {
    std::vector<std::string> out;
    std::string bytes;
    for (std::string& spelling : spellings) {
      if (const auto byte = byte_of_spelling(spelling)) {
        bytes.push_back(static_cast<char>(*byte));
        continue;
      }
      flush_bytes(bytes, out);
      out.push_back(std::move(spelling));
    }
    flush_bytes(bytes, out);
    return out;
  };
}

Decoder replace_decoder(Pattern pattern, std::string content) {
  return [pattern = std::move(pattern), content = std::move(content)](std::vector<std::string> spellings) {
    for (std::string& spelling : spellings) {
      const auto matches = pattern.cut(spelling);
      if (!matches) continue;  // too hard for the expression: the spelling is shown as it is
      std::string out;
      for (const Match& match : *matches) {
        out += match.matched ? content : spelling.substr(match.begin, match.end - match.begin);
      }
      spelling = std::move(out);
    }
    return spellings;
  };
}

Decoder strip_decoder(std::string content, int start, int stop) {
  return [content = std::move(content), start, stop](std::vector<std::string> spellings) {
    for (std::string& spelling : spellings) {
      for (int i = 0; i < start && starts_with(spelling, content); ++i) spelling.erase(0, content.size());
      for (int i = 0; i < stop && ends_with(spelling, content); ++i)
        spelling.resize(spelling.size() - content.size());
    }
    return spellings;
  };
}

Decoder fuse_decoder() {
  return [](std::vector<std::string> spellings) { return std::vector<std::string>{join(spellings, "")}; };
}

Decoder decoder_sequence(std::vector<Decoder> parts) {
  return [parts = std::move(parts)](std::vector<std::string> spellings) {
    for (const Decoder& part : parts) spellings = part(std::move(spellings));
    return spellings;
  };
}

}  // namespace attnscope
