// The page of models that add a number for the distance between query and key to every score: T5's buckets
// and ALiBi's slopes. The table or the slopes, what one head adds to each pair of this input, and the same
// against the distance. Refuses to compute: core/lens does.
#pragma once

#include "app/views/attention_common.h"
#include "core/lens/positions.h"

namespace attnscope {

class BiasPage {
 public:
  /// True where self-attention of this stack adds a bias in this run.
  static bool possible(const Trace& trace, Stack stack, int layer);
  void draw(const ViewContext& context, ImVec2 at, ImVec2 room);
  /// Some query sees a key after it: ALiBi raises those scores.
  bool looks_ahead(const ViewContext& context) { return follow(context) && ahead_; }

 private:
  bool follow(const ViewContext& context);
  void draw_table(const ViewContext& context, ImVec2 at, ImVec2 room);
  void draw_slopes(const ViewContext& context, ImVec2 at, ImVec2 room);
  void draw_matrix_of_head(const ViewContext& context, ImVec2 at, ImVec2 room);
  void draw_distances(ImVec2 at, ImVec2 room);
  std::string distance_label(std::size_t range) const;
  std::string cell_text(std::int64_t query, std::int64_t key) const;
  void choose_head(const ViewContext& context, std::int64_t head) const;

  AttentionScene scene_;  ///< head and block that are shown
  std::uint64_t key_ = 0;
  ScoreBias bias_;
  std::vector<BucketRange> ranges_;
  Tensor table_;   ///< [range, head]: rows of the table in the order of distances
  Tensor matrix_;  ///< [query, key] of the head, -inf = masked
  bool ahead_ = false;
  ValueRange range_;
  MatrixWindow window_;
  std::int64_t lit_distance_ = 0;  ///< key - query under the pointer in the last frame
  bool lit_ = false, next_lit_ = false;
};

}  // namespace attnscope
