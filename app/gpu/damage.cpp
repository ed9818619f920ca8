#include "app/gpu/damage.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <utility>

namespace attnscope {
namespace {

constexpr int kTile = 32;              // pixels
constexpr std::size_t kMostRects = 6;  // each costs one more pass over the draw commands
constexpr double kWorthWhile = 0.7;    // share of the picture: above it everything is redrawn

std::uint64_t bits_of(const void* from) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, sizeof bits);
  return bits;
}

// A vertex as a number: any change of one of its parts changes it.
std::uint64_t vertex_sum(const ImDrawVert& vertex) {
  return bits_of(&vertex.pos) * 0xC2B2AE3D27D4EB4Full ^ bits_of(&vertex.uv) * 0x165667B19E3779F9ull ^
         vertex.col * 0x27D4EB2F165667C5ull;
}

// Triangles (a, b, c), (a, c, d): the rectangles and letters that nearly everything is made of.
bool is_quad(const ImDrawIdx* corner) { return corner[3] == corner[0] && corner[4] == corner[2]; }

std::unordered_map<std::uint64_t, std::uint64_t>& uploads() {
  static std::unordered_map<std::uint64_t, std::uint64_t>
      numbers;  // contents version by GL texture name; read and written by the UI thread only
  return numbers;
}

std::uint64_t contents_of(ImTextureID id) {
  const auto texture = (std::uint64_t)id;  // NOLINT(google-readability-casting): a pointer before 1.91.4
  const auto upload = uploads().find(texture);
  return summed(texture, upload == uploads().end() ? 0 : upload->second);
}

bool touch(const PixelRect& a, const PixelRect& b) {
  return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}

// Merges the pairs of rectangles whose union adds the least area until at most `most` are left, then merges
// the ones that overlap as a result.
void join_rects(std::vector<PixelRect>& rects, std::size_t most) {
  for (;;) {
    std::int64_t least = 0;
    std::size_t one = 0, two = 0;
    for (std::size_t i = 0; i < rects.size(); ++i)
      for (std::size_t j = i + 1; j < rects.size(); ++j) {
        const std::int64_t added = around(rects[i], rects[j]).area() - rects[i].area() - rects[j].area();
        const bool must = touch(rects[i], rects[j]);
        if (!must && rects.size() <= most && added > 0) continue;
        if (two != 0 && added >= least) continue;
        least = added, one = i, two = j;
      }
    if (two == 0) return;
    rects[one] = around(rects[one], rects[two]);
    rects.erase(rects.begin() + static_cast<std::ptrdiff_t>(two));
  }
}

}  // namespace

void note_texture_contents(unsigned texture) {
  static std::uint64_t number = 0;
  uploads()[texture] = ++number;
}

PixelRect common(const PixelRect& a, const PixelRect& b) {
  return {std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)};
}

PixelRect around(const PixelRect& a, const PixelRect& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.x0, b.x0), std::min(a.y0, b.y0), std::max(a.x1, b.x1), std::max(a.y1, b.y1)};
}

PixelRect Damage::clip_of(const ImDrawCmd& command, int height) {
  const ImVec4& clip = command.ClipRect;
  const auto left = static_cast<int>(clip.x);
  const int bottom = height - static_cast<int>(static_cast<float>(height) - clip.w);
  return {left, bottom - static_cast<int>(clip.w - clip.y), left + static_cast<int>(clip.z - clip.x), bottom};
}

void Damage::follow(const ImDrawData& drawn, int width, int height, std::uint64_t rest) {
  const int columns = (width + kTile - 1) / kTile, rows = (height + kTile - 1) / kTile;
  whole_ = tiles_.empty() || columns != columns_ || rows != rows_;
  columns_ = columns, rows_ = rows;
  std::swap(tiles_, before_);
  tiles_.assign(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), rest);
  touched_.clear();
  first_.clear();
  const PixelRect all{0, 0, width, height};
  std::uint64_t set = 0;  // state hash set by the last callback
  for (int n = 0; n < drawn.CmdListsCount; ++n) {
    const ImDrawList& list = *drawn.CmdLists[n];
    first_.push_back(static_cast<int>(touched_.size()));
    for (const ImDrawCmd& command : list.CmdBuffer) {
      PixelRect& touched = touched_.emplace_back();
      if (!command.UserCallback) {
        const PixelRect clip = common(all, clip_of(command, height));
        add(list, command, clip, summed(set, contents_of(command.GetTexID())), touched);
        continue;
      }
      const auto* state = static_cast<const CallbackState*>(command.UserCallbackData);
      set = state ? state->sum : 0;  // no data: the backend's default state
    }
  }
  find_rects(width, height);
}

