// Numbers as people type them: in decimal ("3e-4"), with a letter for thousands ("1k", "1.5M", "2B", "1T") or
// as a power ("2^20"), finite, between two limits. One parser for the command lines and the fields of the
// window, so that all take the same forms and give the same errors. Not read: hexadecimal, octal, NaN,
// infinity, and whole numbers that would have to be rounded.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace attnscope {

/// What a person typed into a field, for those below: without the spaces around it and a plus in front, with
/// the keyboard's minus.
std::string plain_number(std::string_view typed);

/// A whole number from `least` to `most`. Errors: bad_format, out_of_range; the sentence names the range.
Result<std::uint64_t> parse_whole(std::string_view text, std::uint64_t least, std::uint64_t most);
/// A finite number from `least` to `most`.
Result<double> parse_real(std::string_view text, double least, double most);

/// A validator for CLI11: replaces a valid value by the same number in plain decimal and returns "", else
/// returns the error as a sentence.
using NumberCheck = std::function<std::string(std::string&)>;
NumberCheck whole_number(std::uint64_t least, std::uint64_t most);
NumberCheck real_number(double least, double most);

}  // namespace attnscope
