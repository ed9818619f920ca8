// Figures for tests, as views make them: planes, a row drawn large, a table, sentences.
#pragma once

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/figure/figure.h"

namespace attnscope::testing {

inline figure::MatrixMark sample_plane(std::int64_t n, const std::string& name = "word") {
  figure::MatrixMark out;
  std::vector<float> values;
  for (std::int64_t row = 0; row < n; ++row)
    for (std::int64_t col = 0; col < n; ++col)
      values.push_back(col > row ? -std::numeric_limits<float>::infinity()
                                 : static_cast<float>((row * 7 + col * 3) % 11) / 11.f);
  out.values = Tensor::from(std::move(values), {{Axis::query, n}, {Axis::key, n}});
  for (std::int64_t at = 0; at < n; ++at) out.rows.labels.emplace_back(name + std::to_string(at));
  out.cols.labels = out.rows.labels;
  out.rows.looked = static_cast<int>(n) - 1;
  return out;
}
/// The last row of a plane, strongest first.
inline figure::MatrixMark sample_row(const figure::MatrixMark& plane) {
  figure::MatrixMark out = plane;
  const std::int64_t n = plane.values.size(1);
  std::vector<float> values;
  for (std::int64_t col = 0; col < n; ++col) values.push_back(plane.values.at(n - 1, col));
  out.order.resize(static_cast<std::size_t>(n));
  std::iota(out.order.begin(), out.order.end(), 0);
  std::stable_sort(out.order.begin(), out.order.end(), [&](int a, int b) {
    return values[static_cast<std::size_t>(a)] > values[static_cast<std::size_t>(b)];
  });
  out.values = Tensor::from(std::move(values), {{Axis::query, 1}, {Axis::key, n}});
  out.rows.labels = {plane.rows.labels.back()};
  out.rows.looked = 0;
  return out;
}
inline figure::TableMark sample_table() {
  figure::TableMark out;
  double rest = 1;
  for (int at = 0; at < 8; ++at) {
    const double share = std::pow(0.5, at + 1);
    rest -= share;
    out.rows.push_back(
        {{Text("word" + std::to_string(at)), Text(figure::number_text(share, 3))}, share, {}, at == 0});
  }
  out.rest = rest, out.others = 190;
  return out;
}
inline figure::Figure sample_figure(std::int64_t n, const std::string& name = "word") {
  using figure::WordsMark;
  const figure::MatrixMark plane = sample_plane(n, name);
  return {
      "A figure",
      figure::column(
          {figure::words("title", WordsMark::As::title, {"Where does it look?"}, 2),
           figure::words("sentence", WordsMark::As::sentence,
                         {"The last word looks most at another one, with a weight that the row below says.",
                          "It looks at another one."},
                         2),
           figure::either({figure::leaf({"scores", plane, 1, {"Scores q . k", "Scores"}, "planes"}),
                           figure::leaf({"pattern", plane, 2, {"Attention pattern", "Pattern"}, "planes"}),
                           figure::leaf({"answer", sample_table(), 2, {"Next: probability", "Next"}, ""})}),
           figure::leaf({"row", sample_row(plane), 3, {"The row"}, ""}),
           figure::words("note", WordsMark::As::note, {"A note that may go."}, 1)})};
}

}  // namespace attnscope::testing
