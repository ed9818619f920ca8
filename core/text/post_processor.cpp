#include "core/text/post_processor.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/text/byte_level.h"
#include "core/text/characters.h"

namespace attnscope {

Margins margins_of(std::string_view matched) {
  static const std::string space_letter = byte_letter(' ');
  Margins out;
  bool inside = false;
  for (std::size_t at = 0; at < matched.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(matched, at);
    const bool letter = matched.substr(begin, at - begin) == space_letter;
    if (!letter && !is_white_space(c)) {
      inside = true;
      out.trailing = 0;
      continue;
    }
    const auto width = letter ? 1 : static_cast<std::int32_t>(at - begin);
    if (begin == 0) out.first = width;
    if (!inside) out.leading += width;
    out.trailing += width;
  }
  return out;
}

PostProcessor trim_post_processor(bool add_prefix_space) {
  return [add_prefix_space](PlacedTokens& placed, bool) {
    for (std::size_t i = 0; i < placed.tokens.size(); ++i) {
      Token& token = placed.tokens[i];
      const Margins& margins = placed.margins[i];
      const bool made =
          add_prefix_space && (i == 0 || token.begin == 0);  // the first space is not in the text
      token.begin = std::min(token.begin + margins.leading - (made ? margins.first : 0), token.end);
      token.end = std::max(token.end - margins.trailing, token.begin);
    }
  };
}

PostProcessor template_post_processor(std::vector<Token> before, std::vector<Token> after) {
  return [before = std::move(before), after = std::move(after)](PlacedTokens& placed, bool add_special) {
    if (!add_special) return;
    placed.tokens.insert(placed.tokens.begin(), before.begin(), before.end());
    placed.margins.insert(placed.margins.begin(), before.size(), Margins());
    placed.tokens.insert(placed.tokens.end(), after.begin(), after.end());
    placed.margins.resize(placed.tokens.size());
    placed.in_front += before.size();
  };
}

PostProcessor post_processor_sequence(std::vector<PostProcessor> parts) {
  return [parts = std::move(parts)](PlacedTokens& placed, bool add_special) {
    for (const PostProcessor& part : parts) part(placed, add_special);
  };
}

}  // namespace attnscope
