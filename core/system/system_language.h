// The language of the system's locale settings.
#pragma once

#include <string>

namespace attnscope {

/// The language that the first of LC_ALL, LC_MESSAGES and LANG that is set names ("ko", "ko_KR.UTF-8"), where
/// the program has a table of texts for it; else "en".
std::string system_language();

}  // namespace attnscope
