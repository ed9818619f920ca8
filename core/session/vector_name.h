// Labels of the rows of inputs without tokens.
#pragma once

#include <string>

#include "core/trace/input.h"

namespace attnscope {

/// The name of a part of an input of vectors that is this position alone; else empty.
std::string vector_name(const Input& input, std::int64_t pos);

}  // namespace attnscope
