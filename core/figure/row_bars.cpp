#include "core/figure/row_bars.h"

#include <algorithm>
#include <cmath>

namespace attnscope::figure {

void draw_other_bars(const MatrixMark& matrix, std::int64_t row, const std::vector<int>& shown,
                     PixelRect rect, Drawing& out) {
  std::vector<double> others;
  for (std::int64_t col = 0; col < matrix.values.size(1); ++col) {
    const auto value = static_cast<double>(matrix.values.at(row, col));
    if (std::isfinite(value) && std::find(shown.begin(), shown.end(), static_cast<int>(col)) == shown.end())
      others.push_back(value);
  }
  const double most = matrix.row(row).most;
  const auto bars = std::min<std::size_t>(others.size(), static_cast<std::size_t>(std::max(1.f, rect.w / 2)));
  const float wide = rect.w / static_cast<float>(std::max<std::size_t>(1, bars)),
              middle = rect.y + rect.h / 2;
  for (std::size_t bar = 0; bar < bars; ++bar) {  // the largest of those that share one
    double value = 0;
    for (std::size_t at = bar * others.size() / bars; at < (bar + 1) * others.size() / bars; ++at)
      if (std::abs(others[at]) > std::abs(value)) value = others[at];
    const float tall =
        rect.h / 2 * static_cast<float>(std::min(1.0, most > 0 ? std::abs(value) / most : 0.0));
    out.rect({rect.x + wide * static_cast<float>(bar), value > 0 ? middle - tall : middle,
              std::max(1.f, wide - 1), tall},
             value > 0 ? out.colours().positive : out.colours().negative);
  }
}

void draw_row_bar(const MatrixMark::Row& row, double value, PixelRect cell, const PlacedPart& placed,
                  Drawing& out) {
  const float room = placed.bars - 6, wide = std::min(cell.w * 0.6f, room),
              bottom = placed.cells.bottom() + placed.bars;
  const double share = std::isfinite(value) && row.most > 0 ? std::clamp(value / row.most, 0.0, 1.0) : 0;
  const float tall = std::max(1.f, room * static_cast<float>(share));
  out.rect({cell.x + (cell.w - wide) / 2, bottom - tall, wide, tall}, out.colours().ink(Ink::accent));
  out.shapes.back().grows = true;
  out.rect({cell.x - 1, bottom - 1, cell.w + 2, 1}, out.colours().frame);
}

}  // namespace attnscope::figure
