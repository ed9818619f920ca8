// The tour at the first start: eight stops, each a frame around a named item with one sentence. It can be
// closed at any stop, and started again from the Help menu. If the item is not visible, the card is shown
// alone.
#pragma once

#include <span>

#include "app/state/frame_state.h"

namespace attnscope {

/// The item of a stop (item_map.h), and the string key of its sentence.
struct TourStop {
  const char *item, *text;
};
std::span<const TourStop> tour_stops();

class Tour {
 public:
  /// Starts when state.ask_tour is set; draws the stop over the frame. Once per frame, after all else.
  void draw(FrameState& state);
  bool running() const { return stop_ >= 0; }

 private:
  void draw_card(bool fresh);
  int stop_ = -1;
};

}  // namespace attnscope
