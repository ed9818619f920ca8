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
#include "core/system/mapped_file.h"
#include "core/text/json_node.h"

namespace attnscope::cli {
namespace {

constexpr std::uint64_t kAnswerTableMostBytes = 256ull << 20;

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

// A number, or the text that json_number() writes instead.
Result<double> real_of(const JsonNode& node) {
  if (node.value().is_number()) return node.value().get<double>();
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  for (const double other : {kUnknownAnswer, kInfinite, -kInfinite})
    if (node.value() == json_number(other)) return other;
  return node.wrong(Text::of("error.text.wanted.number"));
}

Result<std::vector<AxisRange>> at_of(const JsonNode& node) {
  TRY(const JsonNode at, node.object("at"));
  std::vector<AxisRange> out;
  for (const auto& [axis, value] : at.value().items()) {
    const auto range = answer_range(axis, value.is_string() ? value.get<std::string>() : value.dump());
    if (!range) return at.at(axis.c_str()).wrong(Text::of("error.text.wanted.whole"));
    out.push_back(*range);
  }
  return out;
}

// The values of each prompt, by the rows that they are of.
Status take_each(const JsonNode& each, AnswerTable& out) {
  std::map<std::string, std::size_t> rows;
  const auto key = [](const std::string& step, std::vector<AxisRange> at) {
    std::sort(at.begin(), at.end(), [](const auto& a, const auto& b) { return a.axis < b.axis; });
    return step + to_text(at);
  };
  for (std::size_t i = 0; i < out.rows.size(); ++i) rows[key(out.rows[i].step, out.rows[i].at)] = i;
  for (std::size_t i = 0; i < each.size(); ++i) {
    const JsonNode node = each.at(i);
    AnswerOfPrompt one;
    TRY(const std::string step, node.text("step"));
    TRY(std::vector<AxisRange> at, at_of(node));
    const auto row = rows.find(key(step, std::move(at)));
    const char* const value = out.estimates_alone ? "estimate" : "value";
    if (row == rows.end() || !node.has(value) || !node.has("clean"))
      return node.wrong(Text::of("error.text.wanted.number"));
    one.row = row->second;
    TRY(one.prompt, node.integer("prompt", 1));
    --one.prompt;  // written from 1
    TRY(one.line, node.integer("line", 0));
    TRY(one.value, real_of(node.at(value)));
    TRY(one.base, real_of(node.at("clean")));
    out.each.push_back(one);
  }
  return Done{};
}

Result<AnswerRow> row_of(const JsonNode& node) {
  AnswerRow row;
  TRY(row.step, node.text("step"));
  TRY(row.at, at_of(node));
  const char* const value = node.has("value") ? "value" : "estimate";  // of --only-estimate
  if (!node.has(value)) return node.wrong(Text::of("error.text.wanted.number"));
  TRY(row.value, real_of(node.at(value)));
  if (node.has("estimate")) {
    TRY(row.estimate, real_of(node.at("estimate")));
  }
  if (node.has("stderr")) {
    TRY(row.error, real_of(node.at("stderr")));
  }
  if (node.has("normalised")) {
    TRY(row.normalised, real_of(node.at("normalised")));
  }
  if (node.has("quantiles")) {
    const JsonNode quantiles = node.at("quantiles");
    for (const double q : kQuantiles) {
      if (!quantiles.has(quantile_name(q).c_str())) return node.wrong(Text::of("error.text.wanted.number"));
      TRY(row.quantiles.emplace_back(), real_of(quantiles.at(quantile_name(q).c_str())));
    }
  }
  if (node.has("into") && node.has("from")) {
    AnswerPair& pair = row.pair.emplace();
    TRY(pair.into, node.at("into").integer("pos", 0));
    TRY(pair.from, node.at("from").integer("pos", 0));
    TRY(pair.into_token, node.at("into").text("token", ""));
    TRY(pair.from_token, node.at("from").text("token", ""));
  }
  TRY(row.n, node.integer("n", 0));
  TRY(row.index, node.integer("index", 0));
  return row;
}

Result<AnswerTable> answer_of(const JsonNode& node) {
  AnswerTable out;
  TRY_OK(node.expect_object());
  TRY(out.measure, node.text("measure", ""));
  TRY(out.whole, node.integer("whole", 0));
  TRY(const JsonNode base, node.object("base"));
  for (const auto& [name, value] : base.value().items()) {
    TRY(const double total, real_of(base.at(name.c_str())));
    out.totals.emplace_back(name, total);
  }
  TRY(const JsonNode rows, node.array("rows"));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    TRY(out.rows.emplace_back(), row_of(rows.at(i)));
    out.estimates_alone = !rows.at(i).has("value");
  }
  if (node.has("axes")) {
    TRY(const JsonNode axes, node.array("axes"));  // the order of keys in "at" is undefined
    const auto place = [&](const AxisRange& range) {
      return std::find(axes.value().begin(), axes.value().end(), range.axis) - axes.value().begin();
    };
    for (AnswerRow& row : out.rows)
      std::stable_sort(row.at.begin(), row.at.end(),
                       [&](const AxisRange& a, const AxisRange& b) { return place(a) < place(b); });
  }
  if (node.has("each")) {
    TRY(const JsonNode each, node.array("each"));
    TRY_OK(take_each(each, out));
  }
  if (node.has("unknown")) {
    TRY(const JsonNode unknown, node.array("unknown"));
    for (std::size_t i = 0; i < unknown.size(); ++i) {
      TRY(out.unknown.emplace_back(), unknown.at(i).text());
    }
  }
  if (node.has("run")) out.run = node.at("run").value().dump();
  if (node.has("base_stderr")) {
    TRY(const JsonNode errors, node.object("base_stderr"));
    for (const auto& [name, value] : errors.value().items()) {
      TRY(const double error, real_of(errors.at(name.c_str())));
      out.errors.emplace_back(name, error);
    }
  }
  if (node.has("alignment")) out.alignment = node.at("alignment").value().dump();
  for (const auto& [name, value] : node.value().items()) {
    if (!names_edits(name)) continue;
    TRY(const JsonNode edits, node.array(name.c_str()));
    for (std::size_t i = 0; i < edits.size(); ++i) {
      TRY(out.edits[name].emplace_back(), edits.at(i).text());
    }
  }
  return out;
}

Result<AnswerTable> from_json(const std::string& path, const std::string& text) {
  const auto file = parse_json(text);
  if (!file) return not_an_answer(path, file.error().what);
  return answer_from_json(path, *file);
}

}  // namespace

Result<AnswerTable> answer_from_json(const std::string& path, const nlohmann::json& answer) {
  auto out = answer_of(JsonNode(answer, ""));
  if (!out) return not_an_answer(path, out.error().what);
  return out;
}

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

Result<AnswerTable> read_answer(const std::string& path) {
  if (path.ends_with(".npz")) return answer_from_npz(path);
  TRY(const std::string text, read_file(path, kAnswerTableMostBytes));
  return text.starts_with('{') ? from_json(path, text) : answer_from_csv(path, text);
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
