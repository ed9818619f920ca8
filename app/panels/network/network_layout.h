// Where the boxes of the network map stand, worked out from the records of a run: no drawing, no clicks.
// Stacks stand one below the other in the order in which they run; what an encoder or a vision tower hands
// over goes down a lane at the right. Every box stands for the steps that it holds; a part that the run lacks
// has no box. Refuses to know model families.
#pragma once

#include <string>
#include <vector>

#include "core/session/session.h"

namespace attnscope {

struct NetworkBox {
  enum class Kind {
    part,    ///< a box with a name
    folded,  ///< a whole block in one line; a click opens it
    header,  ///< the name of the open block
    title,   ///< the name of a stack, where there are several
    sum      ///< a round "+" on the residual stream
  };
  Kind kind = Kind::part;
  std::string key;  ///< of its label in the strings table: "map.scores"
  Stack stack = Stack::single;
  int layer = -1;  ///< of its block
  Hue hue = Hue::norm;
  float x = 0, y = 0, w = 0, h = 0;  ///< units
  Site target;                       ///< where a click goes
  std::vector<Site> sites;           ///< steps of the run that it stands for
  std::string shape;                 ///< under the box, batch in front; empty: none
  std::string sizes;                 ///< in the box, small: "8×64" heads and their width
  std::int64_t parameters = 0;       ///< of the weights that its steps read
  int blocks = 1;                    ///< that a folded one stands for, from `layer` on
  bool centred = true;               ///< label in the middle instead of at the left
  bool heads = false;                ///< shows the cursor's "layer.head"
  bool cut = false;                  ///< a sum whose skip path was cut: the branch alone goes on

  /// The cursor stands in this box.
  bool holds(const Site& site) const;
};

/// A curve that carries values from one box to another, downwards.
struct NetworkRibbon {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  Hue hue = Hue::norm;
};

struct NetworkPoint {
  float x = 0, y = 0;
};
/// A line with corners: what one stack hands to another, or a branch on its way to the sum.
struct NetworkLane {
  std::vector<NetworkPoint> points;
  Hue hue = Hue::norm;
};

/// The residual stream of one stack.
struct NetworkStream {
  float x = 0, y0 = 0, y1 = 0;
};

struct NetworkLayout {
  std::vector<NetworkBox> boxes;
  std::vector<NetworkRibbon> ribbons;
  std::vector<NetworkLane> lanes;
  std::vector<NetworkStream> streams;
  float frame_y0 = 0, frame_y1 = 0, frame_x0 = 0, frame_x1 = 0;  ///< around the open block
  float height = 0;

  /// The box that the cursor stands in, or -1.
  int box_of(const Site& site) const;
};

/// "1.2k", "38M": a number of parameters.
std::string short_count(std::int64_t count);

/// The block that is unfolded.
struct OpenBlock {
  Stack stack = Stack::single;
  int layer = 0;
};
/// `width` and `height` are the room in units: at least 160 of width are used; a bare module spreads over the
/// height, or moves closer together, within reason (0: neither).
NetworkLayout network_layout(const RunResult& run, int sequence, OpenBlock open, float width,
                             float height = 0);

}  // namespace attnscope
