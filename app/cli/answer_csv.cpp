// Answers as CSV: one row per place.
#include <algorithm>
#include <functional>
#include <set>

#include "app/cli/answer_forms.h"
#include "app/cli/csv_text.h"
#include "core/base/read_all.h"
#include "core/base/text.h"

namespace attnscope::cli {
namespace {

constexpr const char *kLast = "_last", *kBetweenEdits = "; ";

// Axes on which some row has a range of indices: they get a column for the last index.
std::set<std::string> grouped_axes(const AnswerTable& table) {
  std::set<std::string> out;
  for (const AnswerRow& row : table.rows)
    for (const AxisRange& range : row.at)
      if (range.end > range.begin + 1) out.insert(range.axis);
  return out;
}

// A column that not every answer has; an empty cell where a row lacks it.
struct Column {
  std::string name;
  std::function<std::string(const AnswerRow&)> cell;  // ",0.5"
};

using Digits = std::string (*)(double);

// What merge reads is written in full.
Digits digits_of(const AnswerTable& table) { return table.is_part() ? csv_exact : csv_number; }

std::string optional_number(const std::optional<double>& value, Digits digits) {
  return value ? digits(*value) : ",";
}

std::vector<Column> columns_of(const AnswerTable& table) {
  std::vector<Column> out;
  const Digits digits = digits_of(table);
  if (!table.estimates_alone)
    out.push_back({"value", [digits](const AnswerRow& row) { return digits(row.value); }});
  const auto number = [&](const char* name, std::optional<double> AnswerRow::*part) {
    if (std::any_of(table.rows.begin(), table.rows.end(),
                    [&](const AnswerRow& row) { return (row.*part).has_value(); }))
      out.push_back(
          {name, [part, digits](const AnswerRow& row) { return optional_number(row.*part, digits); }});
  };
  const bool counts = any_row(table, [](const AnswerRow& row) { return row.n > 0; });
  if (counts)
    out.push_back({"stderr", [digits](const AnswerRow& row) { return optional_number(row.error, digits); }});
  else
    number("stderr", &AnswerRow::error);
  if (counts) out.push_back({"n", [](const AnswerRow& row) { return "," + std::to_string(row.n); }});
  number("normalised", &AnswerRow::normalised);
  number("estimate", &AnswerRow::estimate);
  if (any_row(table, [](const AnswerRow& row) { return !row.quantiles.empty(); }))
    for (std::size_t i = 0; i < kQuantiles.size(); ++i)
      out.push_back({quantile_name(kQuantiles[i]), [i, digits](const AnswerRow& row) {
                       return row.quantiles.empty() ? "," : digits(row.quantiles[i]);
                     }});
  if (any_row(table, [](const AnswerRow& row) { return row.pair.has_value(); })) {
    const auto pair = [&](const char* name, std::string (*cell)(const AnswerPair&)) {
      out.push_back({name, [cell](const AnswerRow& row) { return row.pair ? "," + cell(*row.pair) : ","; }});
    };
    pair("into_token", [](const AnswerPair& one) { return csv_field(one.into_token); });
    pair("from_pos", [](const AnswerPair& one) { return std::to_string(one.from); });
    pair("from_token", [](const AnswerPair& one) { return csv_field(one.from_token); });
  }
  for (const auto& [name, value] : table.totals)
    out.push_back({name, [cell = digits(value)](const AnswerRow&) { return cell; }});
  if (table.is_part()) {
    out.push_back({"index", [](const AnswerRow& row) { return "," + std::to_string(row.index); }});
    out.push_back({"whole", [whole = "," + std::to_string(table.whole)](const AnswerRow&) { return whole; }});
  }
  for (const auto& [name, edits] : table.edits)
    out.push_back(
        {name, [cell = "," + csv_quoted(join(edits, kBetweenEdits))](const AnswerRow&) { return cell; }});
  return out;
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  return read_all(text, value) ? std::optional(value) : std::nullopt;
}

bool names_total(std::string_view column) {
  return column == "clean" || column == "corrupt" || column == "total" || column == "rest";
}
// Read back as numbers of a row; others, like tokens, are for people and other programs.
std::optional<double> AnswerRow::*row_number(std::string_view column) {
  if (column == "estimate") return &AnswerRow::estimate;
  if (column == "stderr") return &AnswerRow::error;
  return column == "normalised" ? &AnswerRow::normalised : nullptr;
}
// Both ends of a patched row, and quantiles over prompts; empty where a row has none. False: another column.
bool take_pair(std::string_view column, const std::string& word, AnswerRow& row) {
  const bool into = column == "into_token", from = column == "from_token", pos = column == "from_pos";
  if (!into && !from && !pos) return false;
  const auto at = pos ? number_of(word) : std::nullopt;
  if (pos && !at) return true;
  if (!pos && word.empty()) return true;
  if (!row.pair) {
    row.pair.emplace();
    for (const AxisRange& range : row.at)
      if (range.axis == "pos") row.pair->into = range.begin;
  }
  if (pos) row.pair->from = static_cast<std::int64_t>(*at);
  if (into || from) (into ? row.pair->into_token : row.pair->from_token) = word;
  return true;
}
bool take_quantile(std::string_view column, const std::string& word, AnswerRow& row) {
  for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
    if (column != quantile_name(kQuantiles[i])) continue;
    if (const auto value = number_of(word)) {
      row.quantiles.resize(kQuantiles.size());
      row.quantiles[i] = *value;
    }
    return true;
  }
  return false;
}

struct CsvAnswer {
  const std::string& path;
  std::vector<std::string> header = {};
  AnswerTable table = {};
  std::optional<AnswerTable> said = {};  // what a part says of the whole answer, beside its rows

