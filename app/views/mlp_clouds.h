// The rows of one MLP as scatter plots (PCA): before W₁, after the activation, after W₂; and how well a
// hyperplane separates two groups of positions in all dimensions.
#pragma once

#include "app/views/view.h"
#include "core/base/computed.h"
#include "core/lens/neurons.h"
#include "core/lens/pca.h"

namespace attnscope {

/// One of the three steps.
struct MlpCloud {
  Site site;
  Pca plane;
  Separation parted;
};
/// For the real (not padded) rows of a run; `group` as in separation().
std::vector<MlpCloud> mlp_clouds(const Trace& trace, const MlpPlace& place, const std::vector<int>& group);

class MlpClouds {
 public:
  void draw(const ViewContext& context, const MlpPlace& place, ImVec2 at, ImVec2 size);

 private:
  void follow(const ViewContext& context, const MlpPlace& place);
  float draw_tokens(const ViewContext& context, const MlpPlace& place, ImVec2 at, float width);

  std::uint64_t subject_ = 0;
  std::vector<int> group_;  ///< of each row: 1, 2, or 0 for none
  Computed<std::vector<MlpCloud>> made_;
  Made<std::vector<MlpCloud>> clouds_;
};

}  // namespace attnscope
