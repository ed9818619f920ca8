// The name of each language in that language, for menus.
#pragma once

#include <string>
#include <string_view>

namespace attnscope {

/// "한국어" for "ko": the text "language.name" of its own table, whatever language is spoken now; the short
/// name where it has none.
std::string language_name(std::string_view language);

}  // namespace attnscope
