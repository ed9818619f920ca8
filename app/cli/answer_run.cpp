#include "app/cli/answer_run.h"

#include <algorithm>
#include <cstdio>

#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/base/version.h"
#include "core/session/fingerprint.h"
#include "core/session/measure_text.h"

namespace attnscope::cli {
namespace {

std::vector<std::string>& words_now() {
  static std::vector<std::string> words;
  return words;
}
KeptAnswer*& kept_now() {
  static KeptAnswer* kept = nullptr;
  return kept;
}

nlohmann::json tokens_json(const OpenedModel& opened, const std::vector<int>& ids) {
  nlohmann::json out = nlohmann::json::array();
  for (std::size_t pos = 0; pos < ids.size(); ++pos)
    out.push_back({{"pos", pos}, {"id", ids[pos]}, {"text", token_label(opened, ids[pos])}});
  return out;
}

void put_tokens(nlohmann::json& out, const OpenedModel& opened, const std::vector<int>& ids) {
  if (ids.empty()) return;
  out["ids"] = ids;
  out["tokens"] = tokens_json(opened, ids);
  if (opened.tokenizer) out["text"] = opened.tokenizer->decode(ids);
}

}  // namespace

const std::vector<std::string>& command_words() { return words_now(); }
CommandWords::CommandWords(std::vector<std::string> words)
    : before_(std::exchange(words_now(), std::move(words))) {}
CommandWords::~CommandWords() { words_now() = std::move(before_); }

std::vector<std::string> words_without(const std::vector<std::string>& words,
                                       const std::vector<std::string>& options) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto names = [&](const std::string& option) {
      return words[i] == option || words[i].starts_with(option + "=");
    };
    if (std::none_of(options.begin(), options.end(), names))
      out.push_back(words[i]);
    else if (words[i].find('=') == std::string::npos)
      ++i;
  }
  return out;
}

nlohmann::json run_json(const OpenedModel& opened, const std::string& name) {
  std::string made(version());
  if (!commit().empty()) made += " (" + std::string(commit()) + ")";
  return {{"version", made},
          {"command", words_without(command_words(), {"--out", "--graph", "--figure"})},
          {"model", {{"name", name}, {"title", opened.title}, {"fingerprint", model_fingerprint(opened)}}}};
}

nlohmann::json input_json(const OpenedModel& opened, const Trace& run) {
  nlohmann::json out = nlohmann::json::object();
  put_tokens(out, opened, run.ids);
  if (!run.input.source.empty()) put_tokens(out["source"], opened, run.input.source);
  if (run.ids.empty()) out["rows"] = run.length;
  return out;
}

nlohmann::json measure_json(const OpenedModel& opened, const LogitMeasure& measure, const Trace& run) {
  nlohmann::json out = {{"text", to_text(opened, measure)}, {"row", row_of(measure, run)}};
  if (measure.target >= 0) out["target"] = measure.target;
  if (measure.distractor >= 0) out["distractor"] = measure.distractor;
  return out;
}

nlohmann::json data_json(const DataChoice& choice, const std::string& hash, std::int64_t prompts) {
  nlohmann::json out = {{"path", choice.path}, {"hash", hash}, {"prompts", prompts}};
  if (choice.limit > 0) out["limit"] = choice.limit;
  if (!choice.where.empty()) out["where"] = choice.where;
  if (choice.is_task()) out["seed"] = choice.seed;
  return out;
}

void say(const std::string& text) {
  if (KeptAnswer* kept = kept_now())
    kept->text_ += text;
  else
    std::fputs(text.c_str(), stdout);
}

KeptAnswer::KeptAnswer() { kept_now() = this; }
KeptAnswer::~KeptAnswer() { kept_now() = nullptr; }

}  // namespace attnscope::cli
