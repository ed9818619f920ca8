// The film strip of the easy window: play, and the stations of one token's way through the model, or of the
// way back from its loss.
#pragma once

#include <vector>

#include "app/look/kept_text.h"
#include "app/state/frame_state.h"
#include "core/view/view.h"

namespace attnscope {

class EasyFilm {
 public:
  /// Before anything of the frame is drawn from `view`: which stations there are; the keys that walk steps
  /// walk stations. `shown`: the view on the stage, whose stations these are where it has some; else those of
  /// "steps". `key`: of the run and the attention that is looked at.
  void follow(FrameState& state, const ViewState& view, const ViewSpec* shown, std::uint64_t key);
  /// The page that is looked at, of a view with stations; empty in other views.
  const std::string& page(const FrameState& state) const;
  /// Another picture stands before the first station, where the workspace names none.
  void begin_before(bool before) { before_ = before; }
  /// True where that picture is looked at.
  bool before_first(const FrameState& state) const { return before_ && now(state) < 0; }
  /// It is a station whose picture shows no head and no block.
  bool outside_blocks(const FrameState& state) const;
  /// While a bet is open: shows a view, and no station behind one of them; empty: the first.
  void hold(FrameState& state, const std::string& view, const std::string& station);
  /// Height in pixels; 0: there are no stations.
  float height() const;
  void draw(FrameState& state, ImVec2 at, float width);

 private:
  std::ptrdiff_t now(const FrameState& state) const;
  bool go(FrameState& state, int by) const;
  void draw_play(FrameState& state, ImVec2 at) const;
  bool holds(std::size_t station) const { return last_ >= 0 && static_cast<std::ptrdiff_t>(station) > last_; }

  bool before_ = false;
  std::string of_ = "steps";  ///< the view whose stations they are
  std::vector<Station> stations_;
  std::string token_;  ///< that is followed
  std::uint64_t key_ = 0;
  bool nameless_ = false;     ///< a lesson asks for their order
  bool opens_ = false;        ///< a click on the lit station opens its matrix in the full window
  std::ptrdiff_t last_ = -1;  ///< the last station that may be shown; < 0: all may
  std::string instead_;       ///< a view without a figure, in whose place the stations are shown
  KeptText title_;
  Kept<bool> large_;  ///< their letters
  KeptTexts names_;   ///< of stations, as wide as their buttons
};

}  // namespace attnscope
