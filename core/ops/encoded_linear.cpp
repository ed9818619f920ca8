#include "core/ops/encoded_linear.h"

#include <algorithm>

#include "core/ops/kernels.h"
#include "core/ops/tiles.h"

namespace attnscope {
namespace {

constexpr std::int64_t kPanelValues = 1 << 18;
constexpr std::int64_t kFewRows = 4;

// x [m, k] and the result [m, n]; the weights come by panels of columns.
struct Task {
  const float* x;
  std::int64_t ldx;
  const float* bias;  // null: none
  float* y;
  std::int64_t m, n, k;
};

void start_with_bias(const Task& task, std::int64_t col, std::int64_t width) {
  for (std::int64_t row = 0; row < task.m; ++row) {
    float* y = task.y + row * task.n + col;
    if (task.bias)
      std::copy_n(task.bias + col, width, y);
    else
      std::fill_n(y, width, 0.f);
  }
}

// panel [width, k]: rows are outputs, as Linear stores them.
void multiply_by_rows(const Task& task, const float* panel, std::int64_t col, std::int64_t width) {
  const Kernels& kernel = kernels();
  if (task.m <= kFewRows) {
    for (std::int64_t out = 0; out < width; ++out)
      for (std::int64_t row = 0; row < task.m; ++row)
        task.y[row * task.n + col + out] = kernel.dot(task.x + row * task.ldx, panel + out * task.k, task.k) +
                                           (task.bias ? task.bias[col + out] : 0.f);
    return;
  }
  start_with_bias(task, col, width);
  const Cut rows(task.m, 256, 16);
  for (std::int64_t i = 0; i < rows.count; ++i)
    kernel.gemm(task.x + rows.begin(i) * task.ldx, task.ldx, panel, task.k, true,
                task.y + rows.begin(i) * task.n + col, task.n, rows.end(i) - rows.begin(i), width, task.k);
}

// panel [k, width]: columns are outputs, as Conv1D stores them.
void multiply_by_columns(const Task& task, const float* panel, std::int64_t col, std::int64_t width) {
  const Kernels& kernel = kernels();
  start_with_bias(task, col, width);
  if (task.m <= kFewRows) {
    for (std::int64_t row = 0; row < task.m; ++row)
      kernel.gemv_columns(task.x + row * task.ldx, panel, width, task.y + row * task.n + col, task.k, width);
    return;
  }
  const Cut rows(task.m, 256, 16);
  for (std::int64_t i = 0; i < rows.count; ++i)
    kernel.gemm(task.x + rows.begin(i) * task.ldx, task.ldx, panel, width, false,
                task.y + rows.begin(i) * task.n + col, task.n, rows.end(i) - rows.begin(i), width, task.k);
}

}  // namespace

Tensor encoded_linear(const Tensor& x, const Tensor& w, const Tensor& bias, Axis out_axis) {
  CHECK(w.is_encoded() && w.rank() == 2 && x.size(1) == w.size(0));
  const Tensor rows = x.stride(1) == 1 || x.size(1) == 1 ? x : x.packed(), offset = bias.packed();
  Buffer out({{x.axis(0), x.size(0)}, {out_axis, w.size(1)}});  // [pos, out]
  const Task task{rows.data(), rows.stride(0), offset.data(), out.data(), x.size(0), w.size(1), w.size(0)};
  const bool by_rows = w.stride(0) == 1;  // [out, in] in the file
  const Cut cols(task.n, std::max<std::int64_t>(64, kPanelValues / std::max<std::int64_t>(1, task.k)), 64);
  for_each_tile(cols.count, [&](std::int64_t tile) {
    const std::int64_t col = cols.begin(tile), width = cols.end(tile) - col;
    const Tensor piece = w.slice(1, col, col + width);  // [in, some]
    std::vector<float> panel(static_cast<std::size_t>(piece.count()));
    (by_rows ? piece.transpose() : piece).read(panel.data());
    if (by_rows)
      multiply_by_rows(task, panel.data(), col, width);
    else
      multiply_by_columns(task, panel.data(), col, width);
  });
  return std::move(out).freeze();
}

}  // namespace attnscope
