// The curves of a series of checkpoints over what is open: every checkpoint is opened once, one at a time,
// runs the document's input under its edits, and is measured. Beside the frame; what is known so far is
// shown.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/computed.h"
#include "core/session/checkpoint_curves.h"
#include "core/session/document.h"

namespace attnscope {

/// The share of held-out rows whose label a probe reads off; its `layer` is the depth, `at` the step.
inline constexpr const char* kProbeMeasure = "probe";

struct SeriesQuestion {
  std::shared_ptr<const CheckpointSeries> series;
  Document document;  ///< its first sequence is what runs
  std::vector<std::string> measures;
  std::int64_t at = -1;
  std::string probe = {};  ///< of the document's data set, as probe_prompts() takes it; empty: none
  /// The same for questions with the same answer.
  std::uint64_t key() const;
};

struct SeriesPoint {
  std::int64_t step = 0;
  std::vector<CurveValue> values;  ///< measures, then the roles of the heads, then kProbeMeasure by depth
  std::optional<Error> error;      ///< why this checkpoint is left out
};

struct SeriesCurves {
  std::uint64_t key = 0;
  std::shared_ptr<const CheckpointSeries> series;
  std::vector<std::string> measures;
  std::vector<SeriesPoint> points;  ///< as many as are known, by step
  bool done = false, stopped = false;
  std::optional<Error> error;  ///< the work itself failed
};

/// One checkpoint. The error is in the point.
SeriesPoint series_point(const SeriesQuestion& question, std::size_t member,
                         const std::atomic<bool>* cancel = nullptr);

class AskedSeries {
 public:
  void start(Workers& workers, SeriesQuestion question);
  void stop();
  bool running() const { return answer_.under_way(); }
  /// The same pointer while there is nothing new; null before the first start.
  std::shared_ptr<const SeriesCurves> newest() const { return answer_.newest(); }

 private:
  Computed<SeriesCurves> answer_;
};

}  // namespace attnscope
