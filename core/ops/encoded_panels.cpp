#include "core/ops/encoded_panels.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/tensor/encoded.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostColumns = 128;
constexpr std::int64_t kFewRowsDepth = 128, kManyRowsDepth = 256;
constexpr std::int64_t kFewRows = 16;
constexpr int kSecondCache = 2;  // for __builtin_prefetch

}  // namespace

// Rows of the file are columns of the product, each with steps one behind the other.
EncodedPanels::EncodedPanels(const Tensor& w) : w_(w) {
  const Encoded& code = *w.code();
  const bool by_rows = w.stride(0) == 1 && (w.size(1) == 1 || w.stride(1) == code.width());
  if (!by_rows || code.scaled()) return;
  row_ = w.code_offset() / code.width();
  at_ = w.code_offset() % code.width();
  const std::int64_t unit = kernel_.decoded_unit(code.dtype());
  if (unit > 0 && at_ % unit == 0 && at_ + w.size(0) <= code.width()) unit_ = unit;
}

std::int64_t EncodedPanels::depth(std::int64_t rows) const {
  if (unit_ == 0) return kManyRowsDepth;  // blocks are expanded whole
  return rows <= kFewRows ? kFewRowsDepth : kManyRowsDepth;
}

bool EncodedPanels::decodes(std::int64_t col, std::int64_t n, std::int64_t at, std::int64_t depth) const {
  if (unit_ == 0 || at % unit_ != 0 || depth % unit_ != 0) return false;
  const std::int64_t width = w_.code()->width();
  return !w_.code()->changed_between((row_ + col) * width, (row_ + col + n) * width);
}

void EncodedPanels::expand(std::int64_t col, std::int64_t n, std::int64_t at, std::int64_t depth, float* to,
                           std::int64_t columns) const {
  thread_local std::vector<float> values, packed;
  const Tensor piece = w_.slice(0, at, at + depth).slice(1, col, col + n);
  const bool turned = w_.stride(0) == 1;
  values.resize(static_cast<std::size_t>(depth * n));
  (turned ? piece.transpose() : piece).read(values.data());
  for (std::int64_t first = 0; first < n; first += columns, to += columns * depth) {
    const std::int64_t count = std::min(columns, n - first);
    const std::int64_t ld = (count + kernel_.width - 1) / kernel_.width * kernel_.width;
    const float* const from = values.data() + first * (turned ? depth : 1);
    packed.resize(static_cast<std::size_t>(depth * ld));
    kernel_.pack(from, turned ? depth : n, turned, packed.data(), columns, count, depth);
    for (std::int64_t i = 0; i < depth; ++i) std::copy_n(packed.data() + i * ld, ld, to + i * columns);
  }
}

// Asks for the bytes of these values: rows of a file are too many for the processor to see that each of them
// is read from its beginning to its end.
void EncodedPanels::fetch(std::int64_t col, std::int64_t n, std::int64_t at, std::int64_t depth) const {
  constexpr std::int64_t kLine = 64;  // bytes that come together
  const Encoded& code = *w_.code();
  const std::int64_t block = block_values(code.dtype()), bytes = dtype_bytes(code.dtype());
  const std::int64_t begin = (at_ + at) / block * bytes, end = (at_ + at + depth + block - 1) / block * bytes;
  for (std::int64_t j = col; j < std::min(col + n, w_.size(1)); ++j) {
    const std::uint8_t* const row = code.row(row_ + j);
    for (std::int64_t i = begin; i < end; i += kLine) __builtin_prefetch(row + i, 0, kSecondCache);
    __builtin_prefetch(row + end - 1, 0, kSecondCache);
  }
}

void EncodedPanels::pack(std::int64_t col, std::int64_t n, std::int64_t at, std::int64_t depth, float* to,
                         std::int64_t columns) const {
  if (unit_ == 0) return expand(col, n, at, depth, to, columns);
  const Encoded& code = *w_.code();
  std::array<const std::uint8_t*, kMostColumns> rows;
  for (const std::int64_t end = col + n; col < end; col += columns, to += columns * depth) {
    const std::int64_t count = std::min(columns, end - col);
    if (!decodes(col, count, at, depth)) {
      expand(col, count, at, depth, to, columns);
      continue;
    }
    const bool last = at + depth >= w_.size(0);
    fetch(last ? col + columns : col, count, last ? 0 : at + depth, depth);
    for (std::int64_t j = 0; j < count; ++j) rows[static_cast<std::size_t>(j)] = code.row(row_ + col + j);
    kernel_.decode(code.dtype(), rows.data(), count, at_ + at, depth, to);
  }
}

bool EncodedPanels::multiply_row(std::int64_t col, std::int64_t n, std::int64_t ahead, const float* x,
                                 float* y) const {
  if (!decodes(col, n, 0, w_.size(0))) return false;
  std::array<const std::uint8_t*, kMostColumns> rows;
  for (std::int64_t j = 0; j < n; ++j) rows[static_cast<std::size_t>(j)] = w_.code()->row(row_ + col + j);
  kernel_.multiply_row(w_.code()->dtype(), rows.data(), n, at_, w_.size(0), ahead, x, y);
  return true;
}

}  // namespace attnscope
