#include "core/io/quote.h"

#include "core/base/text.h"

namespace attnscope {

std::string in_quotes(std::string_view text, std::size_t limit) {
  std::string out = "\"";
  std::size_t at = 0;
  for (std::size_t shown = 0; at < text.size() && shown < limit; ++shown) {
    const char32_t code = next_code_point(text, at);
    const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
    append_utf8(out, control ? U'\uFFFD' : code);
  }
  return out + (at < text.size() ? "...\"" : "\"");
}

}  // namespace attnscope
