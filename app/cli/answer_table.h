// The answer to a question about a run: one number per place, as JSON, as CSV and as arrays of an .npz; and
// the same read back, where several machines computed parts of it. Refuses files of other kinds, and parts
// that do not belong together.
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
  std::int64_t index = 0;  ///< among the rows of all parts
};

/// What was edited, by whose run it was: "edits", "clean_edits", "corrupt_edits"; no entry where nothing was.
using AnswerEdits = std::map<std::string, std::vector<std::string>, std::less<>>;

struct AnswerTable {
  std::string measure;
  std::vector<std::pair<std::string, double>> totals;  ///< "clean", "corrupt", or "total", "rest"
  std::vector<AnswerRow> rows;
  std::int64_t whole = 0;  ///< rows of all parts together
  AnswerEdits edits;
  std::vector<std::string> held = {};     ///< of an attribution: what stayed as it was in the run
  std::vector<std::string> unknown = {};  ///< pieces of the texts that the vocabulary could not spell
  std::string alignment = {};             ///< of patches: which rows belong together, as JSON; else empty

  /// Notes the edits of a run under a name.
  void take_edits(const std::string& name, const Edits& of_run);
  bool is_part() const { return std::int64_t(rows.size()) < whole; }
};

/// What JSON has no number for becomes "NaN", "Infinity" or "-Infinity".
nlohmann::json json_number(double value);
/// As JSON, with "unknown" and "alignment" where there are such: {"measure", "base": totals, "rows":
/// [{"step", "at", "value"}]}, a group of indices as the text "8-15", and, where they are known, "estimate"
/// and the edits; of a part also the "index" of each row, how many the "whole" has, and the order of its
/// "axes". An attribution has {"total", "rest", "parts", "held"} in place of base and rows.
std::string answer_text(const AnswerTable& table);
/// JSON: answer_text(). CSV: a header, a row per total (its name in the column "step", "base" in
/// "kind"), then one per place ("place"); of groups the last index stands in a column of its own, "pos_last";
/// of an edited run the last columns hold the edits in every row, joined by "; ". npz: per step an array over
/// its axes, "blocks.0.attn.z[head,pos]", a group's value at each of its indices, the estimates as "...
/// .estimate", the totals under their names, the edits as bytes, a line each; NaN where nothing was asked. Of
/// a part also the indices, from 1 on, as "... .index", and "whole". Errors: another extension; the writer's.
Status write_answer(const std::string& path, const AnswerTable& table);
/// Whether it could be written there: asked before a long sweep. Errors: as write_answer.
Status check_answer_path(const std::string& path);
/// Reads what write_answer wrote of a sweep; the measure is in JSON alone. Errors: no such file, not of this
/// form.
Result<AnswerTable> read_answer(const std::string& path);
/// Whether a file is one part of a sweep. Errors: it is a whole one; an index, a step or an axis that is
/// none.
Status check_part(const AnswerTable& part);
/// Whether parts can be of one sweep. Errors: a place that is there twice, steps over other axes.
Status check_places(const std::vector<AnswerTable>& parts);
/// Joins parts. Errors: parts of different sweeps or edits, rows that are missing or doubled.
Result<AnswerTable> joined(const std::vector<AnswerTable>& parts);

}  // namespace attnscope::cli
