// What the commands share: how MODEL and the input sequences are named on the command line, and how an error
// leaves the program. Exit codes: 0 fine, 1 the user's files or values do not work (one sentence and a hint
// on stderr), 2 the command line itself is not understood.
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/arch/open.h"
#include "core/base/number.h"
#include "core/io/writers.h"
#include "core/model/measure.h"
#include "core/session/request.h"
#include "core/system/arguments.h"

namespace attnscope::cli {

/// Checks for the values of options: a whole number, or any finite one, between two borders.
inline CLI::Validator whole(std::uint64_t least, std::uint64_t most) {
  return {whole_number(least, most), ""};
}
inline CLI::Validator real(double least, double most) { return {real_number(least, most), ""}; }

/// The number as tables print it: a NaN has no sign that means anything, and printf would print one.
inline double unsigned_nan(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

/// What the chosen command does, set by its callback and run after parsing.
using Action = std::function<Status()>;

/// Each adds its command to the program; `action` is set when the command was chosen.
void add_steps(CLI::App& app, Action& action);
void add_trace(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_tokenize(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_lab(CLI::App& app, Action& action);
void add_train(CLI::App& app, Action& action);
void add_ask(CLI::App& app, Action& action);
void add_probe(CLI::App& app, Action& action);
void add_heads(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_lesson(CLI::App& app, Action& action);
void add_calc(CLI::App& app, Action& action);

/// A folder, a file in it, a scene file, or what is shipped: "model:NAME", "scene:NAME".
Result<OpenedModel> open_named(const std::string& name);
/// The same for a run: what should be known of its numbers goes to stderr.
Result<OpenedModel> open_to_run(const std::string& name);
inline constexpr const char* kModelHelp = "cli.model";  // a key of the tables

inline constexpr const char* kEditHelp = "cli.edit";
/// "" for the first sequence, then "seq1.", ...: in front of the names of its steps.
std::string prefix_of(std::size_t sequence);
/// A measure as it is asked of a run: at position `at`, or where that is negative at the first hidden token,
/// else where the answer is read. kl is that to this run. Errors: parse_measure's; no such position.
Result<LogitMeasure> measure_of(const OpenedModel& opened, const std::string& text, std::int64_t at,
                                const Trace& run);
/// Errors: a recording, which has no model to run anew.
Status check_runs(const OpenedModel& opened);
/// Errors: the first of the edits that a run had no place for.
Status check_reached(const Edits& unreached);
/// One sequence of a model under those of the edits that mean it; where they make NaN, stderr says from which
/// number on. Errors: the run's, and an edit whose place it does not have.
Result<std::shared_ptr<const Trace>> run_under(const OpenedModel& opened, const Edits& edits,
                                               const Input& input, std::size_t sequence = 0);

/// The Request of a command, read from the flags of core/session/request.h.
class SequenceOptions {
 public:
  /// `batch`: also those of the whole batch. With a `prefix` every flag begins with it: --clean-text.
  void add_to(CLI::App& command, bool batch, const std::string& prefix = "");
  /// Errors: read_request()'s.
  Result<Request> request() const { return read_request(given_words(*command_, flags_), prefix_); }
  /// What runs: inputs_of() and the edits of it. stderr says which pieces of texts a vocabulary could not
  /// spell. Errors: those of requested_document().
  Result<Document> document(const OpenedModel& opened) const;
  /// The one sequence of a question, run under its edits; of a recording, its first. Errors: more than one
  /// was given, or one for a recording.
  Result<std::shared_ptr<const Trace>> run_one(const OpenedModel& opened) const;
  /// Pieces of the texts read so far that a vocabulary could not spell; stderr has named them.
  const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  void tell(const std::string& sentence) const;
  void tell_of_text(const OpenedModel& opened, const std::string& text, const std::vector<Token>& tokens,
                    const std::vector<int>& ids) const;
  void tell_of_texts(const Document& document, const Request& request) const;

  CLI::App* command_ = nullptr;
  std::string prefix_;
  std::vector<ValueFlag> flags_;
  mutable std::vector<std::string> unknown_;
  mutable std::set<std::string> told_;  // each sentence once, however often the texts are read
};

/// A JSON value on stdout, one line, ill-formed UTF-8 replaced.
void print_json(const nlohmann::json& value);
/// The texts of edits, in order.
std::vector<std::string> texts_of(const Edits& edits);
/// Into an object, as "unknown": the pieces of texts that a vocabulary could not spell; nothing where there
/// are none.
void put_unknown(nlohmann::json& object, const std::vector<std::string>& pieces);
/// A sentence about them; empty where there are none.
std::string told_of_unknown(const Tokenizer& tokenizer, const std::vector<std::string>& pieces);
/// Into an object, as "edits": what the run was edited by; nothing where it was not.
void put_edits(nlohmann::json& object, const Edits& edits);
/// A text as an array, for files that have no place for words.
NamedInts bytes_of(const std::string& name, const std::string& text);

}  // namespace attnscope::cli
