// Answers from JSON: all that is read is checked.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/answer_forms.h"
#include "app/cli/answer_table.h"
#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/system/mapped_file.h"
#include "core/text/json_node.h"

namespace attnscope::cli {
namespace {

constexpr std::uint64_t kAnswerTableMostBytes = 256ull << 20;

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
  if (!file) return not_an_answer(path, file.error().what());
  return answer_from_json(path, *file);
}

}  // namespace

Result<AnswerTable> answer_from_json(const std::string& path, const nlohmann::json& answer) {
  auto out = answer_of(JsonNode(answer, ""));
  if (!out) return not_an_answer(path, out.error().what());
  return out;
}

Result<AnswerTable> read_answer(const std::string& path) {
  if (path.ends_with(".npz")) return answer_from_npz(path);
  TRY(const std::string text, read_file(path, kAnswerTableMostBytes));
  return text.starts_with('{') ? from_json(path, text) : answer_from_csv(path, text);
}

}  // namespace attnscope::cli
