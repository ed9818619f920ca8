// Fields and records of CSV (RFC 4180).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attnscope::cli {

/// Between quotes, whatever it holds.
std::string csv_quoted(const std::string& text);
/// As it stands, or between quotes where it holds a comma, a quote or a line end.
std::string csv_field(const std::string& text);
/// The first record of `text`, which is moved past it; line ends between quotes are part of it.
std::vector<std::string> take_csv_record(std::string_view& text);
/// A comma and the number with nine digits; "nan" without a sign.
std::string csv_number(double value);

}  // namespace attnscope::cli
