// What --version and the About box say.
#pragma once

#include <string>

namespace attnscope {

/// "attnscope 0.1.0 (e3079f98), kernels AVX-512"; without the commit where it is not known.
std::string about_text();

}  // namespace attnscope
