// The fields of one line of a data set, from JSON and from CSV.
#pragma once

#include <string_view>

#include "core/session/data_set.h"

namespace attnscope {

/// What is wrong in a line, and where in it.
struct DataProblem {
  std::int64_t column = 1;  ///< from 1
  Text what;
};

/// A field of CSV, and where it begins, from 1.
struct CsvField {
  std::string text;
  std::int64_t column = 1;
};

/// True where a record goes on behind the end of the line: a quote is open.
bool csv_goes_on(std::string_view record);
/// The fields of one record (RFC 4180).
std::optional<DataProblem> csv_fields(std::string_view record, std::vector<CsvField>& out);

/// Fills `out` from an object of JSON in one line.
std::optional<DataProblem> take_json_line(std::string_view text, DataLine& out);
/// Fills `out` from a record of CSV under its header.
std::optional<DataProblem> take_csv_line(const std::vector<std::string>& header,
                                         const std::vector<CsvField>& fields, DataLine& out);
/// The line says what is read: text, ids or clean.
std::optional<DataProblem> check_data_line(const DataLine& line);
/// True for the name of a column that says what is read.
bool names_prompt(std::string_view column);

}  // namespace attnscope
