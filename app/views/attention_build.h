// The scores of a head as a sum of outer products: one feature (d_head) of queries and keys at a time, and
// the partial sum, which ends at the scores of the run. Computed in core/lens.
#pragma once

#include <optional>

#include "app/views/attention_common.h"
#include "app/views/choices.h"
#include "core/lens/outer_products.h"

namespace attnscope {

class BuildPane {
 public:
  void draw(const ViewContext& context, const AttentionScene& scene, ImVec2 position, ImVec2 size);

  void keep(Choices& choices) { choices.of("feature", feature_, 0, 1 << 20); }

 private:
  void take_step(const ViewContext& context, const AttentionScene& scene);
  float draw_controls(const ViewContext& context, ImVec2 at, float width);
  void draw_matrices(const ViewContext& context, const AttentionScene& scene, ImVec2 at, ImVec2 room) const;

  std::uint64_t key_ = 0;
  std::optional<OuterStep> step_;
  std::string error_;
  ValueRange product_range_, sum_range_;
  Range rows_, cols_;
  std::int64_t feature_ = 0, heads_ = 1;
  bool playing_ = false;
  float walked_ = 0;  ///< features since playing started
};

}  // namespace attnscope
