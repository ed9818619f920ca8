// Which parts of the picture are other than they were drawn last: the frame is made anew each time, but
// pixels cost the most where a processor draws them. The picture is divided into tiles; each keeps a sum of
// all that is drawn over it, in order. Refuses to draw.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <span>
#include <vector>

namespace attnscope {

/// Pixels from the upper left corner of the picture; x1 and y1 are outside.
struct PixelRect {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  bool empty() const { return x1 <= x0 || y1 <= y0; }
  std::int64_t area() const { return empty() ? 0 : std::int64_t{x1 - x0} * (y1 - y0); }
};
PixelRect common(const PixelRect& a, const PixelRect& b);
PixelRect around(const PixelRect& a, const PixelRect& b);

/// Adds a value to a sum of 64 bits, in which the order counts.
inline std::uint64_t summed(std::uint64_t sum, std::uint64_t value) {
  sum = (sum ^ value) * 0x9E3779B97F4A7C15ull;
  return sum ^ (sum >> 29);
}

/// What the data of every callback in a draw list begins with: a sum of what it sets for the commands behind
/// it.
struct CallbackState {
  std::uint64_t sum = 0;
};
/// A texture has other contents from now on.
void note_texture_contents(unsigned texture);

class Damage {
 public:
  /// Compares what is about to be drawn, into width x height pixels from (0, 0) on, with what was drawn last.
  /// `rest`: a sum of all else that the pixels follow from.
  void follow(const ImDrawData& drawn, int width, int height, std::uint64_t rest);
  /// Without comparing: all of it is drawn, now and next time.
  void take_all(int width, int height) {
    tiles_.clear();
    whole_ = true;
    rects_.assign(1, {0, 0, width, height});
  }
  /// The picture is not what was followed: next time all of it is drawn.
  void forget() { tiles_.clear(); }

  /// The rectangles that are to be drawn anew, none over another; nothing: the picture is as it was.
  std::span<const PixelRect> rects() const { return rects_; }
  bool whole() const { return whole_; }
  /// The pixels that a command of a list touches, by their numbers.
  const PixelRect& touched(int list, int command) const {
    return touched_[static_cast<std::size_t>(first_[static_cast<std::size_t>(list)] + command)];
  }

  /// The pixels that a command's clip rectangle lets through, as the backend of OpenGL rounds it.
  static PixelRect clip_of(const ImDrawCmd& command, int height);

 private:
  void add(const ImDrawList& list, const ImDrawCmd& command, const PixelRect& clip, std::uint64_t state,
           PixelRect& touched);
  void find_rects(int width, int height);
  int columns_ = 0, rows_ = 0;
  bool whole_ = true;
  std::vector<std::uint64_t> tiles_, before_;
  std::vector<PixelRect> rects_, touched_;
  std::vector<int> first_;  // of each list among touched_
};

}  // namespace attnscope
