// Numbers and attributes of SVG elements, for those who write SVG.
#pragma once

#include <string>

namespace attnscope::svg {

/// "12.5": at most two decimals, no trailing zeros.
std::string number(float value);
/// ` name="12.5"`
std::string attribute(const char* name, float value);

}  // namespace attnscope::svg
