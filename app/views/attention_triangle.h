// The attention of a query over three keys as a point in a triangle (2-simplex): a corner is weight 1 on one
// key, the centre is uniform. The curve shows all temperatures, an arrow the change by an edit. Needs at
// least three visible keys.
#pragma once

#include <optional>

#include "app/views/attention_common.h"
#include "app/views/choices.h"
#include "core/lens/simplex.h"

namespace attnscope {

class TrianglePane {
 public:
  void draw(const ViewContext& context, const AttentionScene& scene, std::int64_t query, ImVec2 position,
            ImVec2 size);

  void keep(Choices& choices) {
    choices.of("temperature", temperature_, 0.01f, 100.f);
    choices.of("key0", keys_[0], -1, 1 << 24);
    choices.of("key1", keys_[1], -1, 1 << 24);
    choices.of("key2", keys_[2], -1, 1 << 24);
  }

 private:
  void take_row(const ViewContext& context, const AttentionScene& scene, std::int64_t query);
  void draw_keys(const ViewContext& context, const AttentionScene& scene, ImVec2 at, float width);
  void draw_figure(const ViewContext& context, const AttentionScene& scene, ImVec2 at, ImVec2 room) const;

  std::uint64_t key_ = 0, subject_ = 0;
  std::optional<AttentionRow> row_;
  std::optional<SimplexPoint> older_;  ///< of the run to compare with
  std::vector<std::int64_t> strongest_;
  ThreeKeys keys_{-1, -1, -1};
  std::vector<SimplexPoint> way_;  ///< over temperatures
  std::int64_t query_ = 0;
  float temperature_ = 1.f;
};

}  // namespace attnscope
