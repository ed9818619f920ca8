#include "core/ops/encoded_linear.h"

#include <algorithm>
#include <vector>

#include "core/ops/tiles.h"

namespace attnscope {
namespace {

constexpr std::int64_t kColumns = 64;

// Columns [col, end) of the product.
void multiply_columns(const Product& product, const Tensor& w, std::int64_t col, std::int64_t end) {
  Product part = product;
  part.n = end - col;
  part.y += col;
  if (part.bias) part.bias += col;
  multiply_alone(part, Right(w.slice(1, col, end)));
}

}  // namespace

void multiply_encoded(const Product& product, const Tensor& w) {
  const Tensor plain = w.beneath();
  if (plain.empty()) return multiply(product, Right(w));
  multiply(product, Right(plain));
  const std::vector<std::uint8_t> edited = w.set_by_hand_along(1);
  const Cut cols(product.n, kColumns, kColumns);
  for_each_tile(cols.count, [&](std::int64_t tile) {
    const auto begin = edited.begin() + cols.begin(tile), end = edited.begin() + cols.end(tile);
    if (std::find(begin, end, 1) != end) multiply_columns(product, w, cols.begin(tile), cols.end(tile));
  });
}

}  // namespace attnscope
