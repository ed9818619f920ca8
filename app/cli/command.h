// Shared by the commands: how MODEL and the input sequences are given on the command line, and how errors are
// reported. Exit codes: 0 success, 1 the user's files or values are invalid (one sentence and a hint on
// stderr), 2 invalid command line.
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/arch/open.h"
#include "core/base/no_copy.h"
#include "core/base/number.h"
#include "core/base/words.h"
#include "core/io/writers.h"
#include "core/model/measure.h"
#include "core/session/data_set.h"
#include "core/session/request.h"
#include "core/system/arguments.h"

namespace attnscope {
struct SessionFile;
}

namespace attnscope::cli {

/// Validators of option values: a whole number, or any finite number, in a range.
inline CLI::Validator whole(std::uint64_t least, std::uint64_t most) {
  return {whole_number(least, most), ""};
}
inline CLI::Validator real(double least, double most) { return {real_number(least, most), ""}; }
/// One of these words.
inline CLI::Validator word_of(std::vector<std::string> words) { return {one_word_of(std::move(words)), ""}; }

/// NaN without its sign bit, which has no meaning but would be printed.
inline double unsigned_nan(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

/// The body of the chosen command, set by its callback and run after parsing.
using Action = std::function<Status()>;

/// --measure of commands that take several.
inline void add_measures(CLI::App& command, std::vector<std::string>& measures) {
  command.add_option("--measure", measures, tr("cli.ask.measures"))
      ->required()
      ->allow_extra_args(false)
      ->type_name("M");
}

/// A command and the options that its flags write.
template <class Options>
struct NewCommand {
  CLI::App* command = nullptr;
  std::shared_ptr<Options> options;
};
/// Adds the command `name`, described by `help`; if it is chosen, the action is `run` of its options.
template <class Argument, class Options = std::remove_cvref_t<Argument>>
NewCommand<Options> new_command(CLI::App& app, Action& action, const char* name, const char* help,
                                Status (*run)(Argument)) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(name, help);
  command->callback([options, run, &action] { action = [options, run] { return run(*options); }; });
  return {command, options};
}

/// Each adds one or more commands to the program; sets `action` when its command was chosen.
void add_steps(CLI::App& app, Action& action);
void add_trace(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_tokenize(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_lab(CLI::App& app, Action& action);
void add_train(CLI::App& app, Action& action);
void add_ablate(CLI::App& app, Action& action);
void add_patch(CLI::App& app, Action& action);
void add_attribute(CLI::App& app, Action& action);
void add_merge(CLI::App& app, Action& action);
void add_probe(CLI::App& app, Action& action);
void add_heads(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_rerun(CLI::App& app, Action& action);
void add_lesson(CLI::App& app, Action& action);
void add_calc(CLI::App& app, Action& action);
void add_figure(CLI::App& app, Action& action);
void add_try(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_course(CLI::App& app, Action& action);
void add_guide(CLI::App& app, Action& action);
void add_circuits(CLI::App& app, Action& action);
void add_circuit(CLI::App& app, Action& action);
void add_path(CLI::App& app, Action& action);
void add_strongest(CLI::App& app, Action& action);
void add_why(CLI::App& app, Action& action);
void add_serve(CLI::App& app, Action& action);
void add_save(CLI::App& app, Action& action);
void add_direction(CLI::App& app, Action& action);
void add_checkpoints(CLI::App& app, Action& action);
void add_weights(CLI::App& app, Action& action);
void add_steer(CLI::App& app, Action& action);

/// Parses the words of a command line, without the program's name, and runs its command; what is wrong is on
/// stderr. The exit code.
int run_words(const std::vector<std::string>& words);
/// From now on open_named keeps what it opened, at most so many models, and gives it again while its files
/// are as they were.
void keep_opened(std::size_t most);
/// The adapter of every model that open_named opens from now on ("DIR", "DIR:0.5"); empty: none. Errors:
/// parse_lora's.
Status choose_lora(const std::string& text);
/// While it lives, models are opened without one.
class WithoutLora : NoCopy {
 public:
  WithoutLora();
  ~WithoutLora();

 private:
  LoraChoice before_;
};
/// At least one from now on: for commands that open a model twice.
void keep_one_opened();

/// Opens a folder, a file in it, a scene file, or a shipped model: "model:NAME", "scene:NAME".
Result<OpenedModel> open_named(const std::string& name);
/// The model of a session. Errors: those of opening, and a path that the session may not name.
Result<OpenedModel> model_of_session(const SessionFile& session);
/// A model, and the session that it was opened from, whose inputs and edits are there first.
struct RunModel : OpenedModel {
  RunModel() = default;
  explicit RunModel(OpenedModel of, std::shared_ptr<const Document> document = nullptr)
      : OpenedModel(std::move(of)), session(std::move(document)) {}
  std::shared_ptr<const Document> session;  ///< null: a model was opened
};
/// The same for a run, or a session (*.attnscope): prints the model's warnings to stderr.
Result<RunModel> open_to_run(const std::string& name);
/// What is opened for questions about weights: of a session the model under those of its edits that change it
/// (weights and exchanged parts), these, and the others, which belong to runs. Errors: an edit whose weight
/// or part is not there.
struct EditedModel {
  std::shared_ptr<const Model> model;
  Edits edits = {}, of_runs = {};
};
Result<EditedModel> edited_model(const RunModel& opened);
inline constexpr const char* kModelHelp = "cli.model";  // string key

inline constexpr const char* kEditHelp = "cli.edit";
/// Prefix of step names: "" for the first sequence, then "seq1.", ...
std::string prefix_of(std::size_t sequence);
/// Errors: a recording, which cannot be run.
Status check_runs(const OpenedModel& opened);
/// Errors: the first of the edits whose place the run does not have.
Status check_reached(const Edits& unreached);
/// Where edits produced NaN, prints the first place of it to stderr.
void tell_of_broken(const Trace& run);
/// Runs one sequence under the edits that apply to it; if they produce NaN, prints the first one to stderr.
/// Errors: those of the run, and an edit whose place it does not have.
Result<std::shared_ptr<const Trace>> run_under(const OpenedModel& opened, const Edits& edits,
                                               const Input& input, std::size_t sequence = 0);

/// The Request of a command, read from the flags of core/session/request.h.
class SequenceOptions {
 public:
  /// `batch`: also those of the whole batch. With a `prefix` every flag begins with it: --clean-text.
  void add_to(CLI::App& command, bool batch, const std::string& prefix = "");
  /// Errors: read_request()'s.
  Result<Request> request() const {
    return command_ ? read_request(given_words(*command_, flags_), prefix_) : Result<Request>(Request{});
  }
  /// What runs: inputs_of() and the edits of it. stderr says which pieces of texts a vocabulary could not
  /// spell. Errors: those of requested_document().
  Result<Document> document(const OpenedModel& opened) const;
  /// The same over the inputs and edits of the session, where one was opened.
  Result<Document> document(const RunModel& opened) const;
  /// Runs the single sequence under its edits; of a recording, returns its first. Errors: more than one was
  /// given, or one for a recording.
  Result<std::shared_ptr<const Trace>> run_one(const OpenedModel& opened) const;
  Result<std::shared_ptr<const Trace>> run_one(const RunModel& opened) const;
  /// Says on stderr which pieces of a request's texts the vocabulary could not spell.
  void tell_of_texts(const Document& document, const Request& request) const;
  /// Pieces of the texts read so far that are not in a vocabulary; already reported on stderr.
  const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  void tell(const std::string& sentence) const;
  void tell_of_text(const OpenedModel& opened, const std::string& text, const std::vector<Token>& tokens,
                    const std::vector<int>& ids) const;
  Result<std::shared_ptr<const Trace>> one_of(const OpenedModel& opened, const Result<Document>& what) const;

  CLI::App* command_ = nullptr;
  std::string prefix_;
  std::vector<ValueFlag> flags_;
  mutable std::vector<std::string> unknown_;
  mutable std::set<std::string> told_;  // sentences already printed: each is printed once
};

/// The data set of a command.
class DataOptions {
 public:
  /// `own`: a model's own examples stand in where no data set is given; else --where, --limit and --seed need
  /// one. A seed that nothing is drawn by is refused while the command is read.
  void add_to(CLI::App& command, bool own = false);
  bool given() const { return !choice_.path.empty(); }
  const DataChoice& choice() const { return choice_; }
  std::uint64_t seed() const { return choice_.seed; }

 private:
  DataChoice choice_;
};

/// Prints a JSON value to stdout on one line, with invalid UTF-8 replaced.
void print_json(const nlohmann::json& value);
/// The texts of edits, in order.
std::vector<std::string> texts_of(const Edits& edits);
/// Adds to an object, as "unknown", the pieces of texts that are not in a vocabulary; nothing if there are
/// none.
void put_unknown(nlohmann::json& object, const std::vector<std::string>& pieces);
/// A sentence about them; empty if there are none.
std::string told_of_unknown(const Tokenizer& tokenizer, const std::vector<std::string>& pieces);
/// Warning for an input that begins with the same special token twice; empty: it does not.
std::string told_of_doubled(const OpenedModel& opened, const std::vector<int>& ids);
/// Adds the run's edits to an object as "edits"; nothing if there are none.
void put_edits(nlohmann::json& object, const Edits& edits);
/// A text as an array of bytes, for file formats without strings.
NamedInts bytes_of(const std::string& name, const std::string& text);

}  // namespace attnscope::cli
