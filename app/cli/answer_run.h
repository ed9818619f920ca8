// What was run, as every answer carries it: the command's words, the model and its fingerprint, inputs with
// their tokens, the measure, the method, edits, seeds, the data set, the version. `attnscope-cli rerun`
// computes an answer again from it.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/arch/open.h"
#include "core/base/no_copy.h"
#include "core/model/measure.h"
#include "core/session/data_set.h"

namespace attnscope::cli {

/// The words of the command that runs, behind the program's name.
const std::vector<std::string>& command_words();
/// While it lives, these are the words.
class CommandWords : NoCopy {
 public:
  explicit CommandWords(std::vector<std::string> words);
  ~CommandWords();

 private:
  std::vector<std::string> before_;
};

/// The command was asked by another one (serve, rerun), which goes on behind it.
bool is_nested_command();
/// The words get this --limit, in the place of their own: an answer over fewer prompts than were asked for.
void limit_command_words(std::int64_t prompts);

/// Words without these options and their values ("--out").
std::vector<std::string> words_without(const std::vector<std::string>& words,
                                       const std::vector<std::string>& options);
/// {"version", "command", "model": {"name", "title", "fingerprint"}}; the command without the files that it
/// writes.
nlohmann::json run_json(const OpenedModel& opened, const std::string& name);
/// {"version", "command"} of a command that opens no model.
nlohmann::json run_json();
/// {"text", "ids", "tokens": [{"pos", "id", "text"}]}, of an encoder also "source".
nlohmann::json input_json(const OpenedModel& opened, const Trace& run);
/// {"text", "row", "target", "distractor"}.
nlohmann::json measure_json(const OpenedModel& opened, const LogitMeasure& measure, const Trace& run);
/// {"path", "hash", "prompts", "limit", "where", "seed"}.
nlohmann::json data_json(const DataChoice& choice, const std::string& hash, std::int64_t prompts);

/// Text for stdout. While an answer is computed again it is kept instead.
void say(const std::string& text);
/// Words of a table in the terminal: "key" of cli.column.* and how wide its column is, below 0 from the left.
using Heading = std::pair<const char*, int>;
/// A word of cli.column.*, padded; letters of Korean are two columns wide.
std::string heading(const Heading& column);
/// A line of them, with one space between.
std::string headings(std::initializer_list<Heading> columns);
/// Keeps what say() is given while it lives.
class KeptAnswer : NoCopy {
 public:
  KeptAnswer();
  ~KeptAnswer();
  const std::string& text() const { return text_; }

 private:
  friend void say(const std::string& text);
  std::string text_;
};

}  // namespace attnscope::cli
