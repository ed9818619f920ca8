#include "app/cli/answer_run.h"

#include <algorithm>
#include <cstdio>

#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/measure_text.h"
#include "core/session/told_run.h"

namespace attnscope::cli {
namespace {

std::vector<std::string>& words_now() {
  static std::vector<std::string> words;
  return words;
}
int& commands_now() {
  static int commands = 0;
  return commands;
}
KeptAnswer*& kept_now() {
  static KeptAnswer* kept = nullptr;
  return kept;
}

}  // namespace

const std::vector<std::string>& command_words() { return words_now(); }
CommandWords::CommandWords(std::vector<std::string> words)
    : before_(std::exchange(words_now(), std::move(words))) {
  ++commands_now();
}
CommandWords::~CommandWords() {
  --commands_now();
  words_now() = std::move(before_);
}
bool is_nested_command() { return commands_now() > 1; }

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

void limit_command_words(std::int64_t prompts) {
  words_now() = words_without(words_now(), {"--limit"});
  words_now().insert(words_now().end(), {"--limit", std::to_string(prompts)});
}

namespace {
std::vector<std::string> words_of_run() {
  return words_without(command_words(), {"--out", "--graph", "--figure"});
}
}  // namespace

nlohmann::json run_json(const OpenedModel& opened, const std::string& name) {
  nlohmann::json out = told_model(opened, name);
  out["command"] = words_of_run();
  return out;
}

nlohmann::json run_json() { return {{"version", told_version()}, {"command", words_of_run()}}; }

nlohmann::json input_json(const OpenedModel& opened, const Trace& run) {
  Input shown;
  shown.ids = run.ids, shown.source = run.input.source;
  nlohmann::json out = told_input(opened, shown);
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

std::string heading(const Heading& column) {
  const std::string word = tr("cli.column." + std::string(column.first));
  std::size_t wide = 0;
  for (const char c : word) {  // two columns for a letter of three bytes, one for any other
    const auto byte = static_cast<unsigned char>(c);
    wide += byte >= 0xe1 ? 2 : (byte & 0xc0u) == 0x80 ? 0 : 1;
  }
  const auto room = static_cast<std::size_t>(std::abs(column.second));
  const std::string pad(room > wide ? room - wide : 0, ' ');
  return column.second < 0 ? word + pad : pad + word;
}

std::string headings(std::initializer_list<Heading> columns) {
  std::vector<std::string> out;
  for (const Heading& column : columns) out.push_back(heading(column));
  return join(out, " ") + "\n";
}

}  // namespace attnscope::cli
