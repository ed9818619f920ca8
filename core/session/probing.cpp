#include "core/session/probing.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/train/story_task.h"
#include "core/train/task.h"

namespace attnscope {
namespace {

constexpr std::uint64_t kSeed = 20;
constexpr double kLambda = 1e-3;
constexpr std::int64_t kRowsOfText = 4;  // of tokens and positions
constexpr float kRunning = 0.8f;         // of the work: the texts

Result<std::shared_ptr<const Task>> task_of(const OpenedModel& opened) {
  if (!opened.card || opened.card->task.empty()) return fail(Code::unsupported, "error.session.probe_task");
  return find_task(opened.card->task);
}

// The story tasks note the row of the repeated noun and the row of its first occurrence.
bool tells_stories(std::string_view task) {
  return task == "storyteller" || task == "storyteller-llama" || task == "gap-filler";
}

// A few rows of a run, others from text to text, by what they are themselves.
void add_own_rows(Probed what, const std::shared_ptr<const Trace>& trace, std::int64_t number,
                  std::vector<ProbePlace>& out) {
  const std::int64_t rows = trace->length;
  for (std::int64_t i = 0; i < std::min(rows, kRowsOfText); ++i) {
    const std::int64_t row = (number * 5 + i * (rows / std::min(rows, kRowsOfText))) % rows;
    out.push_back(
        {trace, row,
         what == Probed::position ? static_cast<int>(row) : trace->ids[static_cast<std::size_t>(row)]});
  }
}

void add_places(Probed what, const Example& example, const std::shared_ptr<const Trace>& trace,
                std::int64_t number, std::vector<ProbePlace>& out) {
  if (what != Probed::antecedent) return add_own_rows(what, trace, number, out);
  const auto said = static_cast<std::size_t>(example.notes[StoryRows::antecedent]);
  out.push_back({trace, example.notes[StoryRows::answer], example.input.ids[said]});
}

}  // namespace

std::string_view probed_name(Probed what) { return name_of_value(what, kProbedNames); }

Status check_probes(const OpenedModel& opened) {
  if (!opened.recorded.empty()) return fail(Code::unsupported, "error.session.probe_task");
  TRY_OK(task_of(opened));
  return Done{};
}

bool can_probe(const OpenedModel& opened, Probed what) {
  const auto task = task_of(opened);
  if (!task || !check_probes(opened)) return false;
  return what == Probed::antecedent ? tells_stories((*task)->name()) : opened.model->config().vocab_size > 0;
}

Result<ProbeAnswer> probe(const OpenedModel& opened, const std::shared_ptr<const Model>& model, Probed what,
                          int texts, const ProbeProgress& go_on, const Edits& edits) {
  TRY(const std::shared_ptr<const Task> task, task_of(opened));
  if (!can_probe(opened, what)) return fail(Code::unsupported, "error.session.probe_what", {task->name()});
  std::vector<ProbePlace> fit, held_out;
  const int others = std::max(1, texts / 3), all = texts + others;
  for (int text = 0; text < all; ++text) {
    if (go_on && !go_on(kRunning * static_cast<float>(text) / static_cast<float>(all), {}))
      return fail(Code::cancelled, "error.model.stopped");
    const bool asks = text >= texts;
    const Example example =
        task->example(kSeed, asks ? Split::held_out : Split::train, asks ? text - texts : text);
    RunOptions options;
    options.edits = edits;
    TRY(const auto trace, model->run(model->completed(example.input), options));
    add_places(what, example, trace, text, asks ? held_out : fit);
  }
  if (!go_on) return probe_depths(fit, held_out, kLambda);
  return probe_depths(fit, held_out, kLambda, [&](float share, const ProbeAnswer& known) {
    return go_on(kRunning + (1 - kRunning) * share, known);
  });
}

Result<ProbeAnswer> probe_runs(const std::vector<ProbedRun>& runs, std::optional<Probed> of_row) {
  constexpr std::size_t kHeldOut = 4;
  if (runs.size() < kHeldOut) return fail(Code::out_of_range, "error.session.probe_few", {kHeldOut});
  std::vector<ProbePlace> fit, held_out;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<ProbePlace>& out = i % kHeldOut == kHeldOut - 1 ? held_out : fit;
    if (of_row)
      add_own_rows(*of_row, runs[i].trace, static_cast<std::int64_t>(i), out);
    else
      out.push_back({runs[i].trace, runs[i].asked, runs[i].label});
  }
  return probe_depths(fit, held_out, kLambda);
}

void AskedProbes::work(ProbesAnswer& answer, const OpenedModel& opened, int texts, const Progress& progress) {
  const std::atomic<bool>& cancel = progress.cancel();
  const auto kinds = static_cast<float>(std::count(answer.asked.begin(), answer.asked.end(), true));
  float before = 0;
  for (std::size_t at = 0; at < answer.asked.size() && !answer.error && !cancel; ++at) {
    if (!answer.asked[at]) continue;
    const auto show = [&](float share, const ProbeAnswer& known) {
      answer.share = (before + share) / kinds;
      if (!known.depths.empty()) answer.found[at] = known;
      progress.show(answer);
      return !cancel;
    };
    auto found = probe(opened, answer.model, static_cast<Probed>(at), texts, show);
    if (found)
      (void)show(1, *found);
    else if (found.error().code() != Code::cancelled)
      answer.error = found.error();
    ++before;
  }
}

void AskedProbes::start(Workers& workers, std::shared_ptr<const OpenedModel> opened,
                        std::shared_ptr<const Model> model, int texts) {
  ProbesAnswer first;
  first.model = std::move(model);
  for (int i = 0; i < kProbedCount; ++i)
    first.asked[static_cast<std::size_t>(i)] = can_probe(*opened, static_cast<Probed>(i));
  answer_.put(first);
  const auto known = std::make_shared<ProbesAnswer>(std::move(first));  // of the computation alone
  const auto done = [known](std::optional<Error> error) {
    if (error) known->error = std::move(error);
    known->done = true;
    return *known;
  };
  answer_.begin(workers, OrFailed{[known, done, opened = std::move(opened), texts](const Progress& progress) {
                                    work(*known, *opened, texts, progress);
                                    return done({});
                                  },
                                  done});
}

void AskedProbes::stop() {
  if (!running()) return;
  ProbesAnswer known = *answer_.newest();
  answer_.cancel();
  known.done = known.stopped = true;
  answer_.put(std::move(known));
}

}  // namespace attnscope
