#include "core/ops/encoded_linear.h"

#include <algorithm>
#include <vector>

#include "core/ops/tiles.h"

namespace attnscope {
namespace {

constexpr std::int64_t kPanelValues = 1 << 18;
constexpr std::int64_t kColumns = 64;

// Columns [col, end) of the product, with weights that are expanded for it.
void multiply_expanded(const Product& product, const Tensor& w, std::int64_t col, std::int64_t end) {
  const bool by_rows = w.stride(0) == 1;      // [out, in] in the file
  const Tensor piece = w.slice(1, col, end);  // [in, some]
  std::vector<float> expanded(static_cast<std::size_t>(piece.count()));
  (by_rows ? piece.transpose() : piece).read(expanded.data());
  Product part = product;
  part.n = end - col;
  part.y += col;
  if (part.bias) part.bias += col;
  multiply_alone(part, Right(expanded.data(), by_rows ? product.k : part.n, by_rows));
}

}  // namespace

void multiply_encoded(const Product& product, const Tensor& w) {
  const std::int64_t most = kPanelValues / std::max<std::int64_t>(1, product.k);
  const Tensor plain = w.beneath();
  if (plain.empty()) {
    const Cut cols(product.n, std::max(kColumns, most), kColumns);
    return for_each_tile(cols.count, [&](std::int64_t tile) {
      multiply_expanded(product, w, cols.begin(tile), cols.end(tile));
    });
  }
  multiply(product, Right(plain));
  const std::vector<std::uint8_t> edited = w.set_by_hand_along(1);
  const Cut cols(product.n, kColumns, kColumns);
  for_each_tile(cols.count, [&](std::int64_t tile) {
    const auto begin = edited.begin() + cols.begin(tile), end = edited.begin() + cols.end(tile);
    if (std::find(begin, end, 1) != end) multiply_expanded(product, w, cols.begin(tile), cols.end(tile));
  });
}

}  // namespace attnscope
