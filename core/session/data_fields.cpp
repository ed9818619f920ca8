#include "core/session/data_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/trimmed.h"
#include "core/text/json_node.h"

namespace attnscope {
namespace {

constexpr std::string_view kSpace = " \t\r";

// Where the value of each member of an object begins in a line that is known to be JSON.
std::map<std::string, std::int64_t, std::less<>> value_columns(std::string_view text) {
  std::map<std::string, std::int64_t, std::less<>> out;
  std::string name;
  int depth = 0;
  bool behind_colon = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (kSpace.find(c) != std::string_view::npos || c == '\n') continue;
    if (depth == 1 && behind_colon) out[name] = static_cast<std::int64_t>(i) + 1, behind_colon = false;
    if (c == '"') {
      const std::size_t begin = i++;
      while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
      const nlohmann::json read = nlohmann::json::parse(text.substr(begin, i - begin + 1), nullptr, false);
      if (depth == 1 && read.is_string()) name = read.get<std::string>();
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == ':' && depth == 1) {
      behind_colon = true;
    }
  }
  return out;
}

std::string ids_text(const nlohmann::json& ids) {
  std::vector<std::string> out;
  for (const nlohmann::json& id : ids) out.push_back(id.dump());
  return join(out, ",");
}

// "1 2 3", "[1, 2, 3]" and "1,2,3" are the same ids.
std::string plain_ids_text(std::string text) {
  for (char& c : text)
    if (c == '[' || c == ']' || c == '\t') c = ' ';
  std::string out;
  for (const std::string& part : split(text, text.find(',') == std::string::npos ? ' ' : ',')) {
    const std::string id(trimmed(part, " "));
    if (!id.empty()) out += (out.empty() ? "" : ",") + id;
  }
  return out;
}

bool are_ids(const nlohmann::json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(),
                     [](const nlohmann::json& id) { return id.is_number_integer(); });
}

std::optional<DataProblem> no_ids(const DataLine& line, const std::string& name) {
  return DataProblem{line.columns.at(name), Text::of("data.wrong.ids", {in_quotes(name)})};
}

// The place in a line for what is read under this name; null for other names.
std::optional<Request::Words>* prompt_of(DataLine& line, std::string_view name) {
  if (name == "text" || name == "ids" || name == "clean" || name == "clean_ids") return &line.words;
  if (name == "corrupt" || name == "corrupt_ids") return &line.corrupt;
  if (name == "decoder" || name == "decoder_ids") return &line.decoder;
  return nullptr;
}

std::optional<DataProblem> put_words(DataLine& line, const std::string& name, std::string text, bool ids) {
  auto& words = *prompt_of(line, name);
  if (ids) {
    text = plain_ids_text(std::move(text));
    if (!parse_ids(text, name)) return no_ids(line, name);
  }
  if (words) return DataProblem{line.columns.at(name), Text::of("data.wrong.two_prompts", {in_quotes(name)})};
  words = Request::Words{std::move(text), ids};
  return std::nullopt;
}

std::optional<DataProblem> take_member(DataLine& out, const std::string& name, const nlohmann::json& value) {
  if (value.is_null()) return std::nullopt;
  if (prompt_of(out, name)) {
    if (are_ids(value)) return put_words(out, name, ids_text(value), true);
    if (name.ends_with("ids") && !value.is_string()) return no_ids(out, name);
    if (value.is_string()) return put_words(out, name, value.get<std::string>(), name.ends_with("ids"));
    return DataProblem{out.columns.at(name), Text::of("data.wrong.text", {in_quotes(name)})};
  }
  if (name == "answer" || name == "wrong") {
    if (!value.is_string() && !value.is_number_unsigned())
      return DataProblem{out.columns.at(name), Text::of("data.wrong.token", {in_quotes(name)})};
    (name == "answer" ? out.answer : out.wrong) =
        value.is_string() ? value.get<std::string>() : "#" + value.dump();
    return std::nullopt;
  }
  out.groups[name] = value.is_string() ? value.get<std::string>() : value.dump();
  return std::nullopt;
}

}  // namespace

bool names_prompt(std::string_view column) {
  return column == "text" || column == "ids" || column == "clean" || column == "clean_ids";
}

bool csv_goes_on(std::string_view record) { return std::count(record.begin(), record.end(), '"') % 2 == 1; }

std::optional<DataProblem> csv_fields(std::string_view record, std::vector<CsvField>& out) {
  out.assign(1, {});
  bool quoted = false, inside = false;
  for (std::size_t i = 0; i < record.size(); ++i) {
    const char c = record[i];
    const auto column = static_cast<std::int64_t>(i) + 1;
    CsvField& field = out.back();
    if (inside && c == '"' && record.substr(i, 2) == "\"\"") {
      field.text += record[++i];
    } else if (c == '"' && (inside || (!quoted && field.text.empty()))) {
      inside = !inside, quoted = true;
    } else if (c == ',' && !inside) {
      out.push_back({"", column + 1}), quoted = false;
    } else if (quoted && !inside) {
      return DataProblem{column, Text::of("data.wrong.behind_quote")};
    } else {
      field.text += c;
    }
  }
  if (inside) return DataProblem{out.back().column, Text::of("data.wrong.open_quote")};
  return std::nullopt;
}

std::optional<DataProblem> take_json_line(std::string_view text, DataLine& out) {
  if (!is_valid_utf8(text)) return DataProblem{1, Text::of("data.wrong.utf8")};
  const auto read = parse_json(text);
  if (!read) {
    const auto& where = read.error().what().arguments();  // of "breaks off": the byte
    const auto byte = where.empty() ? std::nullopt : parse_index(where.front().str());
    const bool at = byte && read.error().what().key() == "error.text.json.breaks_off";
    return DataProblem{at ? std::max<std::int64_t>(1, static_cast<std::int64_t>(*byte)) : 1,
                       Text::of("data.wrong.json")};
  }
  const nlohmann::json& value = *read;
  if (!value.is_object()) return DataProblem{1, Text::of("data.wrong.object")};
  out.columns = value_columns(text);
  for (const auto& [name, member] : value.items())
    if (auto problem = take_member(out, name, member)) return problem;
  return std::nullopt;
}

std::optional<DataProblem> take_csv_line(const std::vector<std::string>& header,
                                         const std::vector<CsvField>& fields, DataLine& out) {
  if (fields.size() != header.size()) {
    const std::size_t last = std::min(fields.size(), header.size() + 1) - 1;
    return DataProblem{fields[last].column, Text::of("data.wrong.ragged", {fields.size(), header.size()})};
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string& name = header[i];
    const std::string& text = fields[i].text;
    out.columns[name] = fields[i].column;
    if (!is_valid_utf8(text)) return DataProblem{fields[i].column, Text::of("data.wrong.utf8")};
    if (prompt_of(out, name)) {
      if (text.empty()) continue;
      if (auto problem = put_words(out, name, text, name.ends_with("ids"))) return problem;
    } else if (name == "answer" || name == "wrong") {
      (name == "answer" ? out.answer : out.wrong) = text;
    } else {
      out.groups[name] = text;
    }
  }
  return std::nullopt;
}

std::optional<DataProblem> check_data_line(const DataLine& line) {
  if (line.words) return std::nullopt;
  return DataProblem{1, Text::of("data.wrong.no_prompt")};
}

}  // namespace attnscope
