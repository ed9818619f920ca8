// Attention drawn over the image: the weights of one query on the patches that are its keys. If patches are
// queries as well, a click makes one the query. Available only for attention whose keys are patches.
#pragma once

#include "app/views/attention_common.h"
#include "app/views/attention_pane.h"
#include "core/lens/patches.h"
#include "core/session/training_arm.h"

namespace attnscope {

class ImagePane {
 public:
  /// True if keys of this attention are patches of an image of the run.
  bool possible(const ViewContext& context, const AttentionScene& scene);
  /// `query`: row whose weights are shown; `key`: highlighted key (-1: none). Returns the clicked patch as
  /// query, the hovered one as key.
  PairEvent draw(const ViewContext& context, const AttentionScene& scene, std::int64_t query,
                 std::int64_t key, ImVec2 position, ImVec2 size);

 private:
  void follow(const ViewContext& context, const AttentionScene& scene, std::int64_t query);

  std::uint64_t places_key_ = 0, key_ = 0;
  PatchRows queries_, keys_;
  Tensor weights_;  ///< [patch row, patch column]
  float most_ = 0, sum_ = 0;
  std::vector<PathPoint> way_;  ///< of the gripper, decoded from the last tokens
};

}  // namespace attnscope
