// attnscope-cli rerun: computes an answer again from what it says of its run, and compares the numbers; of
// the parts of an answer (--missing) it computes the rows that are not there, and joins them.
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>

#include "app/cli/answer_differences.h"
#include "app/cli/answer_forms.h"
#include "app/cli/answer_run.h"
#include "app/cli/answer_session.h"
#include "app/cli/answer_tables.h"
#include "app/cli/part_files.h"
#include "app/cli/program.h"
#include "app/cli/shard.h"
#include "core/arch/memory_limit.h"
#include "core/arch/random_model.h"
#include "core/arch/shipped.h"
#include "core/base/no_copy.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/calc/machine.h"
#include "core/export/carried.h"
#include "core/io/json_file.h"
#include "core/session/fingerprint.h"
#include "core/session/session_file.h"
#include "core/session/told_run.h"
#include "core/system/named_files.h"

namespace attnscope::cli {
namespace {

struct RerunOptions {
  std::vector<std::string> files;
  std::string out;
  double tolerance = 1e-5;
  bool json = false, missing = false;
};

constexpr std::uint64_t kMostAnswerBytes = std::uint64_t{512} << 20;

// The commands whose answers are JSON and follow from their words alone.
constexpr std::array<std::string_view, 27> kCommands{
    "trace",   "circuit", "ablate",      "patch",     "attribute", "heads",    "rollout",
    "probe",   "path",    "circuits",    "strongest", "compare",   "why",      "steer",
    "weights", "figure",  "checkpoints", "generate",  "tokenize",  "info",     "calc",
    "lab",     "steps",   "try",         "lesson",    "course",    "direction"};
// Those whose answers are times that were measured.
constexpr std::string_view kBench = "bench";
constexpr std::string_view kFigure = "figure";
// Some of its pages measure times.
constexpr std::string_view kLab = "lab";
// It writes a file whatever else it is asked for.
constexpr std::string_view kDirection = "direction";
// Of attribute: the graph is the answer.
constexpr const char* kGraph = "--graph";
// How the commands call what they open.
constexpr std::array<const char*, 4> kOpenedBy{"MODEL", "MODEL_A", "MODEL|SESSION", "MODEL_OR_TOKENIZER"};

Error no_run(const std::string& path) {
  return fail(Code::bad_format, "error.cli.rerun.no_run", {quoted_path(path)});
}

// The words of a figure's data without what asks for a look, which earlier versions took and now is refused.
std::vector<std::string> without_look(const std::vector<std::string>& words) {
  std::vector<std::string> out = words_without(words, {"--size", "--scale", "--theme"});
  for (const char* flag : {"--paper", "--transparent", "--caption", "--no-caption", "--present"})
    std::erase(out, flag);
  return out;
}

// The command that is run: its answer as JSON on stdout, and no file; of an answer in another form `as`,
// which is written there, without the one on stdout.
Result<std::vector<std::string>> words_of(const std::string& path, const nlohmann::json& answer,
                                          const std::string& as = "") {
  const nlohmann::json* run = answer.is_object() && answer.contains("run") ? &answer["run"] : nullptr;
  if (run && run->is_object() && !run->contains("command"))
    return fail(Code::unsupported, "error.cli.rerun.no_command", {quoted_path(path)});
  if (!run || !run->is_object() || !(*run)["command"].is_array()) return no_run(path);
  if (run->value("complete", nlohmann::json(true)) == nlohmann::json(false))
    return fail(Code::unsupported, "error.cli.rerun.half_way", {quoted_path(path)});
  std::vector<std::string> given;
  for (const nlohmann::json& word : (*run)["command"]) {
    if (!word.is_string()) return no_run(path);
    given.push_back(word.get<std::string>());
  }
  std::vector<std::string> out =
      words_without(given, {"--out", "-o", "--graph", "--figure", "--into", "--name", "--format"});
  const auto known = std::find_first_of(out.begin(), out.end(), kCommands.begin(), kCommands.end());
  const auto bench = std::find(out.begin(), out.end(), kBench);
  if (bench < known) return fail(Code::unsupported, "error.cli.rerun.measures", {kBench});
  if (known == out.end()) return no_run(path);
  if (const auto machine = std::find(out.begin(), out.end(), "--machine");
      machine != out.end() && machine + 1 != out.end() && *(machine + 1) == kThisMachine)
    return fail(Code::unsupported, "error.cli.rerun.measures",
                {"calc --machine " + std::string(kThisMachine)});
  if (*known == kFigure) return without_look(out);
  if (!as.empty()) std::erase(out, "--json");
  if (as.empty() && std::find(out.begin(), out.end(), "--json") == out.end()) out.emplace_back("--json");
  return out;
}

std::string text_at(const nlohmann::json& answer, const nlohmann::json::json_pointer& place) {
  return answer.contains(place) && answer[place].is_string() ? answer[place].get<std::string>() : "";
}

// The file that a word of a command leads to: of a model's name itself, of a text, a mask or an edit what
// stands behind its @. Empty: none.
std::string file_in(const std::string& option, std::string word) {
  const bool named = !option.starts_with("-") || option == "--data" || option == "--image" ||
                     option == "--reference" || option == "--lora" || option == "--steer" ||
                     option == "--against";
  if (named && (is_shipped_name(word) || word.starts_with("task:"))) return {};
  if (named && word.starts_with(kRandomPrefix)) word.erase(0, kRandomPrefix.size());
  if (!named) {
    const std::size_t at = word.find('@');
    if (at == std::string::npos) return {};
    word.erase(0, at + 1);
  }
  std::error_code ignored;
  for (;;) {  // an edit's file has a name behind a colon
    if (!word.empty() && std::filesystem::exists(word, ignored)) return word;
    const std::size_t colon = word.rfind(':');
    if (colon == std::string::npos) return {};
    word.resize(colon);
  }
}

// The words were written by whoever wrote the answer, so that they may read what lies beside it or below.
Status check_paths(const CLI::App& command, const std::string& file) {
  const PathsIn reading(file);
  for (const CLI::Option* option : command.get_options())
    for (const std::string& word : option->results()) {
      const std::string path = file_in(option->get_name(), word);
      if (!path.empty()) TRY_OK(named_file(std::filesystem::absolute(path).string()));
    }
  return Done{};
}

Error other_model(const std::string& name, const std::string& before, const std::string& now) {
  return fail(Code::bad_format, "error.cli.rerun.model", {in_quotes(name), before, now});
}

// Before anything is computed: the model is that of the answer.
Status check_model(const CLI::App& command, const nlohmann::json& before) {
  const nlohmann::json::json_pointer place("/run/model/fingerprint");
  const CLI::Option* model = nullptr;
  for (const char* one : kOpenedBy)
    if (!model) model = command.get_option_no_throw(one);
  if (!model || model->results().empty() || text_at(before, place).empty()) return Done{};
  const std::string name = model->results().front();
  keep_one_opened();
  std::optional<WithoutLora> none;
  if (model->get_name() == "MODEL_A") none.emplace();
  std::optional<OpenedModel> opened;
  if (is_session_path(name) || is_figure_path(name)) {
    TRY(opened, open_to_run(name));
  } else {
    TRY(opened, open_named(name));
  }
  const std::string now = model_fingerprint(*opened);
  return now == text_at(before, place) ? Status(Done{}) : other_model(name, text_at(before, place), now);
}

// A file for a figure or a table that is made again, gone with it.
class DrawnAgain : NoCopy {
 public:
  explicit DrawnAgain(const std::string& extension)
      : path_((std::filesystem::temp_directory_path() /
               ("attnscope-rerun-" +
                std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + extension))
                  .string()) {}
  ~DrawnAgain() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The run of a graph stands in its metadata.
void lift_run(nlohmann::json& graph) {
  const nlohmann::json::json_pointer own("/metadata/attnscope");
  if (!graph.is_object() || !graph.contains(own) || !graph[own].is_object() || !graph[own].contains("run"))
    return;
  graph["run"] = graph[own]["run"];
  graph[own].erase("run");
}

// The answer of these words now, of the model and the data set of `before`, an answer in `file`.
Result<nlohmann::json> answered(std::vector<std::string> words, const nlohmann::json& before,
                                const std::string& file, const std::string& as = "") {
  std::optional<DrawnAgain> again;
  const auto has = [&](std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const bool graph = as == kGraph, beside = as.empty() && has(kDirection) && !has(kFigure);
  if (!as.empty() || has(kFigure) || beside) {
    again.emplace(beside ? ".npz" : as.empty() || graph ? ".json" : as);
    words.insert(words.end(), {graph ? as : "--out", again->path()});
  }
  Program program(words.empty() ? std::string() : words.front());
  try {
    program.app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // the last word first
  } catch (const CLI::ParseError& error) {
    return fail(Code::bad_format, "error.cli.rerun.words",
                {in_quotes(join(words, " "), 400), sentence_of(program.app, error)});
  }
  for (const CLI::App* command : program.app.get_subcommands()) TRY_OK(check_paths(*command, file));
  TRY_OK(check_paths(program.app, file));
  TRY_OK(choose_memory_limit(program.memory_limit));
  TRY_OK(choose_lora(program.lora));
  for (const CLI::App* command : program.app.get_subcommands()) TRY_OK(check_model(*command, before));
  const CommandWords as_given(words);
  const KeptAnswer kept;
  if (again && !beside) {
    TRY_OK(program.action());
    if (!as.empty() && !graph) return table_answer(again->path());
    TRY(nlohmann::json drawn, read_json_file(again->path(), kMostAnswerBytes));
    if (graph) lift_run(drawn);
    return drawn;
  }
  const Status done = program.action();
  nlohmann::json out = nlohmann::json::parse(kept.text(), nullptr, false);
  if (out.is_discarded()) return done ? no_run(join(words, " ")) : done.error();
  return out;
}

// The model and the data set are those of the answer.
Status check_same(const nlohmann::json& before, const nlohmann::json& now) {
  const nlohmann::json::json_pointer model("/run/model/fingerprint"), name("/run/model/name"),
      data("/run/data/hash"), path("/run/data/path");
  if (text_at(before, model) != text_at(now, model))
    return other_model(text_at(now, name), text_at(before, model), text_at(now, model));
  if (text_at(before, data) != text_at(now, data))
    return fail(Code::bad_format, "error.cli.rerun.data", {quoted_path(text_at(now, path))});
  return Done{};
}

Status run_rerun(const RerunOptions& options) {
  if (options.files.size() > 1) return fail(Code::out_of_range, "error.cli.rerun.one_file");
  const std::string& file = options.files.front();
  std::string as;
  for (const char* form : {".csv", ".npz", ".safetensors"})
    if (file.ends_with(form)) as = form;
  auto read = as.empty() ? read_json_file(file, kMostAnswerBytes) : table_answer(file);
  if (!read) return read.error();
  nlohmann::json before = *std::move(read);
  if (as.empty() && before.is_object() &&
      before.contains("__metadata__")) {  // of trace, which writes files alone
    as = ".json";
    TRY(before, table_answer(file));
  }
  if (as.empty() && before.is_object() && before.contains("links") && before.contains("metadata")) {
    as = kGraph;
    lift_run(before);
  }
  TRY(const std::vector<std::string> given, words_of(file, before, as));
  const SessionOfAnswer session(before["run"], file);
  const std::vector<std::string> words = session.in(given);
  TRY(const nlohmann::json now, answered(words, before, file, as));
  TRY_OK(check_same(before, now));
  AnswerDifferences found;
  compare_answers(before, now, options.tolerance, found);
  compare_runs(before["run"], now["run"], found);
  const bool equal = found.other.empty() && found.beyond == 0;
  if (!equal && words.front() == kLab) {  // with times in it, two answers of now differ as well
    TRY(const nlohmann::json twice, answered(words, before, file, as));
    AnswerDifferences of_times;
    compare_answers(now, twice, options.tolerance, of_times);
    if (!of_times.other.empty() || of_times.beyond > 0)
      return fail(Code::unsupported, "error.cli.rerun.measures", {join({words[0], words[1]}, " ")});
  }
  if (options.json)
    print_json({{"equal", equal},
                {"numbers", found.numbers},
                {"largest_difference", found.largest},
                {"at", found.other.empty() ? found.at : found.other}});
  if (!found.other.empty()) return fail(Code::out_of_range, "error.cli.rerun.form", {found.other});
  if (!equal)
    return fail(Code::out_of_range, "error.cli.rerun.differs",
                {format("%.6g", found.beyond), found.at, format("%g", options.tolerance)});
  if (!options.json)
    say(tr("cli.rerun.equal", {std::to_string(found.numbers), format("%.3g", found.largest)}) + "\n");
  return Done{};
}

// The rows that no part has, computed and joined with them.
Status run_missing(const RerunOptions& options) {
  std::vector<PartFile> parts;
  for (const std::string& path : options.files) {
    TRY(std::vector<PartFile> found, read_parts(path));
    parts.insert(parts.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }
  if (!options.out.empty()) TRY_OK(check_answer_path(options.out));
  TRY(const RowsHeld held, rows_held(parts));
  const std::string missing = std::to_string(held.missing.size()), whole = std::to_string(held.whole);
  std::fprintf(stderr, "attnscope-cli: %s\n",
               held.missing.empty() ? tr("cli.rerun.complete", {whole}).c_str()
                                    : tr("cli.rerun.missing", {missing, whole}).c_str());
  if (!held.missing.empty()) {
    const nlohmann::json before = parts.front().answer;
    TRY(std::vector<std::string> words, words_of(options.files.front(), before));
    words = words_without(words, {"--shard"});
    if (std::ssize(held.missing) == held.whole)
      parts.clear();
    else
      words.insert(words.end(), {"--shard", Shard::of_rows(held.missing, held.whole)});
    TRY(nlohmann::json now, answered(words, before, options.files.front()));
    TRY_OK(check_same(before, now));
    now["run"]["command"] = nlohmann::json::parse(run_of_whole(before["run"].dump()))["command"];
    parts.push_back({options.files.front(), std::move(now)});
  }
  return write_joined(parts, {}, options.out);
}

}  // namespace

void add_rerun(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("rerun", tr("cli.rerun"));
  const auto options = std::make_shared<RerunOptions>();
  command->add_option("ANSWER", options->files, tr("cli.rerun.answer"))->required();
  CLI::Option* missing = command->add_flag("--missing", options->missing, tr("cli.rerun.of_parts"));
  command->add_option("--out", options->out, tr("cli.ask.out"))->needs(missing);
  command->add_option("--tolerance", options->tolerance, tr("cli.rerun.tolerance"))->transform(real(0, 1e30));
  command->add_flag("--json", options->json, tr("cli.json"));
  command->callback([options, &action] {
    action = [options] { return options->missing ? run_missing(*options) : run_rerun(*options); };
  });
}

}  // namespace attnscope::cli
