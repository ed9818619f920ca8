#include "app/cli/answer_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "app/cli/answer_forms.h"
#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "app/cli/csv_text.h"
#include "core/base/agreement.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/system/atomic_file.h"

namespace attnscope::cli {
namespace {

nlohmann::json at_to_json(const std::vector<AxisRange>& at) {
  nlohmann::json out = nlohmann::json::object();
  for (const AxisRange& range : at)
    out[range.axis] =
        range.end == range.begin + 1 ? nlohmann::json(range.begin) : nlohmann::json(to_text(range));
  return out;
}

void put_spread(nlohmann::json& one, const AnswerRow& row) {
  if (row.n > 0) one["stderr"] = nullptr;  // of a single prompt
  if (row.error) one["stderr"] = json_number(*row.error);
  if (row.n > 0) one["n"] = row.n;
  if (row.normalised) one["normalised"] = json_number(*row.normalised);
  for (std::size_t i = 0; i < row.quantiles.size(); ++i)
    one["quantiles"][quantile_name(kQuantiles[i])] = json_number(row.quantiles[i]);
  if (!row.pair) return;
  one["into"] = {{"pos", row.pair->into}, {"token", row.pair->into_token}};
  one["from"] = {{"pos", row.pair->from}, {"token", row.pair->from_token}};
}

nlohmann::json each_to_json(const AnswerTable& table) {
  nlohmann::json out = nlohmann::json::array();
  for (const AnswerOfPrompt& one : table.each)
    out.push_back({{"prompt", one.prompt + 1},
                   {"line", one.line},
                   {"step", table.rows[one.row].step},
                   {"at", at_to_json(table.rows[one.row].at)},
                   {table.estimates_alone ? "estimate" : "value", json_number(one.value)},
                   {"clean", json_number(one.base)}});
  return out;
}

nlohmann::json rows_to_json(const AnswerTable& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const AnswerRow& row : table.rows) {
    nlohmann::json one = {{"step", row.step}, {"at", at_to_json(row.at)}};
    if (!table.estimates_alone) one["value"] = json_number(row.value);
    put_spread(one, row);
    if (row.estimate) one["estimate"] = json_number(*row.estimate);
    if (table.is_part()) one["index"] = row.index;
    rows.push_back(std::move(one));
  }
  return rows;
}

}  // namespace

bool names_edits(std::string_view column) { return column == "edits" || column.ends_with("_edits"); }

Error not_an_answer(const std::string& path, const Text& problem) {
  return fail(Code::bad_format, "error.cli.answer", {quoted_path(path), problem});
}

std::optional<AxisRange> answer_range(const std::string& axis, std::string_view text) {
  const auto found = parse_indices(text);
  if (!found || !found->absolute() || found->begin < 0) return std::nullopt;
  return AxisRange(axis, found->begin, found->end);
}

std::vector<std::string> answer_axes(const AnswerTable& table) {
  std::vector<std::string> axes;
  for (const AnswerRow& row : table.rows)
    for (const AxisRange& range : row.at)
      if (std::find(axes.begin(), axes.end(), range.axis) == axes.end()) axes.push_back(range.axis);
  return axes;
}

bool any_row(const AnswerTable& table, bool (*has)(const AnswerRow&)) {
  return std::any_of(table.rows.begin(), table.rows.end(), has);
}

std::string quantile_name(double q) { return format("q%02d", static_cast<int>(std::lround(q * 100))); }

void AnswerTable::take_edits(const std::string& name, const Edits& of_run) {
  if (!of_run.empty()) edits[name] = texts_of(of_run);
}

nlohmann::json json_number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

void put_agreement(nlohmann::json& answer) {
  if (answer.contains("whole")) return;  // a part
  Agreement found;
  bool exact = false;
  for (const nlohmann::json& row : answer["rows"]) {
    if (!row.contains("estimate") || !row.contains("value")) continue;
    if (!row["estimate"].is_number() || !row["value"].is_number()) continue;
    const double estimate = row["estimate"].get<double>(), value = row["value"].get<double>();
    found.add(estimate, value);
    exact = exact || estimate != value;
  }
  if (const auto r = found.r(); r && exact) answer["estimate_r"] = *r;
}

