// Continuations from a position side by side: greedy, several seeds, beam search as a tree, and the contrast
// with the pinned run. Computed by core/sample in a background job.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/views/view.h"
#include "core/base/computed.h"
#include "core/sample/beam.h"
#include "core/sample/chances.h"

namespace attnscope {

/// A continuation with the log probability of each token.
struct Strand {
  std::string id;    ///< "greedy", "seed_3"
  std::string name;  ///< displayed name
  std::vector<int> ids;
  std::vector<double> log_probs;  ///< nats, at temperature 1
  double sum = 0;                 ///< sum of log_probs
};
struct Ways {
  std::vector<Strand> strands;
  BeamSearch beams;
  int beam_count = 0;
  std::vector<Contrast> contrast;  ///< of the first token; empty without a pinned run of equal vocabulary
  bool pinned = false;
  std::optional<Error> error;
};

class OutputWays {
 public:
  /// For row `pos` of the cursor's sequence. Returns the chosen continuation, in the frame of the click.
  std::optional<std::vector<int>> draw(const ViewContext& context, std::int64_t pos, ImVec2 at, ImVec2 room);
  void leave() { ways_.cancel(); }

 private:
  Made<Ways> ways(const ViewContext& context, std::int64_t pos);
  std::optional<std::vector<int>> draw_strands(const ViewContext& context, const Ways& ways, ImVec2 at,
                                               ImVec2 room) const;
  std::optional<std::vector<int>> draw_tree(const ViewContext& context, const Ways& ways, ImVec2 at,
                                            ImVec2 room) const;

  int beams_ = 3;
  Computed<Ways> ways_;
};

}  // namespace attnscope
