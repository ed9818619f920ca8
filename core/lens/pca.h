// Principal component analysis (Pearson 1901): the two or three largest components of rows,
// by subspace iteration on the smaller of X Xᵀ and Xᵀ X. And the accuracy of a plane between two groups of
// rows. Rows with NaN or infinities are left out.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor/tensor.h"

namespace attnscope {

struct Pca {
  Tensor points;                     ///< [row, component]: rows less their mean, along the components
  Tensor axes;                       ///< [component, dim], of length 1, their largest entry positive
  Tensor mean;                       ///< [dim]
  std::vector<double> variance;      ///< along each component
  double total = 0;                  ///< in all directions
  std::vector<std::uint8_t> finite;  ///< one per row: 0 where it was left out (its point is NaN)

  double share(std::size_t component) const {
    return total > 0 && component < variance.size() ? variance[component] / total : 0;
  }
  /// A vector [dim] as a point; `direction`: without taking the mean away.
  std::vector<double> place(const Tensor& vector, bool direction = false) const;
};

/// Of rows [row, dim]; fewer components where rows or dimensions are fewer.
Pca pca(const Tensor& rows, int components = 2);

/// The hyperplane halfway between the means of two groups (in all dimensions, not only those that are drawn).
struct Separation {
  std::int64_t a = 0, b = 0;  ///< rows of each
  std::int64_t right = 0;     ///< correctly classified by the plane that the other rows give (leave-one-out)
  bool exists() const { return a > 1 && b > 1; }
  double share() const { return exists() ? static_cast<double>(right) / static_cast<double>(a + b) : 0; }
};
/// `group`: one per row: 1, 2, or 0 for neither. Each row is classified by means that leave it out.
Separation separation(const Tensor& rows, const std::vector<int>& group);

}  // namespace attnscope
