#include "core/session/probing.h"

#include "core/base/text.h"
#include "core/train/story_task.h"
#include "core/train/task.h"

namespace attnscope {
namespace {

constexpr std::uint64_t kSeed = 20;
constexpr double kLambda = 1e-3;
constexpr std::int64_t kRowsOfText = 4;  // of tokens and positions

Result<std::shared_ptr<const Task>> task_of(const OpenedModel& opened) {
  if (!opened.card || opened.card->task.empty()) return fail(Code::unsupported, "error.session.probe_task");
  return find_task(opened.card->task);
}

// Tasks that tell stories note where a noun comes again and where it stood first.
bool tells_stories(std::string_view task) {
  return task == "storyteller" || task == "storyteller-llama" || task == "gap-filler";
}

void add_places(Probed what, const Example& example, const std::shared_ptr<const Trace>& trace,
                std::int64_t number, std::vector<ProbePlace>& out) {
  if (what == Probed::antecedent) {
    const auto said = static_cast<std::size_t>(example.notes[StoryRows::antecedent]);
    return out.push_back({trace, example.notes[StoryRows::answer], example.input.ids[said]});
  }
  const std::int64_t rows = trace->length;
  for (std::int64_t i = 0; i < std::min(rows, kRowsOfText); ++i) {
    const std::int64_t row = (number * 5 + i * (rows / std::min(rows, kRowsOfText))) % rows;
    out.push_back(
        {trace, row,
         what == Probed::position ? static_cast<int>(row) : trace->ids[static_cast<std::size_t>(row)]});
  }
}

}  // namespace

std::string_view probed_name(Probed what) {
  switch (what) {
    case Probed::token: return "token";
    case Probed::position: return "position";
    case Probed::antecedent: return "antecedent";
  }
  return {};
}

bool can_probe(const OpenedModel& opened, Probed what) {
  const auto task = task_of(opened);
  if (!task || opened.recorded.size() > 0) return false;
  return what == Probed::antecedent ? tells_stories((*task)->name()) : opened.model->config().vocab_size > 0;
}

Result<ProbeAnswer> probe(const OpenedModel& opened, const std::shared_ptr<const Model>& model, Probed what,
                          int texts, const std::function<bool(float)>& go_on) {
  TRY(const std::shared_ptr<const Task> task, task_of(opened));
  if (!can_probe(opened, what)) return fail(Code::unsupported, "error.session.probe_what", {task->name()});
  std::vector<ProbePlace> fit, held_out;
  const int others = std::max(1, texts / 3), all = texts + others;
  for (int text = 0; text < all; ++text) {
    if (go_on && !go_on(0.8f * static_cast<float>(text) / static_cast<float>(all)))
      return fail(Code::cancelled, "error.model.stopped");
    const bool asks = text >= texts;
    const Example example =
        task->example(kSeed, asks ? Split::held_out : Split::train, asks ? text - texts : text);
    TRY(const auto trace, model->run(model->completed(example.input)));
    add_places(what, example, trace, text, asks ? held_out : fit);
  }
  return probe_depths(fit, held_out, kLambda, go_on);
}

}  // namespace attnscope
