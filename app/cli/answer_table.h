// Result of a sweep (ablation, patching) or attribution: one number per place; written as JSON, CSV or npz,
// and read back to join parts that several machines computed. Errors: other file types, parts of different
// sweeps.
#pragma once

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

struct AnswerRow {
  std::string step;
  std::vector<AxisRange> at;
  double value = 0;
  std::optional<double> estimate;
  std::int64_t index = 0;  ///< index among the rows of all parts
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

  /// Stores the edits of a run under a name.
  void take_edits(const std::string& name, const Edits& of_run);
  bool is_part() const { return std::int64_t(rows.size()) < whole; }
};

/// NaN and infinities, which JSON lacks, become "NaN", "Infinity" or "-Infinity".
nlohmann::json json_number(double value);
/// As JSON: {"measure", "base": totals, "rows": [{"step", "at", "value"}]}, a range of indices as the text
/// "8-15"; with "unknown", "alignment", "estimate" and the edits if there are any. A part has also the
/// "index" of each row, "whole" (the number of all rows) and the order of its "axes". An attribution has
/// {"total", "rest", "parts", "held"} in place of base and rows.
std::string answer_text(const AnswerTable& table);
/// JSON: answer_text(). CSV: a header, a row per total (name in column "step", "base" in "kind"), then one
/// per place ("place"); for ranges the last index is in a column of its own, "pos_last"; of an edited run the
/// last columns hold the edits, joined by "; ". npz: per step an array over its axes,
/// "blocks.0.attn.z[head,pos]", a range's value at each of its indices, NaN where nothing was computed;
/// estimates as "... .estimate", totals under their names, edits as bytes, one per line. A part also has the
/// indices, 1-based, as "... .index", and "whole". Errors: another extension, a write error.
Status write_answer(const std::string& path, const AnswerTable& table);
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
