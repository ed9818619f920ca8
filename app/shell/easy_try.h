// The card of the easy window with one thing to try: a sentence, "show me" that does it, and the next one.
#pragma once

#include <vector>

#include "app/figure/figure_box.h"
#include "app/look/kept_text.h"
#include "app/shell/own_try.h"
#include "app/shell/try_hand.h"
#include "app/state/frame_state.h"
#include "core/base/computed.h"
#include "core/session/try_this.h"

namespace attnscope {

class EasyTry {
 public:
  /// Reads the things to try of what is open, and looks at the place of the first where the document is as it
  /// was opened. Once per frame.
  void follow(FrameState& state, const RunResult& run);
  /// Height of the card in pixels; 0: there is nothing to try.
  float height() const;
  void draw(FrameState& state, const RunResult& run, ImVec2 at, float width);
  /// Of the line that says what is shown on a projector; 0 where nothing is.
  float presented_height(const FrameState& state);
  void draw_presented(FrameState& state, const RunResult& run, ImVec2 at, float width);
  /// The hand that shows the thing goes on; after the picture was drawn. `still`: nothing moves in it.
  void play(FrameState& state, const RunResult& run, const FigureBox& box, bool still);

 private:
  void begin(const FrameState& state);
  void follow_text(const FrameState& state, const RunResult& run);
  /// What is offered; null while it is made.
  const TryThis* now() const;
  std::uint64_t of_thing() const { return own_ ? ~made_.serial() : now_ + 1; }  ///< a key
  Document subject(const FrameState& state) const;
  static void look(FrameState& state, const TryThis& thing, const RunResult& run);
  void show(FrameState& state);
  void toggle(FrameState& state);
  void finish(FrameState& state);
  void go_on(FrameState& state, const RunResult& run, const FigureBox& box, bool still);
  void set_out(const RunResult& run, const FigureBox& box, const Cursor& cursor);
  void next(FrameState& state);
  void suit(const FrameState& state);
  /// It was done: by "show me", or by hand.
  bool shown(const FrameState& state);
  bool elsewhere(const RunResult& run) const;
  bool changed_here(const RunResult& run);
  const TryOutcome* outcome(const FrameState& state);
  std::int64_t row_not_shown(const FrameState& state, const RunResult& run) const;
  void draw_words(FrameState& state, const RunResult& run, ImVec2 at, ImVec2 end);

  std::vector<TryThis> things_;
  Input first_;  ///< what is read as it was opened: things_ change that
  std::size_t now_ = 0;
  OwnTry made_;                 ///< for a text of one's own
  bool own_ = false;            ///< that is offered
  std::string view_;            ///< in the frame before
  std::uint64_t opened_ = 0;    ///< Session::opened_version() + 1 of things_
  std::uint64_t shown_at_ = 0;  ///< the undo point after "show me"; 0: not shown
  TryHand hand_;
  std::string gesture_;  ///< of the edits that the hand makes: they are one undo point
  int gestures_ = 0;
  float share_ = 0;                           ///< of the change that was asked for last
  float waited_ = 0;                          ///< seconds, for the picture
  std::optional<Document> before_, changed_;  ///< while the hand plays
  std::shared_ptr<const Trace> run_before_;
  ImVec2 button_;            ///< "show me", where the hand begins
  bool begun_ = false;       ///< in this frame: the key that began it does not end it
  bool presents_ = false;    ///< it was shown on a projector
  bool alone_ = false;       ///< nothing else was changed when it was played: closing need not ask
  bool ends_press_ = false;  ///< the press that ended the hand still lasts
  bool looks_ = false;       ///< the cursor goes to the thing when what it says has run
  Computed<Result<TryOutcome>> outcome_;
  Kept<bool> by_hand_;        ///< the document is what "show me" makes of it
  Kept<bool> edited_;         ///< the run is not that of what was opened
  bool told_edited_ = false;  ///< the sentence says so
  KeptText sentence_, came_;
};

}  // namespace attnscope
