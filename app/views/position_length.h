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

  void keep(Choices& choices) { choices.of("length_times", times_, 1, 1 << 10); }

 private:
  struct Answer {
    LengthAccuracy measured;
    std::string error;  ///< empty on success
  };
  Computed<Answer> made_;
  std::int64_t times_ = 4;  ///< multiple of the trained length
};

}  // namespace attnscope
