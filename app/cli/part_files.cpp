#include "app/cli/part_files.h"

#include <algorithm>
#include <set>

#include "app/cli/answer_forms.h"
#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "app/cli/path_csv.h"
#include "app/cli/rows_file.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/io/json_file.h"
#include "core/system/mapped_file.h"

namespace attnscope::cli {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostDescribedBytes = std::uint64_t{1} << 30;

bool is_path_answer(const json& answer) {
  return answer.contains("kind") && answer.contains("rows") && answer["rows"].is_array() &&
         (answer["rows"].empty() || answer["rows"][0].contains("from"));
}

std::optional<std::int64_t> whole_at(const json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_number_integer()) return std::nullopt;
  return object[key].get<std::int64_t>();
}

// What parts of one answer have in common: all but their rows and which of them they are.
json common_of(const json& answer) {
  json out = answer;
  for (const char* own : {"rows", "each", "index", "base", "axes"}) out.erase(own);
  if (out.contains("run")) {
    const std::string run = run_of_whole(out["run"].dump());
    out["run"] = json::parse(run, nullptr, false);
  }
  return out;
}

Result<json> joined_paths(const std::vector<PartFile>& parts) {
  TRY(const RowsHeld held, rows_held(parts));
  if (!held.missing.empty())
    return fail(Code::not_found, "error.cli.answer_missing",
                {held.whole - std::ssize(held.missing), held.whole});
  json rows = json::array();
  const auto base = [](const json& answer) {
    const json::json_pointer clean("/base/clean");
    return answer.contains(clean) && answer[clean].is_number() ? answer[clean].get<float>() : 0.f;
  };
  for (const PartFile& part : parts) {
    if (base(part.answer) != base(parts.front().answer))
      return about(part.path, fail(Code::bad_format, "error.cli.answer_mixed"));
    for (const json& row : part.answer["rows"])
      for (const char* end : {"from", "to"})
        if (!row.contains(end) || !row[end].is_string())
          return not_an_answer(part.path, Text::of("error.cli.answer.path_row", {in_quotes(row.dump(), 60)}));
    rows.insert(rows.end(), part.answer["rows"].begin(), part.answer["rows"].end());
  }
  std::sort(rows.begin(), rows.end(), [](const json& a, const json& b) {
    return a["index"].get<std::int64_t>() < b["index"].get<std::int64_t>();
  });
  for (json& row : rows) row.erase("index");
  json out = common_of(parts.front().answer);
  out["base"] = parts.front().answer["base"];
  out["rows"] = std::move(rows);
  out.erase("whole");
  put_agreement(out);
  return out;
}

std::string path_text(const json& answer) {
  return answer.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

Result<bool> is_described_part(const std::string& path) {
  if (path.ends_with(".npz")) return false;
  TRY(const std::string text, read_file(path, kMostDescribedBytes));
  return text.starts_with('{') || is_path_csv(text);
}

namespace {

// A part as CSV or npz, as the JSON that it stands for; nothing of one without rows.
Result<std::optional<json>> part_of_table(const std::string& path) {
  if (!path.ends_with(".npz")) {
    TRY(const std::string text, read_file(path, kMostDescribedBytes));
    if (is_path_csv(text)) return path_from_csv(path, text);
  }
  TRY(const AnswerTable table, read_answer(path));
  if (table.no_rows_here) return std::optional<json>();
  if (const Status part = check_part(table); !part) return about(path, part.error());
  return std::optional(json::parse(answer_text(table)));
}

}  // namespace

Result<std::vector<PartFile>> read_parts(const std::string& path) {
  std::vector<PartFile> out;
  if (path.ends_with(".csv") || path.ends_with(".npz")) {
    TRY(std::optional<json> answer, part_of_table(path));
    if (answer) out.push_back({path, *std::move(answer)});
    return out;
  }
  if (!path.ends_with(".jsonl")) {
    TRY(json answer, read_json_file(path, kMostDescribedBytes));
    out.push_back({path, std::move(answer)});
    return out;
  }
  TRY(const std::string text, read_file(path, kMostDescribedBytes));
  const std::vector<std::string> lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string where = path + ":" + std::to_string(i + 1);
    auto answer = parse_json(lines[i], where);
    if (!answer && i + 1 == lines.size()) {  // whoever wrote it was stopped
      std::fprintf(stderr, "attnscope-cli: %s\n", tr("cli.parts.cut", {quoted_path(path)}).c_str());
      break;
    }
    if (!answer) return answer.error();
    out.push_back({where, *std::move(answer)});
  }
  if (out.empty()) return not_an_answer(path, Text::of("error.cli.answer.no_parts"));
  return out;
}

Result<RowsHeld> rows_held(const std::vector<PartFile>& parts) {
  RowsHeld out;
  std::set<std::int64_t> held;
  if (parts.empty()) return fail(Code::bad_format, "error.cli.answer_no_part");
  const json common = common_of(parts.front().answer);
  for (const PartFile& part : parts) {
    const auto whole = whole_at(part.answer, "whole");
    if (!whole || *whole <= 0 || *whole > static_cast<std::int64_t>(kMostAnswerRows) ||
        !part.answer.contains("rows") || !part.answer["rows"].is_array())
      return about(part.path, fail(Code::bad_format, "error.cli.answer_no_part"));
    out.whole = *whole;
    if (common_of(part.answer) != common)
      return about(part.path, fail(Code::bad_format, "error.cli.answer_mixed"));
    for (const json& row : part.answer["rows"]) {
      const auto index = whole_at(row, "index");
      if (!index || *index < 0 || *index >= *whole)
        return about(part.path, fail(Code::out_of_range, "error.cli.answer_index",
                                     {in_quotes(row.dump(), 60), index.value_or(-1), *whole - 1}));
      if (!held.insert(*index).second) return fail(Code::bad_format, "error.cli.answer_twice", {*index});
    }
  }
  for (std::int64_t i = 0; i < out.whole; ++i)
    if (!held.contains(i)) out.missing.push_back(i);
  return out;
}

Status write_path(const json& answer, const std::string& out) {
  if (out.empty()) return say(path_text(answer)), Done{};
  return write_rows(out, answer, paths_csv(answer));
}

Status write_joined(const std::vector<PartFile>& parts, std::vector<AnswerTable> tables,
                    const std::string& out) {
  if (tables.empty() && parts.size() == 1 && !parts.front().answer.contains("whole")) {
    if (is_path_answer(parts.front().answer)) return write_path(parts.front().answer, out);
    TRY(const AnswerTable table, answer_from_json(parts.front().path, parts.front().answer));
    if (out.empty()) return say(answer_text(table)), Done{};
    return write_answer(out, table);
  }
  if (tables.empty() && is_path_answer(parts.front().answer)) {
    TRY(const json whole, joined_paths(parts));
    return write_path(whole, out);
  }
  for (const PartFile& part : parts) {
    TRY(tables.emplace_back(), answer_from_json(part.path, part.answer));
    if (const Status checked = check_part(tables.back()); !checked) return about(part.path, checked.error());
  }
  TRY(const AnswerTable table, joined(tables));
  TRY_OK(check_places(tables));
  if (out.empty()) return say(answer_text(table)), Done{};
  return write_answer(out, table);
}

}  // namespace attnscope::cli
