#include "core/ops/ridge.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace attnscope {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

Ridge ridge(const std::vector<float>& x, const std::vector<float>& y, std::int64_t rows, std::int64_t in,
            std::int64_t out, double punish) {
  Matrix centred = Eigen::Map<const Floats>(x.data(), rows, in).cast<double>();
  Matrix wanted = Eigen::Map<const Floats>(y.data(), rows, out).cast<double>();
  const Eigen::RowVectorXd mean_x = centred.colwise().mean(), mean_y = wanted.colwise().mean();
  centred.rowwise() -= mean_x;
  wanted.rowwise() -= mean_y;
  Matrix square = centred.transpose() * centred;
  square.diagonal().array() += punish;
  const Matrix weights = square.ldlt().solve(centred.transpose() * wanted);
  const Eigen::RowVectorXd offset = mean_y - mean_x * weights;
  return {{weights.data(), weights.data() + weights.size()}, {offset.data(), offset.data() + offset.size()}};
}

}  // namespace attnscope
