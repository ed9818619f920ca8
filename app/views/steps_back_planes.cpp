#include "app/views/steps_back_planes.h"

#include <algorithm>

namespace attnscope {
namespace {

std::int64_t picked_plane_index(const std::vector<std::int64_t>& picks, std::int64_t at) {
  return picks.empty() ? at : picks[static_cast<std::size_t>(at)];
}

}  // namespace

PlaneSource with_picks(PlaneSource source, std::vector<std::int64_t> rows, std::vector<std::int64_t> cols) {
  if (rows.empty() && cols.empty()) return source;
  return [=](Range r, Range c) {
    Buffer out({{Axis::none, r.size()}, {Axis::none, c.size()}});
    for (std::int64_t row = r.begin; row < r.end; ++row) {
      const std::int64_t from = picked_plane_index(rows, row);
      const Tensor whole = cols.empty() ? source({from, from + 1}, c) : Tensor();
      for (std::int64_t col = c.begin; col < c.end; ++col) {
        const std::int64_t at = picked_plane_index(cols, col);
        const Tensor one = cols.empty() ? Tensor() : source({from, from + 1}, {at, at + 1});
        out.data()[(row - r.begin) * c.size() + col - c.begin] =
            cols.empty() ? whole.at(0, col - c.begin) : one.at(0, 0);
      }
    }
    return std::move(out).freeze();
  };
}

PlaneSource joined_planes(std::vector<PlaneSource> parts, std::vector<std::int64_t> sizes, bool below) {
  return [=](Range rows, Range cols) {
    Buffer out({{Axis::none, rows.size()}, {Axis::none, cols.size()}});
    const Range along = below ? rows : cols;
    std::int64_t first = 0;
    for (std::size_t i = 0; i < parts.size(); first += sizes[i++]) {
      const Range own{std::max(along.begin, first) - first, std::min(along.end, first + sizes[i]) - first};
      if (own.size() <= 0) continue;
      const Tensor part = below ? parts[i](own, cols) : parts[i](rows, own);
      const std::int64_t down = below ? first + own.begin - rows.begin : 0,
                         right = below ? 0 : first + own.begin - cols.begin;
      for (std::int64_t row = 0; row < part.size(0); ++row)
        for (std::int64_t col = 0; col < part.size(1); ++col)
          out.data()[(down + row) * cols.size() + right + col] = part.at(row, col);
    }
    return std::move(out).freeze();
  };
}

PlaneSource plane_of(Tensor plane) {
  return [plane = std::move(plane)](Range rows, Range cols) {
    return plane.slice(0, rows.begin, rows.end).slice(1, cols.begin, cols.end);
  };
}

}  // namespace attnscope
