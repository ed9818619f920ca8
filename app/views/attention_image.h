// Attention painted back over the image: the weights of one query on the patches that are its keys. A click
// on a patch chooses it as the query, where patches are queries too. Refuses attention without patches.
#pragma once

#include "app/views/attention_common.h"
#include "app/views/attention_pane.h"
#include "core/lens/patches.h"
#include "core/session/training_arm.h"

namespace attnscope {

class ImagePane {
 public:
  /// True where keys of this attention are patches of an image of this run.
  bool possible(const ViewContext& context, const AttentionScene& scene);
  /// `query` is the row whose weights are shown, `key` the one to light (-1: none). The event's query is the
  /// patch that was clicked, its key the one under the pointer.
  PairEvent draw(const ViewContext& context, const AttentionScene& scene, std::int64_t query,
                 std::int64_t key, ImVec2 position, ImVec2 size);

 private:
  void follow(const ViewContext& context, const AttentionScene& scene, std::int64_t query);

  std::uint64_t places_key_ = 0, key_ = 0;
  PatchRows queries_, keys_;
  Tensor weights_;  ///< [patch row, patch column]
  float most_ = 0, sum_ = 0;
  std::vector<PathPoint> way_;  ///< of the hand, by the sequence's last tokens
};

}  // namespace attnscope