  Status take(const std::vector<std::string>& words);
  Result<bool> take_cell(const std::string& name, const std::string& word, AnswerRow& row);
};

// False for a column of which every place is to be known ("index") and which is not this one.
Result<bool> CsvAnswer::take_cell(const std::string& name, const std::string& word, AnswerRow& row) {
  if (names_edits(name)) {
    std::vector<std::string>& edits = table.edits[name] = split(word, kBetweenEdits[0]);
    for (std::string& edit : edits) edit.erase(0, edit.starts_with(' ') ? 1 : 0);
    return false;
  }
  if (name == "run") {
    table.run = word;
    return false;
  }
  if (name == kAnswerColumn) {
    TRY(said, answer_without_rows(path, word));
    return false;
  }
  if (take_pair(name, word, row) || take_quantile(name, word, row)) return false;
  if (name == "kind") {  // of earlier versions, which had rows of totals
    if (word == "base" || word == "place") return false;
    return not_an_answer(path, Text::of("error.cli.answer.kind", {in_quotes(word)}));
  }
  const auto real = number_of(word);
  const auto whole = answer_range(name, word);
  const bool counts = name != "value" && !row_number(name) && !names_total(name);
  if (counts ? !whole : !real)
    return not_an_answer(path, Text::of(counts ? "error.cli.answer.whole_number" : "error.cli.answer.number",
                                        {in_quotes(word), in_quotes(name)}));
  if (name == "value") {
    row.value = *real;
  } else if (const auto part = row_number(name)) {
    row.*part = real;
  } else if (names_total(name)) {
    const auto same = [&](const auto& total) { return total.first == name; };
    if (std::none_of(table.totals.begin(), table.totals.end(), same)) table.totals.emplace_back(name, *real);
  } else if (name == "index") {
    row.index = whole->begin;
    return true;
  } else if (name == "whole") {
    if (table.whole > 0 && table.whole != whole->begin)
      return not_an_answer(path, Text::of("error.cli.answer.two_wholes", {table.whole, whole->begin}));
    table.whole = whole->begin;
  } else if (name == "n") {
    row.n = whole->begin;
  } else if (name.ends_with(kLast) && !row.at.empty() && row.at.back().axis + kLast == name) {
    row.at.back().end = std::max(row.at.back().end, whole->end);
  } else {
    row.at.push_back(*whole);
  }
  return false;
}

Status CsvAnswer::take(const std::vector<std::string>& words) {
  if (header.empty()) {
    header = words;
    table.estimates_alone = std::find(words.begin(), words.end(), "value") == words.end();
    return header.front() == "step" ? Status(Done{})
                                    : not_an_answer(path, Text::of("error.cli.answer.first_column"));
  }
  if (words.size() != header.size())
    return not_an_answer(path, Text::of("error.cli.answer.columns", {in_quotes(join(words, ","))}));
  if (table.rows.size() >= kMostAnswerRows)
    return not_an_answer(path, Text::of("error.cli.answer.rows", {kMostAnswerRows}));
  AnswerRow row;
  row.step = words[0];
  bool indexed = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].empty()) continue;
    TRY(const bool index, take_cell(header[i], words[i], row));
    indexed = indexed || index;
  }
  if (table.estimates_alone) row.value = row.estimate.value_or(kUnknownAnswer);
  if (!indexed && row.at.empty() && names_total(row.step)) {
    table.totals.emplace_back(row.step, row.value);
    return Done{};
  }
  if (!indexed && table.whole > 0)
    return not_an_answer(path, Text::of("error.cli.answer.no_index", {in_quotes(join(words, ","))}));
  table.rows.push_back(std::move(row));
  return Done{};
}

