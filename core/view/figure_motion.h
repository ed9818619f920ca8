// From one figure to the next: cells that both show move from their old places to the new ones, numbers made
// of the rows above them come out of these, bars grow, what else is new appears.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/figure/drawing.h"
#include "core/trace/trace.h"

namespace attnscope {

/// How one shape of a drawing gets to its place.
struct ShapeMotion {
  enum class Way : std::uint8_t { none, moves, appears } way = Way::none;
  figure::PixelRect from;    ///< of a shape that moves, in the units of the drawing
  float begin = 0, end = 1;  ///< part of the motion in which it does
};

class FigureMotion {
 public:
  static constexpr float kSeconds = 0.7f;  ///< it takes

  /// A drawing on the screen: where its units are.
  struct OnScreen {
    const figure::Figure* figure = nullptr;
    const figure::Drawing* drawing = nullptr;
    float x = 0, y = 0, unit = 1;
  };
  /// The figure that is about to go. `run`: whose cells it shows.
  void leave(const OnScreen& old, const Trace& run);
  /// The figure that came, of the same run; the motion begins.
  void enter(const OnScreen& now, const Trace& run);
  void stop() { progress_ = 1; }
  /// One frame later. True while it goes on.
  bool step(float seconds);
  bool moving() const { return progress_ < 1; }
  /// The shape as it looks at this moment.
  figure::DrawnShape at(std::size_t index, const figure::DrawnShape& shape) const;
  /// True where something moves or grows, not only appears.
  bool moves() const;

 private:
  using Place = std::pair<std::string, std::string>;  // part and cell
  std::map<Place, figure::PixelRect> places_;         // on the screen
  std::map<std::string, figure::PixelRect> cells_;    // the first of each
  std::set<std::string> parts_;
  std::vector<ShapeMotion> motions_;
  float progress_ = 1;
};

}  // namespace attnscope
