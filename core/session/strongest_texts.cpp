#include "core/session/strongest_texts.h"

namespace attnscope {

Result<std::vector<Strongest>> strongest_texts(
    DataRuns& data, const std::vector<StrengthPlace>& places, std::size_t most,
    const std::atomic<bool>* cancel, const std::function<bool(const std::vector<Strongest>&)>& shown) {
  std::vector<Strongest> out(places.size(), Strongest(most));
  std::int64_t prompt = 0;
  using OfPrompt = std::vector<StrongText>;
  const auto work = [&](const DataLine& line) -> Result<OfPrompt> {
    TRY(const PromptRun run, data.run(line, DataSide::clean, cancel));
    OfPrompt texts;
    for (const StrengthPlace& place : places) {
      auto at = strengths_of(*run.trace, place);
      if (!at) return within(line.place(data.path()), at.error());
      texts.push_back({0, line.line, run.trace->ids_of(place.cell.site.stack), *std::move(at)});
    }
    return texts;
  };
  TRY_OK(data.through<OfPrompt>(work, [&](const DataLine&, OfPrompt texts) -> Status {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      texts[i].prompt = prompt;
      out[i].add(std::move(texts[i]));
    }
    ++prompt;
    if (shown && !shown(out)) return fail(Code::cancelled, "error.model.stopped");
    return Done{};
  }));
  return out;
}

std::vector<HistogramBar> histogram_bars(const ValueBins& bins, std::int64_t most) {
  const ValueBins wide = bins.coarse(most);
  std::vector<HistogramBar> out;
  if (wide.bins().empty()) return out;
  for (std::int64_t i = wide.bins().begin()->first; i <= wide.bins().rbegin()->first; ++i) {
    const auto found = wide.bins().find(i);
    out.push_back({static_cast<double>(i) * wide.width(), static_cast<double>(i + 1) * wide.width(),
                   found == wide.bins().end() ? 0 : found->second.n});
  }
  return out;
}

}  // namespace attnscope