// The columns of a place, in every row of a table the same ones.
struct PlaceColumns {
  std::vector<std::string> axes;
  std::set<std::string> grouped;

  std::string header() const {
    std::string out;
    for (const std::string& axis : axes) {
      out += "," + csv_field(axis);
      if (grouped.contains(axis)) out += "," + csv_field(axis + kLast);
    }
    return out;
  }
  std::string cells(const AnswerRow& row) const {
    std::string out;
    for (const std::string& axis : axes) {
      const auto at =
          std::find_if(row.at.begin(), row.at.end(), [&](const AxisRange& one) { return one.axis == axis; });
      const bool has = at != row.at.end();
      out += has ? "," + std::to_string(at->begin) : ",";
      if (grouped.contains(axis)) out += has ? "," + std::to_string(at->end - 1) : ",";
    }
    return out;
  }
};

std::string csv_of_prompts(const AnswerTable& table, const PlaceColumns& places, bool with_measure) {
  std::string out =
      "prompt,line,step" + places.header() + (table.estimates_alone ? ",estimate,clean" : ",value,clean");
  out += with_measure ? ",measure\n" : "\n";
  const std::string measure = with_measure ? "," + csv_field(table.measure) : "";
  for (const AnswerOfPrompt& one : table.each) {
    const AnswerRow& row = table.rows[one.row];
    out += std::to_string(one.prompt + 1) + "," + std::to_string(one.line) + "," + csv_field(row.step) +
           places.cells(row) + csv_number(one.value) + csv_number(one.base) + measure + "\n";
  }
  return out;
}

}  // namespace

std::string answer_csv(const AnswerTable& table, bool with_measure) {
  const PlaceColumns places{answer_axes(table), grouped_axes(table)};
  if (!table.each.empty()) return csv_of_prompts(table, places, with_measure);
  std::vector<Column> columns = columns_of(table);
  if (with_measure)
    columns.push_back({"measure", [&table](const AnswerRow&) { return "," + csv_field(table.measure); }});
  std::string out = "step" + places.header();
  for (const Column& column : columns) out += "," + column.name;
  out += "\n";
  for (const AnswerRow& row : table.rows) {
    out += csv_field(row.step) + places.cells(row);
    for (const Column& column : columns) out += column.cell(row);
    out += "\n";
  }
  return out;
}

Result<AnswerTable> answer_from_csv(const std::string& path, const std::string& text) {
  CsvAnswer out{path};
  for (std::string_view left = text; !left.empty();) {
    const std::vector<std::string> words = take_csv_record(left);
    if (words.size() == 1 && words[0].empty()) continue;
    TRY_OK(out.take(words));
  }
  AnswerTable& table = out.table;
  const auto& header = out.header;
  table.no_rows_here = table.rows.empty() && std::find(header.begin(), header.end(), "whole") != header.end();
  if (out.said) take_said(table, *std::move(out.said));
  return std::move(table);
}

}  // namespace attnscope::cli
