// The hand that plays a thing to try: it goes to the place, presses, drags, lets go. What it does is given as
// a share of the way; EasyTry makes the edits of it.
#pragma once

#include <imgui.h>

#include <optional>

namespace attnscope {

/// Where it presses and where it lets go; the same point where nothing is dragged. Screen pixels.
struct HandWay {
  ImVec2 from, to;
};

class TryHand {
 public:
  /// It takes this long from the first movement until it lets go, and stays a moment after that; seconds.
  static constexpr float kGoes = 0.8f, kPresses = 0.2f, kDrags = 0.8f, kLetsGo = 0.2f, kStays = 0.4f;

  /// Begins at a place on the screen, and waits there until it knows its way.
  void begin(ImVec2 at);
  void stop() { playing_ = false; }
  bool playing() const { return playing_; }
  /// It waits for its way.
  bool waits() const { return playing_ && !way_; }
  /// The way, once; what is on the screen may change under the hand later.
  void go(HandWay way) { way_ = way; }
  /// One frame later.
  void step(float seconds);
  /// How much of the change is done: 0 until it presses, 1 where it lets go.
  float share() const;
  /// It has let go: what it does is done.
  bool done() const { return playing_ && way_ && time_ >= kGoes + kPresses + kDrags; }
  /// The tip of its finger.
  ImVec2 at() const;
  /// Over everything, noted as "try_hand".
  void draw() const;

 private:
  bool pressed() const;

  std::optional<HandWay> way_;
  ImVec2 begin_;
  float time_ = 0;
  bool playing_ = false;
};

}  // namespace attnscope
