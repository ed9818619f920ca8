// A fully masked row: the result of softmax by the plain formula (NaN), with a large negative number instead
// of -infinity, and as this program does it. Errors: a recording without scores.
#pragma once

#include "app/views/mask_board.h"
#include "core/lens/masked_softmax.h"

namespace attnscope {

class MaskBlind {
 public:
  void draw(const ViewContext& context, const AttentionScene& scene, const MaskSummary& summary,
            ImVec2 position, ImVec2 size);

 private:
  void compute(const AttentionScene& scene, const Site& entering, std::int64_t query, std::int64_t keys);
  float draw_rows(const ViewContext& context, const AttentionScene& scene, ImVec2 position, ImVec2 size);

  std::uint64_t key_ = 0;
  Tensor scores_, weights_;  ///< [2, key] and [3, key]
  ValueRange range_;
};

}  // namespace attnscope
