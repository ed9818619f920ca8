#include "core/session/measure_text.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/session/document.h"
#include "core/trace/place_cells.h"

namespace attnscope {
namespace {

Error bad_measure(const std::string& text) {
  return fail(Code::bad_format, "error.session.measure", {in_quotes(text)});
}

// Splits "A,B" at commas outside of quotes; quoted parts are read as JSON.
Result<std::vector<std::string>> names_of(std::string_view text, const std::string& whole) {
  std::vector<std::string> out;
  while (true) {
    std::size_t end = 0;
    if (text.starts_with('"')) {
      end = 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      if (end >= text.size()) return bad_measure(whole);
      const auto read = nlohmann::json::parse(text.substr(0, ++end), nullptr, false);
      if (!read.is_string() || (end < text.size() && text[end] != ',')) return bad_measure(whole);
      out.push_back(read.get<std::string>());
    } else {
      end = std::min(text.find(','), text.size());
      out.emplace_back(text.substr(0, end));
    }
    if (end >= text.size()) return out;
    text.remove_prefix(end + 1);
  }
}

std::optional<int> numbered(const std::string& text) {
  if (!text.starts_with('#')) return std::nullopt;
  const auto id = parse_index(std::string_view(text).substr(1));
  return id && *id <= std::numeric_limits<int>::max() ? std::optional(static_cast<int>(*id)) : std::nullopt;
}

// By the names that outputs have of their own: classes, words of a scene.
std::optional<int> by_name(const OpenedModel& opened, const std::string& text) {
  for (const auto* names : {&opened.output_names, opened.scene ? &opened.scene->words : nullptr}) {
    if (!names) continue;
    const auto found = std::find(names->begin(), names->end(), text);
    if (found != names->end()) return static_cast<int>(found - names->begin());
  }
  for (const auto& [id, word] : opened.words)
    if (word == text) return id;
  return std::nullopt;
}

// A special token that was not typed stands for unknown text (<unk>).
bool means(const OpenedModel& opened, int id, const std::string& text) {
  return !opened.tokenizer->decode({id}).empty() || opened.tokenizer->token_text(id) == text;
}

Error unknown_word(const OpenedModel& opened, const std::string& text) {
  std::vector<std::string> known;
  for (int id = 0; id < opened.tokenizer->vocab_size(); ++id)
    if (std::string word = opened.tokenizer->decode({id}); !word.empty()) known.push_back(std::move(word));
  std::vector<std::string> near = nearest_names(text, std::move(known));
  for (std::string& word : near) word = in_quotes(word, 24);
  return fail(Code::not_found, "error.session.measure.unknown", {in_quotes(text, 40), join(near, ", ")});
}

Error measure_text_no_token(const OpenedModel& opened, const std::string& text,
                            const std::vector<Token>& pieces) {
  std::vector<std::string> shown;
  if (!pieces.empty() && std::none_of(pieces.begin(), pieces.end(),
                                      [&](const Token& piece) { return means(opened, piece.id, text); }))
    return unknown_word(opened, text);
  for (const Token& piece : pieces)
    if (shown.size() < 8)
      shown.push_back(
          format("%s (#%d)", in_quotes(opened.tokenizer->decode({piece.id}, false), 24).c_str(), piece.id));
  return fail(Code::not_found,
              shown.empty() ? "error.session.measure.no_token" : "error.session.measure.pieces",
              {in_quotes(text, 40), join(shown, ", ")});
}

}  // namespace

Result<int> parse_output(const OpenedModel& opened, const std::string& text) {
  const int outputs = opened.model->config().outputs();
  if (outputs <= 0) return fail(Code::unsupported, "error.model.no_logits");
  if (const auto id = numbered(text)) {
    if (*id < outputs) return *id;
    return fail(Code::out_of_range, "error.model.no_output", {*id, outputs - 1});
  }
  if (const auto id = by_name(opened, text); id && *id < outputs) return *id;
  if (!opened.tokenizer)
    return fail(Code::not_found, "error.session.measure.no_tokenizer", {in_quotes(text, 40)});
  TRY(const Encoding encoding, opened.tokenizer->encode(text, false));
  if (encoding.tokens.size() == 1 && encoding.tokens[0].id < outputs &&
      means(opened, encoding.tokens[0].id, text))
    return encoding.tokens[0].id;
  if (const auto id = opened.tokenizer->find(text); id && *id < outputs) return *id;
  return measure_text_no_token(opened, text, encoding.tokens);
}

std::string_view measure_position(std::string_view text) {
  for (const char* begins : {"[pos=", "[token="})
    if (const std::size_t at = text.rfind(begins); text.ends_with(']') && at != std::string_view::npos)
      return text.substr(at);
  return {};
}

namespace {

Result<std::int64_t> row_at(const std::string& position, const Trace* run) {
  if (!run) return fail(Code::bad_format, "error.step.needs_run", {in_quotes(position)});
  TRY(const PlaceText place, parse_place(position));
  const AxisRange& where = place.at.front();
  if (!where.token.empty()) return row_of_token(*run, run->config().stack, where.token);
  const auto row = counted_rows(*run, run->config().stack, where.indices(), run->length);
  if (place.at.size() == 1 && row && row->one()) return row->begin;
  return fail(Code::out_of_range, "error.model.no_logits_at", {to_text(where), run->length});
}

}  // namespace

Result<LogitMeasure> parse_measure(const OpenedModel& opened, const std::string& whole, std::int64_t row,
                                   const Trace* run) {
  using Kind = LogitMeasure::Kind;
  LogitMeasure out;
  out.row = row;
  const std::string position(measure_position(whole)), text = whole.substr(0, whole.size() - position.size());
  if (!position.empty()) {
    TRY(out.row, row_at(position, run));
  }
  if (text == "kl") {
    out.kind = Kind::kl;
    return out;
  }
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  if (colon == std::string::npos || (name != "logit" && name != "logit_diff" && name != "prob"))
    return bad_measure(text);
  out.kind = name == "prob" ? Kind::prob : name == "logit" ? Kind::logit : Kind::logit_diff;
  std::vector<std::string> names{text.substr(colon + 1)};
  if (out.kind == Kind::logit_diff || names[0].starts_with('"')) {
    TRY(names, names_of(std::string_view(text).substr(colon + 1), text));
  }
  if (names.size() != (out.kind == Kind::logit_diff ? 2u : 1u)) return bad_measure(text);
  TRY(out.target, parse_output(opened, names[0]));
  if (out.kind == Kind::logit_diff) {
    TRY(out.distractor, parse_output(opened, names[1]));
  }
  return out;
}

std::string to_text(const OpenedModel& opened, const LogitMeasure& measure) {
  using Kind = LogitMeasure::Kind;
  const auto name = [&](int id) {
    std::string text = opened.tokenizer ? opened.tokenizer->decode({id}, false) : std::string();
    if (text.empty() && opened.scene && id < std::ssize(opened.scene->words))
      text = opened.scene->words[static_cast<std::size_t>(id)];
    const auto back =
        text.empty() ? Result<int>(measure_text_no_token(opened, text, {})) : parse_output(opened, text);
    if (!back || *back != id) return "#" + std::to_string(id);
    const bool plain = text.find_first_of(",\"\\") == std::string::npos && text[0] != '#';
    return plain ? text : nlohmann::json(text).dump();
  };
  switch (measure.kind) {
    case Kind::logit: return "logit:" + name(measure.target);
    case Kind::prob: return "prob:" + name(measure.target);
    case Kind::logit_diff: return "logit_diff:" + name(measure.target) + "," + name(measure.distractor);
    case Kind::kl: break;
  }
  return "kl";
}

}  // namespace attnscope
