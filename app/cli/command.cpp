#include "app/cli/command.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "core/arch/memory_limit.h"
#include "core/arch/scene.h"
#include "core/arch/shipped.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/export/carried.h"
#include "core/model/derive.h"
#include "core/session/figure_session.h"
#include "core/session/session_file.h"
#include "core/system/named_files.h"

namespace attnscope::cli {
namespace {

// What was opened, the newest last; expanded under another limit, it would be another model.
struct KeptModel {
  std::string name;
  std::int64_t limit = 0;
  std::string lora;
  OpenedModel opened;
};
std::vector<KeptModel> kept;
LoraChoice lora_now;
std::size_t most_kept = 0;

bool as_it_was(const OpenedModel& opened) {
  return std::none_of(opened.files.begin(), opened.files.end(),
                      [](const ReadFile& file) { return file.newer() || !file.intact(); });
}

}  // namespace

void keep_opened(std::size_t most) { most_kept = most; }
void keep_one_opened() { most_kept = std::max<std::size_t>(most_kept, 1); }

Status choose_lora(const std::string& text) {
  lora_now = {};
  if (text.empty()) return Done{};
  TRY(lora_now, parse_lora(text));
  return Done{};
}

WithoutLora::WithoutLora() : before_(std::exchange(lora_now, {})) {}
WithoutLora::~WithoutLora() { lora_now = std::move(before_); }

Result<OpenedModel> open_named(const std::string& name) {
  OpenOptions options;
  options.lora = lora_now;
  const std::string adapter = to_text(lora_now);
  const std::int64_t limit = memory_limit();
  const auto found = std::find_if(kept.begin(), kept.end(), [&](const KeptModel& one) {
    return one.name == name && one.limit == limit && one.lora == adapter && as_it_was(one.opened);
  });
  if (found != kept.end()) {
    std::rotate(found, found + 1, kept.end());
    return kept.back().opened;
  }
  std::erase_if(kept, [&](const KeptModel& one) { return one.name == name && one.lora == adapter; });
  if (most_kept > 0 && kept.size() >= most_kept) kept.erase(kept.begin());  // before another is read
  TRY(OpenedModel opened, open_shipped_or_path(name, options));
  if (most_kept > 0) kept.push_back({name, limit, adapter, opened});
  return opened;
}

namespace {

void warn(const std::string& name, const OpenedModel& opened) {
  for (const std::string& warning : in_words(opened.warnings))
    std::fprintf(stderr, "attnscope-cli: %s: %s\n", name.c_str(), warning.c_str());
}

}  // namespace

Result<OpenedModel> model_of_session(const SessionFile& session) {
  const PathsIn named(session.path);
  OpenOptions options;
  options.lora = lora_now.empty() ? session.lora : lora_now;
  TRY_OK(may_open_model(session));
  return open_model_of(session, options);
}

Result<RunModel> open_to_run(const std::string& name) {
  if (is_session_path(name) || is_figure_path(name)) {
    TRY(const SessionFile session, open_session_file(name));
    TRY(OpenedModel model, model_of_session(session));
    TRY(Document document, document_of(session, std::move(model)));
    warn(name, *document.opened);
    RunModel out(*document.opened);
    out.session = std::make_shared<const Document>(std::move(document));
    return out;
  }
  TRY(OpenedModel opened, open_named(name));
  warn(name, opened);
  return RunModel(std::move(opened));
}

Result<EditedModel> edited_model(const RunModel& opened) {
  if (!opened.session) return EditedModel{opened.model};
  EditedModel out{opened.session->model};
  for (const auto& edit : edits_for(opened.session->edits, 0))
    if (edit->enabled) (changes_model({edit}) ? out.edits : out.of_runs).push_back(edit);
  if (out.edits.empty()) return out;
  TRY(const DerivedModel made, derived(std::make_shared<const ModelConfig>(out.model->config()),
                                       std::make_shared<const Weights>(out.model->weights()), out.edits));
  for (const auto& edit : out.edits)
    if (std::find(made.reached.begin(), made.reached.end(), edit) == made.reached.end())
      return fail(Code::out_of_range, "error.trace.no_place", {to_text(*edit)});
  out.model = std::make_shared<const Model>(made.config, made.weights);
  return out;
}

namespace {

// A word of the command line asks for what is drawn: `--how resample`, `--edit "PLACE=resample"`, the
// examples of a task.
bool draws_numbers(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    for (const std::string& word : option->results())
      if ((name == "--how" && word == "resample") || word.starts_with("task:") ||
          (name.ends_with("edit") && word.ends_with("=resample")))
        return true;
  }
  return false;
}

}  // namespace

void DataOptions::add_to(CLI::App& command, bool own) {
  add_data_flags(command, choice_);
  command.parse_complete_callback([this, &command] {
    if (command.count("--seed") == 0 || !given() || draws_numbers(command)) return;
    throw CLI::ValidationError("--seed", tr("error.cli.data_seed"));
  });
  for (const char* flag : {"--where", "--limit", "--seed"})
    if (!own) command.get_option(flag)->needs(command.get_option("--data"));
}

std::vector<std::string> texts_of(const Edits& edits) {
  std::vector<std::string> texts;
  for (const auto& edit : edits) texts.push_back(to_text(*edit));
  return texts;
}

void put_unknown(nlohmann::json& object, const std::vector<std::string>& pieces) {
  if (!pieces.empty()) object["unknown"] = pieces;
}

void put_edits(nlohmann::json& object, const Edits& edits) {
  if (!edits.empty()) object["edits"] = texts_of(edits);
}

NamedInts bytes_of(const std::string& name, const std::string& text) {
  NamedInts out{name, {}, {std::ssize(text)}};
  for (const char c : text) out.values.push_back(static_cast<unsigned char>(c));
  return out;
}

void print_json(const nlohmann::json& value) {
  say(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace attnscope::cli
