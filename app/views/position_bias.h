// The page of models with a bias per distance between query and key on the scores: T5's buckets or ALiBi's
// slopes. Shows the table or slopes, the bias of one head for each pair of this input, and against the
// distance. Computed in core/lens.
#pragma once

#include "app/views/attention_common.h"
#include "core/lens/positions.h"

namespace attnscope {

class BiasPage {
 public:
  /// True if self-attention of this stack has a score bias in this run.
  static bool possible(const Trace& trace, Stack stack, int layer);
  void draw(const ViewContext& context, ImVec2 at, ImVec2 room);
  /// True if some query attends to a later key: ALiBi raises those scores.
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

  AttentionScene scene_;  ///< current block and head
  std::uint64_t key_ = 0;
  ScoreBias bias_;
  std::vector<BucketRange> ranges_;
  Tensor table_;   ///< [range, head]: rows of the table ordered by distance
  Tensor matrix_;  ///< [query, key] of the current head, -inf = masked
  bool ahead_ = false;
  ValueRange range_;
  MatrixWindow window_;
  std::int64_t lit_distance_ = 0;  ///< hovered key - query in the last frame
  bool lit_ = false, next_lit_ = false;
};

}  // namespace attnscope
