#include "core/ops/matrices.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "core/base/thread_pool.h"

namespace attnscope {
namespace {

using Rows64 = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const Rows64> mapped64(const Matrix64& a) { return {a.cells.data(), a.rows, a.cols}; }

template <class Expression>
Matrix64 evaluated64(const Expression& from) {
  Matrix64 out{from.rows(), from.cols(), std::vector<double>(static_cast<std::size_t>(from.size()))};
  Eigen::Map<Rows64>(out.cells.data(), out.rows, out.cols) = from;
  return out;
}

}  // namespace

Matrix64 matrix64(const Tensor& weight) {
  const std::vector<float> values = weight.packed().values();
  return {weight.size(0), weight.size(1), {values.begin(), values.end()}};
}

Matrix64 transposed(const Matrix64& a) { return evaluated64(mapped64(a).transpose()); }

Matrix64 product(const Matrix64& a, const Matrix64& b) {
  Matrix64 out{a.rows, b.cols, std::vector<double>(static_cast<std::size_t>(a.rows * b.cols))};
  constexpr std::int64_t kRowsAtOnce = 64;
  parallel_for(a.rows, kRowsAtOnce, [&](std::int64_t begin, std::int64_t end) {
    Eigen::Map<Rows64>(out.cells.data(), out.rows, out.cols).middleRows(begin, end - begin).noalias() =
        mapped64(a).middleRows(begin, end - begin) * mapped64(b);
  });
  return out;
}

Matrix64 columns_of(const Matrix64& a, std::int64_t begin, std::int64_t end) {
  return evaluated64(mapped64(a).middleCols(begin, end - begin));
}

Matrix64 rows_of(const Matrix64& a, std::int64_t begin, std::int64_t end) {
  return evaluated64(mapped64(a).middleRows(begin, end - begin));
}

double norm_of(const Matrix64& a) { return mapped64(a).norm(); }

Matrix64 triangle_of(const Matrix64& a) {
  if (a.rows <= a.cols) return a;
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(mapped64(a));
  return evaluated64(
      Rows64(qr.matrixQR().topRows(a.cols).template triangularView<Eigen::Upper>().toDenseMatrix()));
}

// The eigenvalues of the tridiagonal matrix that alternates the two diagonals of A's bidiagonal form are plus
// and minus its singular values (Golub and Kahan 1965): as exact as a full decomposition, and a quarter of
// the time to compile. Of a tall matrix it is the bidiagonal form of R (Chan 1982).
std::vector<double> singular_values(const Matrix64& a) {
  if (a.rows < a.cols) return singular_values(transposed(a));
  if (a.rows > a.cols) return singular_values(triangle_of(a));
  const Eigen::Index n = a.cols;
  if (n == 0) return {};
  Eigen::MatrixXd cells = mapped64(a);
  Eigen::VectorXd diagonal(n), above(n), room(n);
  Eigen::internal::upperbidiagonalization_inplace_unblocked(cells, diagonal.data(), above.data(),
                                                            room.data());
  Eigen::VectorXd beside(2 * n - 1);
  for (Eigen::Index i = 0; i < n; ++i) {
    beside(2 * i) = diagonal(i);
    if (i + 1 < n) beside(2 * i + 1) = above(i);
  }
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(Eigen::VectorXd::Zero(2 * n), beside, Eigen::EigenvaluesOnly);
  std::vector<double> out;
  for (Eigen::Index i = 0; i < n; ++i) out.push_back(std::max(0.0, solver.eigenvalues()(2 * n - 1 - i)));
  return out;
}

// A = Q R, and the parts of the square R.
Singular singular_parts(const Matrix64& a) {
  if (a.rows < a.cols) {
    Singular turned = singular_parts(transposed(a));
    std::swap(turned.left, turned.right);
    return turned;
  }
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(mapped64(a));
  const Eigen::MatrixXd r =
      qr.matrixQR().topRows(a.cols).template triangularView<Eigen::Upper>().toDenseMatrix();
  const Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner> svd(
      r, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::MatrixXd left = Eigen::MatrixXd::Identity(a.rows, a.cols);
  left.topRows(a.cols) = svd.matrixU();
  left.applyOnTheLeft(qr.householderQ());
  const auto& values = svd.singularValues();
  return {evaluated64(left), evaluated64(svd.matrixV()), {values.data(), values.data() + values.size()}};
}

std::vector<std::complex<double>> eigenvalues(const Matrix64& a) {
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(mapped64(a), false);
  const auto& found = solver.eigenvalues();
  std::vector<std::complex<double>> out(found.data(), found.data() + found.size());
  std::stable_sort(out.begin(), out.end(), [](const auto& x, const auto& y) {
    return std::abs(x) != std::abs(y) ? std::abs(x) > std::abs(y) : x.imag() > y.imag();
  });
  return out;
}

}  // namespace attnscope
