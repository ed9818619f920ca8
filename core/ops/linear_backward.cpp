// Backward of products with weights and of table rows.
#include <algorithm>
#include <utility>
#include <vector>

#include "core/ops/backward.h"
#include "core/ops/columns.h"
#include "core/ops/kernels.h"
#include "core/ops/product.h"

namespace attnscope {
namespace {

// The sum of a^T b over pairs a [k, m], b [k, n] -> [m, n]: every cell is one chain through all of them in
// order.
Tensor product_of_columns(const std::vector<std::pair<Tensor, Tensor>>& pairs) {
  const Tensor &first = pairs.front().first, &second = pairs.front().second;
  const std::int64_t m = first.size(1), n = second.size(1);
  Buffer out({{first.axis(1), m}, {second.axis(1), n}});
  const auto rows_of = [](const Tensor& x) { return RowsAhead{x.data(), x.size(0), x.stride(0), x.size(1)}; };
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& [a, b] = pairs[i];
    Product product{a.data(), 1, a.stride(0), nullptr, out.data(), n, m, n, a.size(0), i > 0};
    if (i + 1 < pairs.size()) {
      product.ahead = rows_of(pairs[i + 1].first);
      product.ahead_too = rows_of(pairs[i + 1].second);
    }
    multiply(product, Right(b.data(), b.stride(0), false));
  }
  return std::move(out).freeze();
}

// The sum of all rows of dy -> [out].
Tensor sum_of_rows(const std::vector<Tensor>& all, Axis axis) {
  std::vector<const float*> rows;
  for (const Tensor& dy : all)
    for (std::int64_t row = 0; row < dy.size(0); ++row) rows.push_back(dy.data() + row * dy.stride(0));
  return column_sums(std::ssize(rows), all.front().size(1), axis,
                     [&, add = kernels().add_to_doubles](double* sums, auto row, auto begin, auto count) {
                       add(sums, rows[static_cast<std::size_t>(row)] + begin, count);
                     });
}

}  // namespace

LinearGrads linear_backward_weights(std::span<const LinearUse> uses, const Tensor& w, const Tensor& bias) {
  CHECK(!uses.empty() && w.rank() == 2);
  const bool transposed = w.stride(0) == 1 && w.size(1) > 1;
  std::vector<std::pair<Tensor, Tensor>> pairs;
  std::vector<Tensor> rows;
  for (const LinearUse& use : uses) {
    CHECK(use.dy.rank() == 2 && use.x.rank() == 2 && use.dy.size(0) == use.x.size(0));
    CHECK(use.x.size(1) == w.size(0) && use.dy.size(1) == w.size(1));
    rows.push_back(with_whole_rows(use.dy));
    pairs.emplace_back(with_whole_rows(use.x), rows.back());
    if (transposed) std::swap(pairs.back().first, pairs.back().second);
  }
  LinearGrads grads;
  grads.w = product_of_columns(pairs);
  if (transposed) grads.w = grads.w.transpose();
  grads.w = grads.w.rename({w.axis(0), w.axis(1)});  // [in, out]
  if (!bias.empty()) grads.bias = sum_of_rows(rows, bias.axis(0));
  return grads;
}

LinearGrads linear_backward(const Tensor& dy, const Tensor& x, const Tensor& w, const Tensor& bias) {
  const LinearUse use{dy, x};
  LinearGrads grads = linear_backward_weights({&use, 1}, w, bias);
  grads.x = linear(with_whole_rows(dy), w.transpose(), {}, x.axis(1));  // [pos, in]
  return grads;
}

Tensor gather_rows_backward(const Tensor& dy, const std::vector<int>& ids, std::int64_t rows) {
  CHECK(dy.rank() == 2 && dy.size(0) == static_cast<std::int64_t>(ids.size()));
  const Tensor from = with_whole_rows(dy);
  const std::int64_t width = dy.size(1);
  Buffer out({{Axis::vocab, rows}, {dy.axis(1), width}});
  std::fill(out.data(), out.data() + out.count(), 0.f);
  for (std::size_t pos = 0; pos < ids.size(); ++pos) {
    CHECK(ids[pos] >= 0 && ids[pos] < rows);
    kernels().add_row(out.data() + ids[pos] * width,
                      from.data() + static_cast<std::int64_t>(pos) * from.stride(0), width);
  }
  return std::move(out).freeze();
}

}  // namespace attnscope
