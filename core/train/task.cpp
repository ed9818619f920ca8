#include "core/train/task.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::array<std::string_view, 7> kOrder{"storyteller", "storyteller-llama", "induction", "sorter",
                                                 "translator",  "gap-filler",        "pilot"};

std::ptrdiff_t place(const std::shared_ptr<const Task>& task) {
  return std::find(kOrder.begin(), kOrder.end(), task->name()) - kOrder.begin();
}

}  // namespace

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
