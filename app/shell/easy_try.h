// The card of the easy window with one thing to try: a sentence, "show me" that does it, and the next one.
#pragma once

#include <vector>

#include "app/look/kept_text.h"
#include "app/state/frame_state.h"
#include "core/base/computed.h"
#include "core/session/try_this.h"

namespace attnscope {

class EasyTry {
 public:
  /// Reads the things to try of what is open, and begins with their text where the document is as it was
  /// opened. Once per frame.
  void follow(FrameState& state, const RunResult& run);
  /// Height of the card in pixels; 0: there is nothing to try.
  float height() const;
  void draw(FrameState& state, const RunResult& run, ImVec2 at, float width);

 private:
  void begin(FrameState& state);
  static void look(FrameState& state, const TryThis& thing, const RunResult& run);
  void show(FrameState& state);
  void next(FrameState& state);
  void suit(const FrameState& state);
  /// It was done: by "show me", or by hand.
  bool shown(const FrameState& state);
  bool elsewhere(const RunResult& run) const;
  const TryOutcome* outcome(const FrameState& state, const RunResult& run);
  void draw_words(FrameState& state, const RunResult& run, ImVec2 at, ImVec2 end);

  std::vector<TryThis> things_;
  std::size_t now_ = 0;
  std::string view_;            ///< in the frame before
  std::uint64_t opened_ = 0;    ///< Session::opened_version() + 1 of things_
  std::uint64_t shown_at_ = 0;  ///< the undo point after "show me"; 0: not shown
  bool looks_ = false;          ///< the cursor goes to the thing when what it says has run
  Computed<Result<TryOutcome>> outcome_;
  Kept<bool> by_hand_;  ///< the document is what "show me" makes of it
  KeptText sentence_, came_;
};

}  // namespace attnscope