// Adds a command's triangles to the tiles; `touched`: bounding box of its pixels inside the clip rectangle.
void Damage::add(const ImDrawList& list, const ImDrawCmd& command, const PixelRect& clip, std::uint64_t state,
                 PixelRect& touched) {
  if (clip.empty()) return;
  state =
      summed(summed(state, static_cast<std::uint64_t>(clip.x0) << 32 | static_cast<std::uint32_t>(clip.y0)),
             static_cast<std::uint64_t>(clip.x1) << 32 | static_cast<std::uint32_t>(clip.y1));
  const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
  const ImDrawIdx* indices = list.IdxBuffer.Data + command.IdxOffset;
  for (unsigned at = 0; at + 2 < command.ElemCount;) {
    const bool quad = at + 5 < command.ElemCount && is_quad(indices + at);
    const ImDrawIdx corners[4] = {indices[at], indices[at + 1], indices[at + 2],
                                  indices[quad ? at + 5 : at + 2]};
    std::uint64_t sum = state;
    ImVec2 low(1e9f, 1e9f), high(-1e9f, -1e9f);
    for (int corner = 0; corner < (quad ? 4 : 3); ++corner) {
      const ImDrawVert& vertex = vertices[corners[corner]];
      sum = summed(sum, vertex_sum(vertex));
      low = ImVec2(std::min(low.x, vertex.pos.x), std::min(low.y, vertex.pos.y));
      high = ImVec2(std::max(high.x, vertex.pos.x), std::max(high.y, vertex.pos.y));
    }
    at += quad ? 6 : 3;
    const auto pixel = [](float place, float out) {
      return static_cast<int>(std::clamp(std::floor(place + out), -1e6f, 1e6f));
    };
    const PixelRect box =
        common(clip, {pixel(low.x, -1), pixel(low.y, -1), pixel(high.x, 2), pixel(high.y, 2)});
    if (box.empty()) continue;
    touched = around(touched, box);
    for (int row = box.y0 / kTile; row <= (box.y1 - 1) / kTile; ++row)
      for (int column = box.x0 / kTile; column <= (box.x1 - 1) / kTile; ++column) {
        std::uint64_t& tile = tiles_[static_cast<std::size_t>(row * columns_ + column)];
        tile = summed(tile, sum);
      }
  }
}

// Changed tiles as rectangles: horizontal runs, merged vertically if equal.
void Damage::find_rects(int width, int height) {
  rects_.clear();
  if (whole_) return rects_.push_back({0, 0, width, height});
  const auto dirty = [&](int column, int row) {
    const auto at = static_cast<std::size_t>(row * columns_ + column);
    return tiles_[at] != before_[at];
  };
  std::size_t above = 0;  // first rectangle that this row can extend
  for (int row = 0; row < rows_; ++row) {
    const std::size_t begin = rects_.size();
    for (int column = 0; column < columns_; ++column) {
      if (!dirty(column, row)) continue;
      const int first = column;
      while (column < columns_ && dirty(column, row)) ++column;
      const PixelRect run{first * kTile, row * kTile, std::min(width, column * kTile),
                          std::min(height, (row + 1) * kTile)};
      const auto same = std::find_if(
          rects_.begin() + static_cast<std::ptrdiff_t>(above), rects_.end(),
          [&](const PixelRect& rect) { return rect.y1 == run.y0 && rect.x0 == run.x0 && rect.x1 == run.x1; });
      if (same != rects_.end())
        same->y1 = run.y1;
      else
        rects_.push_back(run);
    }
    if (begin == rects_.size()) continue;
    while (above < begin && rects_[above].y1 < row * kTile) ++above;
  }
  if (rects_.size() > 64) {  // too many: use their bounding box
    PixelRect all;
    for (const PixelRect& rect : rects_) all = around(all, rect);
    rects_.assign(1, all);
  }
  join_rects(rects_, kMostRects);
  std::int64_t area = 0;
  for (const PixelRect& rect : rects_) area += rect.area();
  whole_ = static_cast<double>(area) > kWorthWhile * static_cast<double>(width) * static_cast<double>(height);
  if (whole_) rects_.assign(1, {0, 0, width, height});
}

}  // namespace attnscope
