#include "core/text/post_processor.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/text/byte_level.h"
#include "core/text/characters.h"

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
    if (!letter && !is_white_space(c)) {
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

}  // namespace attnscope
