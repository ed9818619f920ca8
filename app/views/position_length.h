// Length generalisation: the input text repeated beyond the trained length, and a curve of next-token
// accuracy. Runs as a background job.
#pragma once

#include "app/views/view.h"
#include "core/base/computed.h"
#include "core/lens/length_accuracy.h"

namespace attnscope {

class LengthPage {
 public:
  void draw(const ViewContext& context, ImVec2 at, ImVec2 room);

  void keep(Choices& choices) { choices.of(times_); }

 private:
  Computed<Result<LengthAccuracy>> made_;
  /// Multiple of the trained length.
  Ranged<std::int64_t> times_{"length_times", "position.length.times", "###position_times", 1, 16, 4};
};

}  // namespace attnscope
