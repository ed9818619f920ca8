#include "core/tensor/tensor_hash.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <vector>

#include "core/base/hash.h"
#include "core/base/thread_pool.h"

namespace attnscope {
namespace {

constexpr std::int64_t kHashPiece = std::int64_t{1} << 14;  // values that are expanded at once

// A bijection of 64 bits (the end of MurmurHash3): for one place, two values never give the same.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 32)) * 0xff51afd7ed558ccdull;
  return x ^ (x >> 29);
}

// The sum over values of the hash of value and place: it does not matter in which order they are read, so
// that a transposed view is read as it lies in memory.
std::uint64_t sum_of(const float* values, std::int64_t count, std::int64_t stride, std::uint64_t place,
                     std::uint64_t place_step) {
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15ull;  // 2^64 / golden ratio: neighbours lie far apart
  std::uint64_t sum = 0;
  place *= kSpread, place_step *= kSpread;
  for (std::int64_t i = 0; i < count; ++i, place += place_step)
    sum += mixed(place + std::bit_cast<std::uint32_t>(values[i * stride]));
  return sum;
}

// A tensor with the axes in the order of memory, and the step of the row-major place along each of them.
struct AsItLies {
  Tensor tensor;
  std::vector<std::uint64_t> steps;
};

AsItLies as_it_lies(const Tensor& tensor) {
  const int rank = tensor.rank();
  std::vector<std::uint64_t> steps(static_cast<std::size_t>(rank), 1);
  for (int d = rank - 1; d-- > 0;)
    steps[static_cast<std::size_t>(d)] =
        steps[static_cast<std::size_t>(d) + 1] * static_cast<std::uint64_t>(tensor.size(d + 1));
  std::vector<int> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return tensor.stride(a) > tensor.stride(b); });
  AsItLies out{tensor, {}};
  if (rank == 2) out.tensor = tensor.permute({order[0], order[1]});
  if (rank == 3) out.tensor = tensor.permute({order[0], order[1], order[2]});
  if (rank == 4) out.tensor = tensor.permute({order[0], order[1], order[2], order[3]});
  for (const int d : order) out.steps.push_back(steps[static_cast<std::size_t>(d)]);
  return out;
}

std::uint64_t sum_of(const Tensor& tensor, const std::vector<std::uint64_t>& steps, std::size_t axis,
                     std::uint64_t place) {
  const std::int64_t size = tensor.size(0);
  std::uint64_t sum = 0;
  if (tensor.rank() > 1) {
    for (std::int64_t i = 0; i < size; ++i)
      sum +=
          sum_of(tensor.select(0, i), steps, axis + 1, place + static_cast<std::uint64_t>(i) * steps[axis]);
    return sum;
  }
  if (!tensor.is_encoded()) return sum_of(tensor.data(), size, tensor.stride(0), place, steps[axis]);
  std::vector<float> piece(static_cast<std::size_t>(std::min(size, kHashPiece)));
  for (std::int64_t i = 0; i < size; i += kHashPiece) {
    const std::int64_t end = std::min(size, i + kHashPiece);
    tensor.slice(0, i, end).read(piece.data());
    sum += sum_of(piece.data(), end - i, 1, place + static_cast<std::uint64_t>(i) * steps[axis], steps[axis]);
  }
  return sum;
}

std::uint64_t sum_of(const Tensor& tensor) {
  const AsItLies lies = as_it_lies(tensor);
  const std::int64_t rows = lies.tensor.size(0), row = std::max<std::int64_t>(1, tensor.count() / rows);
  if (tensor.rank() == 1) return sum_of(lies.tensor, lies.steps, 0, 0);
  std::atomic<std::uint64_t> sum{0};
  parallel_for(rows, std::max<std::int64_t>(1, kHashPiece / row), [&](std::int64_t begin, std::int64_t end) {
    sum += sum_of(lies.tensor.slice(0, begin, end), lies.steps, 0,
                  static_cast<std::uint64_t>(begin) * lies.steps[0]);
  });
  return sum;
}

}  // namespace

std::uint64_t hash_of(const Tensor& tensor) {
  Hash hash;
  for (const std::int64_t size : tensor.sizes()) hash.take(static_cast<std::uint64_t>(size));
  return mixed(hash.value() + (tensor.count() > 0 ? sum_of(tensor) : 0));
}

}  // namespace attnscope
