// The tour of a first start: eight stops, each a frame around a named item and one sentence. It can be left
// at any stop, and is found again in Help. Refuses to point at what is not on screen: its card then stands
// alone.
#pragma once

#include <span>

#include "app/state/frame_state.h"

namespace attnscope {

/// The item that a stop points at (item_map.h), and the string key of its sentence.
struct TourStop {
  const char *item, *text;
};
std::span<const TourStop> tour_stops();

class Tour {
 public:
  /// Begins when state.ask_tour asks for it; draws the stop over the frame. Once per frame, after all else.
  void draw(FrameState& state);
  bool running() const { return stop_ >= 0; }

 private:
  void draw_card(bool fresh);
  int stop_ = -1;
};

}  // namespace attnscope
