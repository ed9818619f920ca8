#include "app/cli/prompt_runs.h"

#include <unistd.h>

#include <cstdio>

#include "core/base/words.h"
#include "core/session/prompt_list.h"

namespace attnscope::cli {

Result<DataChoice> data_or_own(const DataOptions& data, const RunModel& opened) {
  DataChoice out = data.choice();
  if (data.given()) return out;
  const auto own = own_task_choice(opened);
  if (!own) return fail(Code::not_found, "error.cli.strongest.data");
  out.path = own->path;
  return out;
}

namespace {

// A scene that is opened without a session, and names a data set.
bool scene_has_data(const RunModel& opened) { return !opened.session && opened.scene && opened.scene->data; }

const DataPrompts* session_data(const DataChoice& choice, const RunModel& opened) {
  return choice.path == kSessionData && opened.session ? prompts_of(*opened.session) : nullptr;
}

DataRuns runs_for(DataChoice choice, const RunModel& opened) {
  Document start = opened.session ? *opened.session : blank_document(opened);
  if (choice.path == kSessionData && scene_has_data(opened))
    (void)give_prompts(*opened.scene->data, opened.path, start);  // usable_choice() says what is wrong
  if (choice.path == kSessionData && start.data.prompts) {
    const DataPrompts& held = *start.data.prompts;  // `start` keeps it
    return DataRuns(held, std::move(start));
  }
  return DataRuns(std::move(choice), std::move(start));
}

Status usable_choice(const DataChoice& choice, const RunModel& opened) {
  if (choice.path != kSessionData) return Done{};
  if (scene_has_data(opened)) {
    Document tried = blank_document(opened);
    TRY_OK(give_prompts(*opened.scene->data, opened.path, tried));
  } else if (!session_data(choice, opened)) {
    return fail(Code::not_found, "error.cli.data_session_none");
  }
  if (choice.limit > 0 || !choice.where.empty())
    return fail(Code::out_of_range, "error.cli.data_session_chosen");
  return Done{};
}

}  // namespace

PromptRuns::PromptRuns(DataChoice choice, const RunModel& opened, const SequenceOptions& clean,
                       const SequenceOptions& corrupt)
    : DataRuns(runs_for(choice, opened)),
      usable_(usable_choice(choice, opened)),
      clean_(clean),
      corrupt_(corrupt) {}

Status PromptRuns::prepare() {
  TRY_OK(usable_);
  TRY(with_[0], clean_.request());
  TRY(with_[1], corrupt_.request());
  for (const Request& request : with_)
    if (!request.empty() || !request.decoder_words.empty())
      return fail(Code::out_of_range, "error.cli.data_and_text");
  TRY_OK(check_runs(opened()));
  return take_edit_values(choice().seed);
}

PromptRuns::Progress::Progress(const PromptRuns& runs) : runs_(runs) {
  if (!is_nested_command()) signals_.emplace();
}

void PromptRuns::Progress::took_one() const {
  ++taken_;
  const auto now = std::chrono::steady_clock::now();
  if (is_nested_command() || now - said_ < std::chrono::seconds(1) || ::isatty(STDERR_FILENO) == 0) return;
  said_ = now, shown_ = true;
  std::fprintf(stderr, "\r%s ", tr("cli.data.progress", {std::to_string(taken_)}).c_str());
}

PromptRuns::Progress::~Progress() {
  if (shown_) std::fputc('\n', stderr);
  if (taken_ == 0 || !runs_.stopped()) return;
  std::fprintf(stderr, "attnscope-cli: %s\n", tr("cli.data.stopped", {std::to_string(taken_)}).c_str());
  limit_command_words(taken_);
}

bool PromptRuns::stopped() const { return StopSignals::wanted(); }

nlohmann::json PromptRuns::json() const {
  nlohmann::json out = data_json(choice(), hash(), count());
  if (left_out() == 0) return out;
  out["left_out"] = left_out();
  std::fprintf(stderr, "attnscope-cli: %s\n", tr("cli.data.left_out", {std::to_string(left_out())}).c_str());
  return out;
}

void PromptRuns::put_resampled(const std::vector<std::size_t>& partners, nlohmann::json& run) const {
  for (std::size_t i = 0; i < partners.size(); ++i) {
    run["resampled"].push_back(lines()[partners[i]].line);
    run["resampled_into"].push_back(lines()[i].line);
  }
}

void PromptRuns::tell(const PromptRun& run) const {
  clean_.tell_of_texts(run.document, run.request);
  tell_of_broken(*run.trace);
}

}  // namespace attnscope::cli
