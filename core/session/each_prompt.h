// Something computed of every prompt of a data set, several at a time, and taken in the order of the lines:
// the same result on any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/session/data_set.h"

namespace attnscope {

/// Prompts for every thread, so that few threads wait for the slowest.
inline constexpr std::size_t kPromptsEach = 4;

/// `lines()` gives the next line, null after the last (DataReader::next). `work(const DataLine&) ->
/// Result<T>` runs on any thread; `take(const DataLine&, T) -> Status` one at a time, line by line, so many
/// prompts of every thread
/// (`each`) after each other. Errors:
/// the first in the order of the lines.
template <class T, class Lines, class Work, class Take>
Status each_prompt(Lines lines_of, Work work, Take take, std::size_t each = kPromptsEach) {
  const auto many = static_cast<std::size_t>(thread_count()) * each;
  for (bool more = true; more;) {
    std::vector<DataLine> lines;
    std::optional<Error> ends;  // behind the lines before it
    while (lines.size() < many && more) {
      auto line = lines_of();
      if (!line) ends = line.error();
      more = line && *line;
      if (more) lines.push_back(std::move(**line));
    }
    std::vector<std::optional<Result<T>>> made(lines.size());
    std::atomic<std::size_t> next{0};
    // A single prompt has the threads to itself: what is inside of a loop runs alone.
    parallel_for(std::min<std::int64_t>(thread_count(), std::ssize(lines)), 1,
                 [&](std::int64_t, std::int64_t) {
                   for (std::size_t i = next++; i < lines.size(); i = next++) made[i].emplace(work(lines[i]));
                 });
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!*made[i]) return made[i]->error();
      TRY_OK(take(lines[i], *std::move(*made[i])));
    }
    if (ends) return *ends;
  }
  return Done{};
}

}  // namespace attnscope
