// What a mask did: the pattern of a head with the model's own mask and with this one, and how the answer
// moved. Refuses to run anything on this thread: the run with the model's own mask is a job.
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
  /// `window` is shared with the board; `query`, `key`: the cell that is lit. Returns the cell pointed at.
  MatrixEvent draw(const ViewContext& context, const AttentionScene& scene, MatrixWindow& window,
                   std::int64_t query, std::int64_t key, ImVec2 position, ImVec2 size);

  void keep(Choices& choices) { choices.of("side", side_, Side::difference); }

 private:
  enum class Side : std::uint8_t { own, now, difference };
  struct Plane {
    std::uint64_t key = 0;
    Tensor values;
    ValueRange range;
    Kept<MatrixPlot> plot;  ///< with the names of its rows and columns
  };
  std::shared_ptr<const Trace> own_run(const ViewContext& context, const AttentionScene& scene);
  void take_plane(const ViewContext& context, const AttentionScene& scene, Side side, Range rows, Range cols);
  MatrixEvent draw_side(const ViewContext& context, const AttentionScene& scene, Side side,
                        MatrixWindow& window, std::int64_t query, std::int64_t key, ImVec2 position,
                        ImVec2 size);
  void take_answer(const ViewContext& context, const AttentionScene& scene);

  Computed<std::shared_ptr<const Trace>> job_;
  std::shared_ptr<const Trace> own_;  ///< with the model's own mask; null: not there yet
  bool same_ = true;                  ///< this run has the model's own masks itself
  Side side_ = Side::now;
  std::array<Plane, 3> planes_;
  std::uint64_t answer_key_ = 0;
  std::string answer_;
};

}  // namespace attnscope
