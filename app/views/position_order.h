// Swaps two tokens of the input: change of every token's last vector and of the prediction, in the model as
// it is and without its positions. Runs as a background job.
#pragma once

#include "app/views/view.h"
#include "core/base/computed.h"
#include "core/lens/word_order.h"

namespace attnscope {

class OrderPage {
 public:
  void draw(const ViewContext& context, ImVec2 at, ImVec2 room);

  /// The model has positions that can be taken away.
  static bool possible(const RunResult& run);
  void keep(Choices& choices) {
    choices.of("order_first", first_, 0, 1 << 24);
    choices.of("order_second", second_, 0, 1 << 24);
  }

 private:
  std::uint64_t choose_words(const ViewContext& context, const Trace& trace);
  float draw_sentence(const ViewContext& context, bool swapped, ImVec2 at, float width);
  Computed<Result<WordOrder>> made_;
  std::uint64_t subject_ = 0;
  std::int64_t first_ = 0, second_ = 0;
  bool next_is_first_ = true;  ///< which of the two the next click selects
};

}  // namespace attnscope
