// Geometry of the network map, computed from the records of a run, in units; no drawing, no input. Stacks are
// placed below each other in order of execution; lanes at the right carry encoder and vision tower outputs.
// Every box stands for steps of the run; parts that the run lacks have no box. Depends on the records only,
// not on the model's family.
#pragma once

#include <string>
#include <vector>

#include "core/session/session.h"

namespace attnscope {

struct NetworkBox {
  enum class Kind {
    part,    ///< a named box
    folded,  ///< whole blocks in one line; a click unfolds
    header,  ///< name of the unfolded block
    title,   ///< name of a stack, if there are several
    sum      ///< a round "+" on the residual stream
  };
  Kind kind = Kind::part;
  std::string key;  ///< string key of its label: "map.scores"
  Stack stack = Stack::single;
  int layer = -1;  ///< of its block
  Hue hue = Hue::norm;
  float x = 0, y = 0, w = 0, h = 0;  ///< units
  Site target;                       ///< where a click moves the cursor
  std::vector<Site> sites;           ///< steps of the run in this box
  std::string shape;                 ///< below the box, batch first; empty: none
  std::string sizes;                 ///< in the box: "8×64", number of heads x d_head
  std::int64_t parameters = 0;       ///< of the weights that its steps read
  int blocks = 1;                    ///< number of blocks in a folded box, from `layer` on
  bool centred = true;               ///< label centred; false: left-aligned
  bool heads = false;                ///< shows the cursor's "layer.head"
  bool cut = false;                  ///< a sum without its skip connection: only the branch goes on

  /// True if the cursor's step is in this box.
  bool holds(const Site& site) const;
};

/// A curved connection from one box down to another.
struct NetworkRibbon {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  Hue hue = Hue::norm;
};

struct NetworkPoint {
  float x = 0, y = 0;
};
/// A connection with corners: between stacks, or from a branch to the sum.
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
  float frame_y0 = 0, frame_y1 = 0, frame_x0 = 0, frame_x1 = 0;  ///< frame of the unfolded block
  float height = 0;

  /// The box with the cursor's step, or -1.
  int box_of(const Site& site) const;
};

/// Number of parameters as text: "1.2k", "38M".
std::string short_count(std::int64_t count);

/// The unfolded block.
struct OpenBlock {
  Stack stack = Stack::single;
  int layer = 0;
};
/// `width` and `height`: available room, units; at least 160 of width are used. A bare attention module is
/// stretched or compressed to the height, within limits (0: neither).
NetworkLayout network_layout(const RunResult& run, int sequence, OpenBlock open, float width,
                             float height = 0);

}  // namespace attnscope
