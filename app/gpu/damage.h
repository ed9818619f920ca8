// Damage tracking: which pixels differ from the frame drawn before. ImGui rebuilds its draw lists every
// frame, but with a software rasteriser pixels cost the most. The picture is divided into tiles; each keeps a
// hash of everything drawn over it, in order. Draws nothing.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <span>
#include <vector>

namespace attnscope {

/// Framebuffer pixels from the upper left corner; x1 and y1 are exclusive.
struct PixelRect {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  bool empty() const { return x1 <= x0 || y1 <= y0; }
  std::int64_t area() const { return empty() ? 0 : std::int64_t{x1 - x0} * (y1 - y0); }
};
PixelRect common(const PixelRect& a, const PixelRect& b);
PixelRect around(const PixelRect& a, const PixelRect& b);

/// Adds a value to a 64-bit hash; the order of values matters.
inline std::uint64_t summed(std::uint64_t sum, std::uint64_t value) {
  sum = (sum ^ value) * 0x9E3779B97F4A7C15ull;
  return sum ^ (sum >> 29);
}

/// First member of the data of every callback in a draw list: a hash of the state that the callback sets for
/// the commands after it.
struct CallbackState {
  std::uint64_t sum = 0;
};
/// Marks the contents of a texture as changed.
void note_texture_contents(unsigned texture);

class Damage {
 public:
  /// Compares a frame of width x height framebuffer pixels with the one drawn before. `rest`: a hash of all
  /// other inputs of the pixels.
  void follow(const ImDrawData& drawn, int width, int height, std::uint64_t rest);
  /// Marks everything as damaged without comparing, for this frame and the next.
  void take_all(int width, int height) {
    tiles_.clear();
    whole_ = true;
    rects_.assign(1, {0, 0, width, height});
  }
  /// Drops the hashes: the framebuffer holds something else, so the next frame is redrawn completely.
  void forget() { tiles_.clear(); }

  /// The rectangles to redraw, without overlap; empty: nothing changed.
  std::span<const PixelRect> rects() const { return rects_; }
  bool whole() const { return whole_; }
  /// The pixels that one draw command touches, by indices of list and command.
  const PixelRect& touched(int list, int command) const {
    return touched_[static_cast<std::size_t>(first_[static_cast<std::size_t>(list)] + command)];
  }

  /// The clip rectangle of a command in pixels, rounded as ImGui's OpenGL backend does.
  static PixelRect clip_of(const ImDrawCmd& command, int height);

 private:
  void add(const ImDrawList& list, const ImDrawCmd& command, const PixelRect& clip, std::uint64_t state,
           PixelRect& touched);
  void find_rects(int width, int height);
  int columns_ = 0, rows_ = 0;
  bool whole_ = true;
  std::vector<std::uint64_t> tiles_, before_;
  std::vector<PixelRect> rects_, touched_;
  std::vector<int> first_;  // for each list: index of its first command in touched_
};

}  // namespace attnscope
