// What a step holds on the average of many runs: one vector for every position, or one for each. What places
// are set to where they are knocked out by their mean over a data set. Errors: steps without a value of their
// own rows, runs of different lengths where each position has its own mean.
#pragma once

#include <map>
#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

class StepMeans {
 public:
  /// `by_pos`: each position has its own mean, over runs of one length.
  explicit StepMeans(bool by_pos) : by_pos_(by_pos) {}

  /// The sums over one run's real positions, of every editable step that `steps` selects.
  Result<StepMeans> of_run(const Trace& run, const Selector& steps) const;
  /// Adds those of another run. Errors: steps of other sizes.
  Status add(const StepMeans& run);
  /// The mean as a whole step of that run: the same in every row, or each row's own. Errors: a step that was
  /// not summed, or of other sizes.
  Result<Tensor> of(const Record& record) const;

 private:
  struct Sums {
    std::vector<std::int64_t> shape;  ///< of the step; one row where positions share a mean
    std::vector<double> sums;
    std::vector<std::int64_t> rows;  ///< how many were added: of all, or of each position
  };
  bool by_pos_;
  std::map<Site, Sums> steps_;
};

}  // namespace attnscope
