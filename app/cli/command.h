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
void add_train(CLI::App& app, Action& action);

/// A folder, a file in it, a scene file, or what is shipped: "model:NAME", "scene:NAME".
Result<OpenedModel> open_named(const std::string& name);
inline constexpr const char* kModelHelp =
    "model folder, scene file (*.json), or what is shipped: model:NAME (model:storyteller), scene:NAME "
    "(scene:nine_steps)";

/// The input of a run: --text and --ids, mixed and repeated, one sequence each in the order in which they
/// were given; --decoder-text/--decoder-ids and --image likewise, matched to the sequences by their order.
class SequenceOptions {
 public:
  /// `batch`: also --pad-to, --pad-side and --mask.
  void add_to(CLI::App& command, bool batch);
  bool empty() const { return texts_.empty() && ids_.empty() && images_.empty(); }
  /// Every sequence as it runs. Errors: text without a tokenizer, ids that are no numbers, empty text, more
  /// decoder inputs than sequences, images that a model does not look at.
  Result<std::vector<Input>> read(const OpenedModel& opened) const;
  /// Puts the masks of --mask into `run`: each a text, or "@FILE" with a matrix in an .npy or a .json file,
  /// with the prefix of another mask in front ("enc:causal").
  Status read_masks(RunOptions& run) const;

 private:
  using IdLists = std::vector<std::vector<int>>;
  Result<IdLists> lists(const OpenedModel& opened, const CLI::Option* text_option, const char* ids_name,
                        const std::vector<std::string>& texts, const std::vector<std::string>& ids) const;
  Result<std::vector<Input>> padded_all(std::vector<Input> inputs, const ModelConfig& config) const;

  CLI::App* command_ = nullptr;
  CLI::Option *text_option_ = nullptr, *decoder_option_ = nullptr;
  std::vector<std::string> texts_, ids_, decoder_texts_, decoder_ids_, images_, spans_, types_, masks_;
  std::string pad_side_ = "right";
  std::int64_t pad_to_ = 0;
};

/// A JSON value on stdout, one line, ill-formed UTF-8 replaced.
void print_json(const nlohmann::json& value);

}  // namespace attnscope::cli
