// Result of a sweep (ablation, patching) or attribution: one number per place; written as JSON, CSV or npz,
// and read back to join parts that several machines computed. Errors: other file types, parts of different
// sweeps.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/trace/edit.h"

namespace attnscope::cli {

/// Of patching: the row that was patched and the one it was taken from, with their tokens.
struct AnswerPair {
  std::int64_t into = 0, from = 0;
  std::string into_token, from_token;
};

struct AnswerRow {
  std::string step;
  std::vector<AxisRange> at;
  double value = 0;  ///< over a data set: the mean
  std::optional<double> estimate;
  std::int64_t index = 0;  ///< index among the rows of all parts
  std::int64_t n = 0;      ///< prompts of a data set that have this place; 0: no data set
  std::optional<double> error = {}, normalised = {};  ///< of the mean; (value - corrupt) / (clean - corrupt)
  std::vector<double> quantiles = {};                 ///< at kQuantiles, or none
  std::optional<AnswerPair> pair = {};
};
inline constexpr std::array<double, 5> kQuantiles{0.05, 0.25, 0.5, 0.75, 0.95};

/// The value at one place of one prompt of a data set.
struct AnswerOfPrompt {
  std::int64_t prompt = 0, line = 0;
  std::size_t row = 0;  ///< of the table
  double value = 0, base = 0;
};

/// Edits by run: "edits", "clean_edits", "corrupt_edits"; no entry for a run without edits.
using AnswerEdits = std::map<std::string, std::vector<std::string>, std::less<>>;

struct AnswerTable {
  std::string measure;
  std::vector<std::pair<std::string, double>> totals;  ///< "clean", "corrupt", or "total", "rest"
  std::vector<AnswerRow> rows;
  std::int64_t whole = 0;  ///< number of rows of all parts together
  AnswerEdits edits;
  std::vector<std::string> held = {};     ///< attribution: what was held constant
  std::vector<std::string> unknown = {};  ///< pieces of the texts that are not in the vocabulary
  std::string alignment = {};             ///< patching: aligned rows as JSON; else empty
  std::string run = {};                   ///< what was run, as JSON (answer_run.h)
  std::vector<std::pair<std::string, double>> errors = {};  ///< of the totals' means over a data set
  std::vector<AnswerOfPrompt> each = {};                    ///< where they were asked for
  bool no_rows_here = false;     ///< a part read from a CSV that has a header alone: more parts than rows
  bool estimates_alone = false;  ///< nothing was run: values are the estimates, and are written as such

  /// Stores the edits of a run under a name.
  void take_edits(const std::string& name, const Edits& of_run);
  bool is_part() const { return std::int64_t(rows.size()) < whole; }
};

/// NaN and infinities, which JSON lacks, become "NaN", "Infinity" or "-Infinity".
nlohmann::json json_number(double value);
/// As JSON: {"measure", "base": totals, "rows": [{"step", "at", "value"}]}, a range of indices as the text
/// "8-15"; with "run", "unknown", "alignment", "estimate" and the edits if there are any; over a data set
/// each row has "stderr" and "n", and "base_stderr" those of the totals. A part has also the "index" of each
/// row, "whole" (the number of all rows) and the order of its "axes". An attribution has {"total", "rest",
/// "parts", "held"} in place of base and rows.
std::string answer_text(const AnswerTable& table);
/// Of several measures: "measures", under "base" (and "base_stderr") the totals of each, and rows that say
/// their measure.
std::string answer_text(const std::vector<AnswerTable>& tables);
/// JSON: answer_text(). CSV: a header and one row per place; for ranges the last index is in a column of its
/// own, "pos_last"; the totals ("clean") are columns that say the same in each row; of an edited run the last
/// columns hold the edits, joined by "; ". With `each`: one row per prompt and place. npz: per step an array
/// over its axes, "blocks.0.attn.z[head,pos]", a range's value at each of its indices, NaN where nothing was
/// computed; estimates as "... .estimate", standard errors and counts as "... .stderr" and "... .n", totals
/// under their names, edits and the run as bytes, edits one per line. A part also has the indices, 1-based,
/// as "... .index", and "whole". Parts as CSV and npz hold all that the JSON does, to the last bit, in the
/// column or array "answer". Errors: another extension, a write error.
Status write_answer(const std::string& path, const AnswerTable& table);
/// Of several measures, which a CSV has in a column; not as npz.
Status write_answer(const std::string& path, const std::vector<AnswerTable>& tables);
/// Checks before a long sweep that the file can be written. Errors: as write_answer.
Status check_answer_path(const std::string& path);
/// Reads a sweep written by write_answer; only JSON contains the measure. Errors: no such file, another
/// format.
Result<AnswerTable> read_answer(const std::string& path);
/// Checks that a file is one part of a sweep. Errors: it is complete; an invalid index, step or
/// axis.
Status check_part(const AnswerTable& part);
/// Checks that parts can be of one sweep. Errors: a place occurs twice, a step has different axes.
Status check_places(const std::vector<AnswerTable>& parts);
/// Joins parts. Errors: parts of different sweeps or edits, missing or duplicate rows.
Result<AnswerTable> joined(const std::vector<AnswerTable>& parts);

}  // namespace attnscope::cli
