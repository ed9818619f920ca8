// The texts of a data set in which heads and neurons are strongest, line by line, for the command line and
// the window. Errors: those of a prompt, with line and column.
#pragma once

#include <functional>

#include "core/lens/strongest.h"
#include "core/session/data_runs.h"

namespace attnscope {

/// One answer for each of `places`, with at most `most` texts of each kind. `shown`: after each prompt, what
/// is known by now; it returns whether to go on (else Code::cancelled).
Result<std::vector<Strongest>> strongest_texts(
    DataRuns& data, const std::vector<StrengthPlace>& places, std::size_t most,
    const std::atomic<bool>* cancel = nullptr,
    const std::function<bool(const std::vector<Strongest>&)>& shown = {});

/// A histogram in round numbers, for bars: bin by bin from the least value to the largest, empty ones too.
struct HistogramBar {
  double from = 0, to = 0;
  std::int64_t n = 0;
};
inline constexpr std::int64_t kMostBars = 32;
std::vector<HistogramBar> histogram_bars(const ValueBins& bins, std::int64_t most = kMostBars);

}  // namespace attnscope
