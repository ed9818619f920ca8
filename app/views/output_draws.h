// A hundred samples of the next token at every temperature: how many are right, how many are distinct.
// Sampled by core/sample in a background job.
#pragma once

#include <vector>

#include "app/views/view.h"
#include "core/base/computed.h"
#include "core/sample/chances.h"
#include "core/sample/summary.h"

namespace attnscope {

class OutputDraws {
 public:
  /// For row `pos` of the cursor's sequence, whose most likely tokens are in `summary`.
  void draw(const ViewContext& context, std::int64_t pos, const NextSummary& summary, ImVec2 at, ImVec2 room);

 private:
  struct Drawn {
    std::vector<TemperatureDraws> grid;
    TemperatureDraws now;  ///< at the current temperature
  };
  void draw_plot(const Drawn& drawn, float temperature, ImVec2 at, ImVec2 room) const;

  int right_ = -1;  ///< token that counts as right; -1: the most likely
  std::uint64_t right_of_ = 0;
  Computed<Drawn> drawn_;
};

}  // namespace attnscope
