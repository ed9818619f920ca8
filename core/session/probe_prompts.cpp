#include "core/session/probe_prompts.h"

#include <map>

#include "core/base/text.h"
#include "core/session/asked_measure.h"

namespace attnscope {
namespace {

// What a line says in a column.
Result<std::string> label_of(const DataLine& line, const std::string& column, const std::string& path) {
  const auto group = line.groups.find(column);
  const std::string label = column == "answer"           ? line.answer
                            : column == "wrong"          ? line.wrong
                            : group != line.groups.end() ? group->second
                                                         : "";
  if (label.empty())
    return within(line.place(path), fail(Code::not_found, "error.session.probe.column", {in_quotes(column)}));
  return label;
}

}  // namespace

Result<ProbeAnswer> probe_prompts(DataRuns& data, const std::string& what, std::int64_t at,
                                  const std::atomic<bool>* cancel,
                                  const std::function<void(const PromptRun&)>& ran) {
  std::optional<Probed> of_row;
  for (const Probed one : {Probed::token, Probed::position})
    if (what == probed_name(one)) of_row = one;
  std::vector<ProbedRun> runs;
  std::map<std::string, int> labels;
  TRY_OK(data.through<PromptRun>(
      [&](const DataLine& line) { return data.run(line, DataSide::clean, cancel); },
      [&](const DataLine& line, const PromptRun& of_line) -> Status {
        if (ran) ran(of_line);
        ProbedRun& one = runs.emplace_back();
        one.trace = of_line.trace;
        if (of_row) return Done{};
        TRY(const std::string label, label_of(line, what, data.path()));
        one.asked = at >= 0 ? at : asked_row(data.opened(), *one.trace);
        if (one.asked >= one.trace->length)
          return within(line.place(data.path()),
                        fail(Code::out_of_range, "error.session.probe.at", {one.asked, one.trace->length}));
        one.label = labels.emplace(label, static_cast<int>(labels.size())).first->second;
        return Done{};
      }));
  return probe_runs(runs, of_row);
}

}  // namespace attnscope
