// The pieces that network maps are laid out with: boxes one below the other, sums on the stream, ribbons and
// lanes between them. Private to app/network_*.cpp.
#pragma once

#include <initializer_list>

#include "app/panels/network/network_layout.h"

namespace attnscope::network {

using Kinds = std::initializer_list<StepKind>;
using Roles = std::initializer_list<StepRole>;

inline constexpr float kPart = 28.f, kTwoLines = 36.f, kGap = 8.f,
                       kShape = 17.f;                      // heights: a box, a gap, a line under a box
inline constexpr float kStream = 12.f, kBlockLeft = 28.f;  // middle of the stream, left edge of blocks

inline Hue projection_hue(int i) { return i == 0 ? Hue::query : i == 1 ? Hue::key : Hue::value; }

/// Puts boxes of one stack; `y` is where the next one goes.
class Pen {
 public:
  Pen(const RunResult& run, int sequence, NetworkLayout& layout)
      : run_(run), trace_(run.trace(sequence)), layout_(layout) {}

  const Trace& trace() const { return trace_; }
  /// The steps of these kinds, or with these roles, that the run has, in the order given; a norm's result
  /// before its divisor.
  std::vector<Site> present(Kinds kinds, int layer, Part part = Part::attn) const;
  std::vector<Site> present(Roles roles, int layer) const;
  bool has(StepKind kind, int layer) const { return !present({kind}, layer).empty(); }
  /// A box for steps of the run; null where there are none. y moves under it.
  NetworkBox* part(const char* key, Hue hue, std::vector<Site> sites, float x, float w, bool shape = false);
  /// One of Q, K, V.
  NetworkBox* projection(int i, int layer, Part part, float x, float w, bool shape = false);
  void ribbon(float x0, float y0, float x1, float y1, Hue hue) {
    layout_.ribbons.push_back({x0, y0, x1, y1, hue});
  }
  void lane(std::vector<NetworkPoint> points, Hue hue) { layout_.lanes.push_back({std::move(points), hue}); }
  /// A sum on the stream at `at_y`, fed from `from_x`; alone where the skip path was `cut`.
  void sum(std::vector<Site> sites, float from_x, float at_y, Hue hue, bool cut);
  /// One or more whole blocks in one line, from `layer` on.
  void folded(int layer, int count, float x, float w, float h);
  NetworkBox& box(NetworkBox box);
  /// Of the weights whose products are these steps.
  std::int64_t parameters(const std::vector<Site>& sites) const;
  Site first_of(int layer) const;

  Stack stack = Stack::single;
  float y = 4;

 private:
  void add_present(const Step& step, int layer, Part part, std::vector<Site>& found) const;

  const RunResult& run_;
  const Trace& trace_;
  NetworkLayout& layout_;
};

/// The bare attention module, spread over `room` units between boxes.
void lay_module(Pen& pen, float width, float room);
/// The open block between `left` and `left + width`. `handed`: where lanes of the encoder come in (x of K's
/// and of V's; 0: none).
void lay_block(Pen& pen, int layer, float left, float width, float handed, NetworkLayout& layout);

}  // namespace attnscope::network
