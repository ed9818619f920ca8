// The model past the length it was trained at: it reads the text of the input again and again, and a curve
// tells how often it says the token that follows. Refuses to run on this thread.
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
    std::string error;  ///< empty: it ran
  };
  Computed<Answer> made_;
  std::int64_t times_ = 4;  ///< the trained length
};

}  // namespace attnscope
