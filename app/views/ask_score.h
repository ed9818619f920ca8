// One attention score as a table of (source of the query) x (source of the key); its cells add up to the
// score. Computed in core/lens.
#pragma once

#include <string>

#include "app/views/view.h"
#include "core/base/computed.h"
#include "core/lens/attribution.h"

namespace attnscope {

class AskScore {
 public:
  /// The score of one cell of a pattern, drawn into the rectangle at `at`.
  void draw(const ViewContext& context, const Site& pattern, std::int64_t head, std::int64_t query,
            std::int64_t key, ImVec2 at, ImVec2 room);

 private:
  Computed<Result<ScoreSplit>> split_;
};

/// Name of the source of a part of the residual stream: "embedding", "attention 0", "MLP 1", "ln1.bias".
std::string source_words(const std::string& name);

}  // namespace attnscope
