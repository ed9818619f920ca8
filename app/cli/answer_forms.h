// The forms that an answer is written in and read from (answer_table.h).
#pragma once

#include <limits>
#include <nlohmann/json_fwd.hpp>

#include "app/cli/answer_table.h"

namespace attnscope::cli {

inline constexpr double kUnknownAnswer = std::numeric_limits<double>::quiet_NaN();
inline constexpr std::size_t kMostAnswerRows = 1 << 24;

/// True for "edits", "clean_edits", ...
bool names_edits(std::string_view column);
Error not_an_answer(const std::string& path, const Text& problem);
/// "3" or "8-15".
std::optional<AxisRange> answer_range(const std::string& axis, std::string_view text);
/// The axes of all rows, in the order in which they first occur.
std::vector<std::string> answer_axes(const AnswerTable& table);
/// True where a row has it.
bool any_row(const AnswerTable& table, bool (*has)(const AnswerRow&));
/// "q05", "q50".
std::string quantile_name(double q);

/// Adds to a JSON answer that is whole, as "estimate_r", how its estimates go with its exact values
/// (Pearson's r over the rows that have both); nothing where the values are the estimates.
void put_agreement(nlohmann::json& answer);
/// The line that says it; empty where there is none.
std::string agreement_line(const nlohmann::json& answer);
std::string agreement_line(const AnswerTable& table);

/// Where a part as CSV or npz has what its form has no place for (answer_without_rows).
inline constexpr const char* kAnswerColumn = "answer";
/// All of an answer but its rows and its run, as JSON on one line: measure, totals, edits, ...
std::string answer_without_rows(const AnswerTable& table);
/// Read back. Errors: other JSON, with the path of its file.
Result<AnswerTable> answer_without_rows(const std::string& path, const std::string& text);
/// Puts that around the rows of a part.
void take_said(AnswerTable& part, AnswerTable said);

/// A JSON answer as a table. Errors: with the path of its file.
Result<AnswerTable> answer_from_json(const std::string& path, const nlohmann::json& answer);
/// Of a part's run (JSON as text), the run of the whole.
std::string run_of_whole(const std::string& run);

/// `with_measure`: in a column of its own.
std::string answer_csv(const AnswerTable& table, bool with_measure = false);
Result<AnswerTable> answer_from_csv(const std::string& path, const std::string& text);
Status write_answer_npz(const std::string& path, const AnswerTable& table);
Result<AnswerTable> answer_from_npz(const std::string& path);

}  // namespace attnscope::cli
