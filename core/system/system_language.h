// The language that a person has told the system.
#pragma once

#include <string>

namespace attnscope {

/// "ko" where the first of LC_ALL, LC_MESSAGES and LANG that is set names Korean ("ko", "ko_KR.UTF-8"), else
/// "en".
std::string system_language();

}  // namespace attnscope