std::string agreement_line(const nlohmann::json& answer) {
  const auto r = answer.find("estimate_r");
  if (r == answer.end()) return {};
  const bool low = r->get<double>() < kTrustedAgreement;
  return tr(low ? "cli.ask.agreement.low" : "cli.ask.agreement", {format("%.2f", r->get<double>())}) + "\n";
}

static nlohmann::json answer_json(const AnswerTable& table) {
  nlohmann::json out = nlohmann::json::object();
  const bool sum = !table.totals.empty() && table.totals.front().first == "total";
  nlohmann::json& totals = sum ? out : out["base"] = nlohmann::json::object();
  for (const auto& [name, value] : table.totals) totals[name] = json_number(value);
  out["rows"] = rows_to_json(table);
  if (sum) out["parts"] = out["rows"];  // their name in older answers
  for (const auto& [name, value] : table.errors) out["base_stderr"][name] = json_number(value);
  if (!table.each.empty()) out["each"] = each_to_json(table);
  if (!table.run.empty()) out["run"] = nlohmann::json::parse(table.run);
  if (!table.held.empty() || sum) out["held"] = table.held;
  if (!table.measure.empty()) out["measure"] = table.measure;
  for (const auto& [name, edits] : table.edits) out[name] = edits;
  put_unknown(out, table.unknown);
  if (!table.alignment.empty()) out["alignment"] = nlohmann::json::parse(table.alignment);
  if (table.is_part()) out["whole"] = table.whole, out["axes"] = answer_axes(table);
  put_agreement(out);
  return out;
}

