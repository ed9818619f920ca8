// Effect of a mask: the pattern of a head with the model's own mask and with the current one, and the change
// of the output. The run with the model's own mask is a background job.
#pragma once

#include <array>
#include <string>

#include "app/look/kept_text.h"
#include "app/views/attention_common.h"
#include "app/views/choices.h"
#include "core/base/computed.h"
#include "core/session/session.h"

namespace attnscope {

class MaskEffect {
 public:
  /// `window` is shared with the board; `query`, `key`: highlighted cell. Returns the hovered cell.
  MatrixEvent draw(const ViewContext& context, const AttentionScene& scene, MatrixWindow& window,
                   std::int64_t query, std::int64_t key, ImVec2 position, ImVec2 size);

  void keep(Choices& choices) { choices.of(side_); }

 private:
  enum class Side : std::uint8_t { own, now, difference };
  static constexpr Option<Side> kSides[] = {{"own", Side::own, "own", "0"},
                                            {"now", Side::now, "now", "1"},
                                            {"difference", Side::difference, "difference", "2"}};
  struct Plane {
    std::uint64_t key = 0;
    Tensor values;
    ValueRange range;
    Kept<MatrixPlot> plot;  ///< cached, with row and column names
  };
  std::shared_ptr<const Trace> own_run(const ViewContext& context, const AttentionScene& scene);
  void take_plane(const ViewContext& context, const AttentionScene& scene, Side side, Range rows, Range cols);
  MatrixEvent draw_side(const ViewContext& context, const AttentionScene& scene, Side side,
                        MatrixWindow& window, std::int64_t query, std::int64_t key, ImVec2 position,
                        ImVec2 size);
  void take_answer(const ViewContext& context, const AttentionScene& scene);

  Computed<std::shared_ptr<const Trace>> job_;
  std::shared_ptr<const Trace> own_;  ///< run with the model's own mask; null: not ready
  bool same_ = true;                  ///< the current masks are the model's own
  OneOf<Side> side_{"side", kSides, Side::now, "mask.side.", "###mask_side_"};
  std::array<Plane, 3> planes_;
  std::uint64_t answer_key_ = 0;
  std::string answer_;
};

}  // namespace attnscope
