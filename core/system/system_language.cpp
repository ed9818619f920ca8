#include "core/system/system_language.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/base/words.h"

namespace attnscope {

std::string system_language() {
  for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view locale(value), name = locale.substr(0, locale.find_first_of("_.@"));
    const std::vector<std::string> known = languages();
    return std::find(known.begin(), known.end(), name) != known.end() ? std::string(name) : "en";
  }
  return "en";
}

}  // namespace attnscope