static std::string written(const nlohmann::json& answer) {
  return answer.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string agreement_line(const AnswerTable& table) { return agreement_line(answer_json(table)); }

std::string answer_text(const AnswerTable& table) { return written(answer_json(table)); }

std::string answer_text(const std::vector<AnswerTable>& tables) {
  nlohmann::json out = answer_json(tables.front());
  if (tables.size() == 1) return written(out);
  for (const char* of_one :
       {"measure", "base", "base_stderr", "total", "rest", "rows", "parts", "each", "estimate_r"})
    out.erase(of_one);
  for (const AnswerTable& table : tables) {
    const nlohmann::json one = answer_json(table);
    out["measures"].push_back(table.measure);
    nlohmann::json& base = out["base"][table.measure] = one.value("base", nlohmann::json::object());
    for (const auto& [name, value] : table.totals) base[name] = json_number(value);
    for (const char* each : {"base_stderr", "estimate_r"})
      if (one.contains(each)) out[each][table.measure] = one[each];
    for (const char* list : {"rows", "each"})
      for (nlohmann::json row : one.value(list, nlohmann::json::array())) {
        row["measure"] = table.measure;
        out[list].push_back(std::move(row));
      }
  }
  return written(out);
}

std::string answer_without_rows(const AnswerTable& table) {
  nlohmann::json out = answer_json(table);
  for (const char* own : {"rows", "each", "run", "axes"}) out.erase(own);
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<AnswerTable> answer_without_rows(const std::string& path, const std::string& text) {
  nlohmann::json answer = nlohmann::json::parse(text, nullptr, false);
  if (answer.is_object()) answer["rows"] = nlohmann::json::array();
  return answer_from_json(path, answer);
}

void take_said(AnswerTable& part, AnswerTable said) {
  said.rows = std::move(part.rows);
  said.run = std::move(part.run);
  said.estimates_alone = part.estimates_alone;
  part = std::move(said);
}

static std::string said_csv(std::string csv, const AnswerTable& table) {
  if (table.is_part()) csv = csv_with_column(csv, kAnswerColumn, answer_without_rows(table));
  return table.run.empty() ? csv : csv_with_run(csv, table.run);
}

Status check_answer_path(const std::string& path) {
  if (is_stream(path)) return Done{};  // opening a pipe twice would end its reader
  if (!path.ends_with(".npz") && !path.ends_with(".csv") && !path.ends_with(".json"))
    return fail(Code::unsupported, "error.cli.answer_extension", {quoted_path(path)});
  TRY_OK(AtomicFile::create(path));
  return Done{};
}

Status write_answer(const std::string& path, const AnswerTable& table) {
  TRY_OK(check_answer_path(path));
  if (path.ends_with(".npz")) return write_answer_npz(path, table);
  const std::string text = path.ends_with(".json") ? answer_text(table) : said_csv(answer_csv(table), table);
  TRY(AtomicFile file, AtomicFile::create(path));
  file.write(text.data(), text.size());
  return file.commit();
}

Status write_answer(const std::string& path, const std::vector<AnswerTable>& tables) {
  if (tables.size() == 1) return write_answer(path, tables.front());
  if (path.ends_with(".npz")) return fail(Code::unsupported, "error.cli.measures_npz");
  TRY_OK(check_answer_path(path));
  std::string text;
  if (path.ends_with(".json")) {
    text = answer_text(tables);
  } else {
    for (const AnswerTable& table : tables) {
      const std::string one = answer_csv(table, true);
      text += text.empty() ? one : one.substr(one.find('\n') + 1);
    }
    text = said_csv(std::move(text), tables.front());
  }
  TRY(AtomicFile file, AtomicFile::create(path));
  file.write(text);
  return file.commit();
}

std::string run_of_whole(const std::string& run) {
  if (run.empty()) return run;
  nlohmann::json out = nlohmann::json::parse(run, nullptr, false);
  if (!out.is_object() || !out["command"].is_array()) return {};
  std::vector<std::string> words;
  for (const nlohmann::json& word : out["command"])
    if (word.is_string()) words.push_back(word.get<std::string>());
  out["command"] = words_without(words, {"--shard"});
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<AnswerTable> joined(const std::vector<AnswerTable>& parts) {
  AnswerTable out = parts.front();
  std::set<std::int64_t> seen;
  out.rows.clear();
  out.each.clear();
  out.run = run_of_whole(out.run);
  std::vector<std::pair<AnswerOfPrompt, std::int64_t>> each;  // with the index of its row
  const auto about_totals = [](const AnswerTable& table) {
    std::map<std::string, float> totals;
    for (const auto& [name, value] : table.totals) totals[name] = static_cast<float>(value);
    return totals;
  };
  for (const AnswerTable& part : parts) {
    if (part.measure.empty() || out.measure.empty()) out.measure += part.measure;  // CSV and npz have none
    if (part.whole != out.whole || (!part.measure.empty() && part.measure != out.measure) ||
        part.estimates_alone != out.estimates_alone || about_totals(part) != about_totals(out) ||
        part.edits != out.edits || run_of_whole(part.run) != out.run)
      return fail(Code::bad_format, "error.cli.answer_mixed");
    for (const AnswerRow& row : part.rows) {
      if (!seen.insert(row.index).second)
        return fail(Code::bad_format, "error.cli.answer_twice", {row.index});
      out.rows.push_back(row);
    }
    for (const AnswerOfPrompt& one : part.each) each.emplace_back(one, part.rows[one.row].index);
  }
  if (out.is_part()) return fail(Code::not_found, "error.cli.answer_missing", {out.rows.size(), out.whole});
  std::sort(out.rows.begin(), out.rows.end(),
            [](const AnswerRow& a, const AnswerRow& b) { return a.index < b.index; });
  std::sort(each.begin(), each.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.prompt, a.second) < std::pair(b.first.prompt, b.second);
  });
  for (auto& [one, index] : each) {
    one.row = static_cast<std::size_t>(index);
    out.each.push_back(one);
  }
  return out;
}

}  // namespace attnscope::cli
