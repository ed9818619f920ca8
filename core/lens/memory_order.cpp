#include "core/lens/memory_order.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "core/ops/ops.h"

namespace attnscope {
namespace {

constexpr int kRounds = 7;

template <class Work>
double median_us(const Work& work, const std::atomic<bool>& cancel) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  for (int round = 0; round < kRounds && !cancel; ++round) {
    const auto begin = Clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  if (times.empty()) return 0;
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

}  // namespace

MemoryOrder memory_order(const Tensor& tensor, std::int64_t batch) {
  MemoryOrder out;
  std::vector<std::int64_t> sizes;
  std::int64_t span = 1;  // numbers from one sequence to the next
  for (int d = 0; d < tensor.rank(); ++d)
    if (tensor.size(d) > 1) span = std::max(span, tensor.stride(d) * tensor.size(d));
  if (batch > 0) {
    sizes.push_back(batch);
    out.strides.push_back(span);
  }
  for (int d = 0; d < tensor.rank(); ++d) {
    sizes.push_back(tensor.size(d));
    out.strides.push_back(tensor.stride(d));
  }
  out.axes.resize(out.strides.size());
  std::iota(out.axes.begin(), out.axes.end(), 0);
  std::stable_sort(out.axes.begin(), out.axes.end(), [&](int a, int b) {
    const auto of_a = static_cast<std::size_t>(a), of_b = static_cast<std::size_t>(b);
    if (sizes[of_a] == 1 || sizes[of_b] == 1) return false;
    return out.strides[of_a] > out.strides[of_b];
  });
  out.contiguous = tensor.contiguous() && (batch <= 1 || span == tensor.count());
  const std::int64_t sequences = std::max<std::int64_t>(1, batch);
  if (!out.contiguous)
    out.copied_bytes = sequences * tensor.count() * static_cast<std::int64_t>(sizeof(float));
  return out;
}

HeadProducts time_head_products(const Tensor& x, const Tensor& w, std::int64_t heads,
                                const std::atomic<bool>& cancel) {
  HeadProducts out;
  if (heads < 1 || w.rank() != 2 || w.size(1) % heads != 0) return out;
  const std::int64_t width = w.size(1) / heads;
  Tensor all;
  std::vector<Tensor> parts(static_cast<std::size_t>(heads));
  out.together_us = median_us([&] { all = linear(x, w, {}, Axis::out); }, cancel);
  out.one_by_one_us = median_us(
      [&] {
        for (std::int64_t head = 0; head < heads; ++head)
          parts[static_cast<std::size_t>(head)] =
              linear(x, w.slice(1, head * width, (head + 1) * width), {}, Axis::out);
      },
      cancel);
  if (cancel) return out;
  for (std::int64_t head = 0; head < heads; ++head)
    out.largest_difference = std::max(
        out.largest_difference, max_abs_difference(parts[static_cast<std::size_t>(head)].packed(),
                                                   all.slice(1, head * width, (head + 1) * width).packed()));
  return out;
}

}  // namespace attnscope
