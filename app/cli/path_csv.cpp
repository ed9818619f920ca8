#include "app/cli/path_csv.h"

#include <algorithm>

#include "app/cli/answer_forms.h"
#include "app/cli/answer_table.h"
#include "app/cli/csv_text.h"
#include "core/base/read_all.h"
#include "core/base/text.h"

namespace attnscope::cli {
namespace {

using nlohmann::json;

constexpr std::string_view kPathColumns = "from,to,value,";

bool any_path_row(const json& rows, const char* name) {
  return std::any_of(rows.begin(), rows.end(), [&](const json& row) { return row.contains(name); });
}

// A number as it stands in a row of JSON.
Result<json> path_cell(const std::string& path, const std::string& column, const std::string& word) {
  double value = 0;
  if (!read_all(word, value))
    return not_an_answer(path, Text::of("error.cli.answer.number", {in_quotes(word), in_quotes(column)}));
  return json_number(value);
}

Result<json> path_row(const std::string& path, const std::vector<std::string>& header,
                      const std::vector<std::string>& words) {
  json row = json::object();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string &column = header[i], &word = words[i];
    const bool names = column == "from" || column == "to", counts = column == "n" || column == "index";
    const bool number = column == "value" || column == "estimate";
    const bool quantile = column.size() == 3 && column[0] == 'q';
    if (names) {
      row[column] = word;
    } else if (counts) {
      const auto whole = answer_range(column, word);
      if (!whole)
        return not_an_answer(path,
                             Text::of("error.cli.answer.whole_number", {in_quotes(word), in_quotes(column)}));
      row[column] = whole->begin;
    } else if (column == "stderr" && word.empty()) {
      row[column] = nullptr;  // of a single prompt
    } else if (number || column == "stderr") {
      TRY(row[column], path_cell(path, column, word));
    } else if (quantile) {
      TRY(row["quantiles"][column], path_cell(path, column, word));
    }
  }
  return row;
}

}  // namespace

bool is_path_csv(std::string_view text) { return text.starts_with(kPathColumns); }

std::string paths_csv(const json& answer) {
  const bool part = answer.contains("whole"), several = answer.contains("measures");
  const auto digits = part ? csv_exact : csv_number;
  const auto number = [&](const json& row, const std::string& name) {
    const bool known = row.contains(name) && row[name].is_number();
    return digits(known ? row[name].get<double>() : kUnknownAnswer);
  };
  const json& rows = answer["rows"];
  const bool counts = any_path_row(rows, "n"), estimate = any_path_row(rows, "estimate"),
             quantiles = any_path_row(rows, "quantiles");
  std::string out = "from,to,value", edits;
  if (counts) out += ",stderr,n";
  if (estimate) out += ",estimate";
  for (const double q : kQuantiles) out += quantiles ? "," + quantile_name(q) : "";
  out += ",clean";
  if (several) out += ",measure";
  if (part) out += ",index,whole";
  for (const auto& [name, list] : answer.items()) {
    if (!names_edits(name)) continue;
    out += "," + name;
    edits += "," + csv_quoted(join(list.get<std::vector<std::string>>(), "; "));
  }
  out += "\n";
  for (const json& row : rows) {
    out += csv_field(row["from"].get<std::string>()) + "," + csv_field(row["to"].get<std::string>()) +
           number(row, "value");
    if (counts) out += (row["stderr"].is_null() ? "," : number(row, "stderr")) + "," + row["n"].dump();
    if (estimate) out += number(row, "estimate");
    for (const double q : kQuantiles) out += quantiles ? number(row["quantiles"], quantile_name(q)) : "";
    out += number(several ? answer["base"][row["measure"].get<std::string>()] : answer["base"], "clean");
    if (several) out += "," + csv_field(row["measure"].get<std::string>());
    if (part) out += "," + row["index"].dump() + "," + answer["whole"].dump();
    out += edits + "\n";
  }
  if (!part) return out;
  json about = answer;
  for (const char* own : {"rows", "each", "run"}) about.erase(own);
  return csv_with_column(out, kAnswerColumn, about.dump(-1, ' ', false, json::error_handler_t::replace));
}

Result<std::optional<json>> path_from_csv(const std::string& path, std::string_view text) {
  const std::vector<std::string> header = take_csv_record(text);
  json out = json::object(), run, rows = json::array();
  while (!text.empty()) {
    const std::vector<std::string> words = take_csv_record(text);
    if (words.size() == 1 && words[0].empty()) continue;
    if (words.size() != header.size())
      return not_an_answer(path, Text::of("error.cli.answer.columns", {in_quotes(join(words, ","))}));
    for (std::size_t i = 0; i < words.size() && rows.empty(); ++i) {
      if (header[i] == kAnswerColumn) out = json::parse(words[i], nullptr, false);
      if (header[i] == "run") run = json::parse(words[i], nullptr, false);
    }
    TRY(rows.emplace_back(), path_row(path, header, words));
    if (rows.size() > kMostAnswerRows)
      return not_an_answer(path, Text::of("error.cli.answer.rows", {kMostAnswerRows}));
  }
  const bool part = std::find(header.begin(), header.end(), "whole") != header.end();
  if (part && rows.empty()) return std::optional<json>();
  if (!out.is_object() || !out.contains("whole"))
    return about(path, fail(Code::bad_format, "error.cli.answer_no_part"));
  out["rows"] = std::move(rows);
  if (run.is_object()) out["run"] = std::move(run);
  return std::optional(std::move(out));
}

}  // namespace attnscope::cli
