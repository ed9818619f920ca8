// Parts of one answer as they lie in files: what --shard wrote, one a file, or many in a .jsonl, one a line,
// as a study that several machines compute keeps them. merge joins them; rerun --missing computes what is
// missing.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/answer_table.h"

namespace attnscope::cli {

struct PartFile {
  std::string path;
  nlohmann::json answer;
};

/// A file with JSON, or the CSV of paths, by how it begins: read_parts() reads it. Errors: it cannot be read.
Result<bool> is_described_part(const std::string& path);
/// The parts in a file of any form: none in a CSV without rows. The last line of a .jsonl that breaks off is
/// left out, and stderr says so. Errors: no such file, no part.
Result<std::vector<PartFile>> read_parts(const std::string& path);

/// The rows that parts hold, of how many.
struct RowsHeld {
  std::int64_t whole = 0;
  std::vector<std::int64_t> missing;
};
/// Errors: what is no part, a row in two parts, parts of different answers.
Result<RowsHeld> rows_held(const std::vector<PartFile>& parts);

/// Joins parts, beside them those of CSV and npz, and writes the whole answer to --out: ablate's and patch's
/// as .json, .csv or .npz, path's as .json or .csv; without a path, to stdout. Errors: parts of different
/// answers, missing rows.
Status write_joined(const std::vector<PartFile>& parts, std::vector<AnswerTable> tables,
                    const std::string& out);

/// Writes a path answer as .json, or its rows alone as .csv. Errors: another ending.
Status write_path(const nlohmann::json& answer, const std::string& out);

}  // namespace attnscope::cli
