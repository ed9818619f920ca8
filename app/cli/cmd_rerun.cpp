// attnscope-cli rerun: computes an answer again from what it says of its run, and compares the numbers.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/cli/answer_run.h"
#include "app/cli/program.h"
#include "core/arch/memory_limit.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/io/json_file.h"

namespace attnscope::cli {
namespace {

struct RerunOptions {
  std::string file;
  double tolerance = 1e-5;
  bool json = false;
};

constexpr std::uint64_t kMostAnswerBytes = std::uint64_t{512} << 20;

// The commands whose answers are JSON and follow from their words alone.
constexpr std::array<std::string_view, 10> kCommands{"ablate", "patch", "attribute", "heads",   "rollout",
                                                     "probe",  "path",  "circuits",  "compare", "why"};

// Two answers, number by number.
struct Differences {
  std::int64_t numbers = 0;
  double largest = 0, beyond = 0;  // of all; the largest above the tolerance
  std::string at, other;           // where the largest is; where they are of another form
};

bool same_kind(const nlohmann::json& a, const nlohmann::json& b) {
  return a.type() == b.type() || (a.is_number() && b.is_number());
}

void compare(const nlohmann::json& a, const nlohmann::json& b, const std::string& path, double tolerance,
             Differences& out) {
  if (!out.other.empty()) return;
  if (!same_kind(a, b) || a.size() != b.size()) {
    out.other = path;
  } else if (a.is_number()) {
    const double before = a.get<double>(), now = b.get<double>(), off = std::fabs(before - now);
    ++out.numbers;
    if (off > tolerance * std::max(1.0, std::fabs(before))) out.beyond = std::max(out.beyond, off);
    if (off > out.largest || out.at.empty()) out.at = path, out.largest = std::max(off, out.largest);
  } else if (a.is_array()) {
    for (std::size_t i = 0; i < a.size(); ++i)
      compare(a[i], b[i], path + "/" + std::to_string(i), tolerance, out);
  } else if (a.is_object()) {
    for (const auto& [name, value] : a.items()) {
      if (path.empty() && name == "run") continue;
      if (!b.contains(name)) out.other = path + "/" + name;
      if (out.other.empty()) compare(value, b[name], path + "/" + name, tolerance, out);
    }
  } else if (a != b) {
    out.other = path;
  }
}

Error no_run(const std::string& path) {
  return fail(Code::bad_format, "error.cli.rerun.no_run", {quoted_path(path)});
}

// The command that is run: its answer as JSON on stdout, and no file.
Result<std::vector<std::string>> words_of(const RerunOptions& options, const nlohmann::json& answer) {
  const nlohmann::json* run = answer.is_object() && answer.contains("run") ? &answer["run"] : nullptr;
  if (!run || !run->is_object() || !run->contains("command") || !(*run)["command"].is_array())
    return no_run(options.file);
  std::vector<std::string> given;
  for (const nlohmann::json& word : (*run)["command"]) {
    if (!word.is_string()) return no_run(options.file);
    given.push_back(word.get<std::string>());
  }
  std::vector<std::string> out = words_without(given, {"--out", "--graph"});
  const auto known = std::find_first_of(out.begin(), out.end(), kCommands.begin(), kCommands.end());
  if (known == out.end()) return no_run(options.file);
  if (std::find(out.begin(), out.end(), "--json") == out.end()) out.emplace_back("--json");
  return out;
}

Result<nlohmann::json> answered(const std::vector<std::string>& words) {
  Program program;
  try {
    program.app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // the last word first
  } catch (const CLI::ParseError& error) {
    return fail(Code::bad_format, "error.cli.rerun.words",
                {in_quotes(join(words, " "), 400), sentence_of(program.app, error)});
  }
  TRY_OK(choose_memory_limit(program.memory_limit));
  const CommandWords as_given(words);
  const KeptAnswer kept;
  const Status done = program.action();
  nlohmann::json out = nlohmann::json::parse(kept.text(), nullptr, false);
  if (out.is_discarded()) return done ? no_run(join(words, " ")) : done.error();
  return out;
}

std::string text_at(const nlohmann::json& answer, const nlohmann::json::json_pointer& place) {
  return answer.contains(place) && answer[place].is_string() ? answer[place].get<std::string>() : "";
}

// The model and the data set are those of the answer.
Status check_same(const nlohmann::json& before, const nlohmann::json& now) {
  const nlohmann::json::json_pointer model("/run/model/fingerprint"), name("/run/model/name"),
      data("/run/data/hash"), path("/run/data/path");
  if (text_at(before, model) != text_at(now, model))
    return fail(Code::bad_format, "error.cli.rerun.model",
                {in_quotes(text_at(now, name)), text_at(before, model), text_at(now, model)});
  if (text_at(before, data) != text_at(now, data))
    return fail(Code::bad_format, "error.cli.rerun.data", {quoted_path(text_at(now, path))});
  return Done{};
}

Status run_rerun(const RerunOptions& options) {
  TRY(const nlohmann::json before, read_json_file(options.file, kMostAnswerBytes));
  TRY(const std::vector<std::string> words, words_of(options, before));
  TRY(const nlohmann::json now, answered(words));
  TRY_OK(check_same(before, now));
  Differences found;
  compare(before, now, "", options.tolerance, found);
  const bool equal = found.other.empty() && found.beyond == 0;
  if (options.json)
    print_json({{"equal", equal},
                {"numbers", found.numbers},
                {"largest_difference", found.largest},
                {"at", found.other.empty() ? found.at : found.other}});
  if (!found.other.empty()) return fail(Code::out_of_range, "error.cli.rerun.form", {found.other});
  if (!equal)
    return fail(Code::out_of_range, "error.cli.rerun.differs",
                {format("%.6g", found.largest), found.at, format("%g", options.tolerance)});
  if (!options.json)
    say(tr("cli.rerun.equal", {std::to_string(found.numbers), format("%.3g", found.largest)}) + "\n");
  return Done{};
}

}  // namespace

void add_rerun(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("rerun", tr("cli.rerun"));
  const auto options = std::make_shared<RerunOptions>();
  command->add_option("ANSWER", options->file, tr("cli.rerun.answer"))->required();
  command->add_option("--tolerance", options->tolerance, tr("cli.rerun.tolerance"))->transform(real(0, 1e30));
  command->add_flag("--json", options->json, tr("cli.json"));
  command->callback([options, &action] { action = [options] { return run_rerun(*options); }; });
}

}  // namespace attnscope::cli
