// Why a head looks where it looks: one score as a table of (who wrote the query) x (who wrote the key), whose
// cells add up to it. Refuses to compute: core/lens splits the score.
#pragma once

#include <string>

#include "app/views/view.h"
#include "core/base/computed.h"
#include "core/lens/attribution.h"

namespace attnscope {

class AskScore {
 public:
  /// The score of one cell of a pattern, in the rectangle at `at`.
  void draw(const ViewContext& context, const Site& pattern, std::int64_t head, std::int64_t query,
            std::int64_t key, ImVec2 at, ImVec2 room);

 private:
  Computed<Result<ScoreSplit>> split_;
};

/// "embedding", "attention 0", "MLP 1", "ln1.bias": who wrote a part of the residual stream.
std::string source_words(const std::string& name);

}  // namespace attnscope
