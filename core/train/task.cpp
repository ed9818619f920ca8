#include "core/train/task.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/ops/backward.h"

namespace attnscope {
namespace {

constexpr std::array<std::string_view, 7> kOrder{"storyteller", "storyteller-llama", "induction", "sorter",
                                                 "translator",  "gap-filler",        "pilot"};

std::ptrdiff_t place(const std::shared_ptr<const Task>& task) {
  return std::find(kOrder.begin(), kOrder.end(), task->name()) - kOrder.begin();
}

}  // namespace

std::optional<RelatedWords> Task::related(std::uint64_t, std::int64_t) const { return std::nullopt; }

std::optional<TaskPrompt> Task::prompt(std::uint64_t seed, std::int64_t number) const {
  const Example made = example(seed, Split::held_out, number);
  if (!made.input.vectors.empty() || !made.input.pixels.empty()) return std::nullopt;
  const auto& targets = made.targets;
  const auto last = std::find_if(targets.rbegin(), targets.rend(), [](int id) { return id != kNotCounted; });
  if (last == targets.rend()) return std::nullopt;
  const auto other =
      std::find_if(last, targets.rend(), [&](int id) { return id != kNotCounted && id != *last; });
  TaskPrompt out;
  out.input = made.input;
  out.answer = *last;
  if (other != targets.rend()) out.wrong = *other;
  const auto row = static_cast<std::size_t>(targets.rend() - last) - 1;
  // What is read is cut behind the row of the answer, unless the rows before see it anyway.
  const bool hidden = row < made.input.ids.size() && counted().kind == CountedRows::Kind::masked;
  if (!hidden) out.input.ids.resize(std::min(out.input.ids.size(), row + 1));
  if (!hidden && !out.input.types.empty()) out.input.types.resize(out.input.ids.size());
  return out;
}

const std::vector<std::shared_ptr<const Task>>& tasks() {
  static const std::vector<std::shared_ptr<const Task>> sorted = [] {
    std::vector<std::shared_ptr<const Task>> out = tasks_by_file();
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return place(a) < place(b); });
    return out;
  }();
  return sorted;
}

Result<std::shared_ptr<const Task>> find_task(std::string_view name) {
  std::string known;
  for (const auto& task : tasks()) {
    if (task->name() == name) return task;
    known += (known.empty() ? "" : ", ") + std::string(task->name());
  }
  return fail(Code::not_found, "error.train.no_task", {in_quotes(name), known});
}

}  // namespace attnscope
