// Records and numbers of CSV (RFC 4180).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/csv.h"

namespace attnscope::cli {

/// Removes the first record from `text` and returns its fields; quoted line ends are part of a field.
std::vector<std::string> take_csv_record(std::string_view& text);
/// A table with one more column, which the first row alone fills.
std::string csv_with_column(std::string_view csv, const std::string& name, const std::string& text);
/// The column "run": what was run, as JSON.
std::string csv_with_run(std::string_view csv, const std::string& run);
/// A comma and the number with nine significant digits; "nan" without a sign.
std::string csv_number(double value);
/// A comma and the shortest digits that read back as the same number; "nan" without a sign.
std::string csv_exact(double value);

}  // namespace attnscope::cli
