// A figure of core/view as a page of a view of the window: made for what the cursor points at, and made again
// when that, the run, the room or the language changes.
#pragma once

#include <optional>

#include "app/figure/figure_box.h"
#include "app/views/view.h"
#include "core/view/view.h"

namespace attnscope {

/// The state that the cursor, the run and the sampling of the document give, at the full level.
ViewState view_state_of(const ViewContext& context);

class FigureArea {
 public:
  /// whole: as the command line draws it; picture: without question and answer, which heading and inspector
  /// have; part: one part alone, "row".
  enum class Shown : std::uint8_t { whole, picture, part };
  explicit FigureArea(const char* view, Shown shown = Shown::whole) : view_(view), shown_(shown) {}
  FigureArea(const char* view, const char* part) : view_(view), shown_(Shown::part), part_(part) {}
  /// The picture without one of its parts, which another page of the view shows.
  FigureArea(const char* view, Shown shown, const char* without)
      : view_(view), shown_(shown), part_(without) {}

  /// Fills `room`, or says why there is nothing to draw. `row` < 0: the cursor's.
  void draw(const ViewContext& context, ImVec2 at, ImVec2 room, std::int64_t row = -1);
  /// Height in pixels that the figure takes by itself in this width, at most `most.y`; 0: there is none.
  /// draw() then takes this room.
  float follow(const ViewContext& context, ImVec2 most, std::int64_t row = -1);
  const FigureBox& box() const { return box_; }

 private:
  void make(const ViewContext& context, ImVec2 room, float unit, std::int64_t row);

  const char* view_;  ///< id of core/view
  Shown shown_;
  const char* part_ = "";
  FigureBox box_;
  std::optional<Error> failed_;
  std::uint64_t key_ = 0;
  ImVec2 room_;
};

}  // namespace attnscope
