// Which attnscope this is, for --version, the About box and the captions of figures.
#pragma once

#include <string_view>

namespace attnscope {

/// "0.1.0": of CMakeLists.txt.
std::string_view version();
/// The commit it was built from, its first characters: "e3079f98"; empty where it was built from no
/// repository.
std::string_view commit();

}  // namespace attnscope
