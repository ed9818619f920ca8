#include "core/system/system_language.h"

#include <cstdlib>
#include <string_view>

namespace attnscope {

std::string system_language() {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view locale(value);
    return locale.substr(0, locale.find_first_of("_.@")) == "ko" ? "ko" : "en";
  }
  return "en";
}

}  // namespace attnscope
