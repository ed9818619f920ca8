// What the commands share: how MODEL and the input sequences are named on the command line, and how an error
// leaves the program. Exit codes: 0 fine, 1 the user's files or values do not work (one sentence and a hint
// on stderr), 2 the command line itself is not understood.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/arch/open.h"

namespace attnscope::cli {

/// What the chosen command does, set by its callback and run after parsing.
using Action = std::function<Status()>;

/// Each adds its command to the program; `action` is set when the command was chosen.
void add_steps(CLI::App& app, Action& action);
void add_trace(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_tokenize(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);

/// A folder, a file in it, a scene file, or a shipped scene as "scene:NAME".
Result<OpenedModel> open_named(const std::string& name);
inline constexpr const char* kModelHelp =
    "model folder, scene file (*.json), or a shipped scene as scene:NAME (scene:nine_steps)";

/// --text and --ids, mixed and repeated, in the order in which they were given.
class SequenceOptions {
 public:
  void add_to(CLI::App& command);
  bool empty() const { return texts_.empty() && ids_.empty(); }
  /// Token ids of every sequence. Errors: text without a tokenizer, ids that are no numbers, empty text.
  Result<std::vector<std::vector<int>>> read(const OpenedModel& opened) const;

 private:
  CLI::App* command_ = nullptr;
  CLI::Option* text_option_ = nullptr;
  std::vector<std::string> texts_, ids_;
};

/// A JSON value on stdout, one line, ill-formed UTF-8 replaced.
void print_json(const nlohmann::json& value);

}  // namespace attnscope::cli
