// Building blocks of the network map's layout: boxes below each other, sums on the stream, ribbons and lanes
// between them. Private to network_*.cpp.
#pragma once

#include <initializer_list>

#include "app/panels/network/network_layout.h"

namespace attnscope::network {

using Kinds = std::initializer_list<StepKind>;
using Roles = std::initializer_list<StepRole>;

inline constexpr float kPart = 28.f, kTwoLines = 36.f, kGap = 8.f,
                       kShape = 17.f;                      // heights: a box, a gap, a line of text below
inline constexpr float kStream = 12.f, kBlockLeft = 28.f;  // centre of the stream, left edge of blocks

inline Hue projection_hue(int i) { return i == 0 ? Hue::query : i == 1 ? Hue::key : Hue::value; }

/// Adds the boxes of one stack from top to bottom; `y` is the position of the next one.
class Pen {
 public:
  Pen(const RunResult& run, int sequence, NetworkLayout& layout)
      : run_(run), sequence_(sequence), trace_(run.trace(sequence)), layout_(layout) {}

  const Trace& trace() const { return trace_; }
  /// The steps of these kinds, or with these roles, that the run has, in the order given; a norm's result
  /// before its divisor.
  std::vector<Site> present(Kinds kinds, int layer, Part part = Part::attn) const;
  std::vector<Site> present(Roles roles, int layer) const;
  bool has(StepKind kind, int layer) const { return !present({kind}, layer).empty(); }
  /// A box for steps of the run, advancing y; null if the run has none of them.
  NetworkBox* part(const char* key, Hue hue, std::vector<Site> sites, float x, float w, bool shape = false);
  /// A box for q, k or v (i = 0, 1, 2).
  NetworkBox* projection(int i, int layer, Part part, float x, float w, bool shape = false);
  void ribbon(float x0, float y0, float x1, float y1, Hue hue) {
    layout_.ribbons.push_back({x0, y0, x1, y1, hue});
  }
  void lane(std::vector<NetworkPoint> points, Hue hue) { layout_.lanes.push_back({std::move(points), hue}); }
  /// A sum on the stream at `at_y`, fed from `from_x`; without the stream from above if the skip is `cut`.
  void sum(std::vector<Site> sites, float from_x, float at_y, Hue hue, bool cut);
  /// `count` blocks from `layer` on as one folded box.
  void folded(int layer, int count, float x, float w, float h);
  NetworkBox& box(NetworkBox box);
  /// Number of parameters of the weights that these steps read.
  std::int64_t parameters(const std::vector<Site>& sites) const;
  Site first_of(int layer) const;

  Stack stack = Stack::single;
  float y = 4;

 private:
  void add_present(const Step& step, int layer, Part part, std::vector<Site>& found) const;

  const RunResult& run_;
  int sequence_;
  const Trace& trace_;
  NetworkLayout& layout_;
};

/// A bare attention module; distributes `room` units between the boxes.
void lay_module(Pen& pen, float width, float room);
/// The unfolded block between `left` and `left + width`. `handed`: x at which the lanes for K and V come in
/// from the encoder; 0: none.
void lay_block(Pen& pen, int layer, float left, float width, float handed, NetworkLayout& layout);

}  // namespace attnscope::network
