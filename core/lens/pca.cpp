#include "core/lens/pca.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace attnscope {
namespace {

using Vector = std::vector<double>;

double pca_dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// A symmetric matrix [n, n], row-major, and a block of columns [block][n].
struct Symmetric {
  std::size_t n = 0;
  Vector cells;
  const double* row(std::size_t i) const { return cells.data() + i * n; }
};

// Modified Gram-Schmidt; what is left of a column that depends on the others is a unit vector of its own.
void make_orthonormal(std::vector<Vector>& block) {
  const std::size_t n = block.front().size();
  for (std::size_t c = 0; c < block.size(); ++c) {
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t other = 0; other < c; ++other) {
        const double along = pca_dot(block[c].data(), block[other].data(), n);
        for (std::size_t i = 0; i < n; ++i) block[c][i] -= along * block[other][i];
      }
    const double length = std::sqrt(pca_dot(block[c].data(), block[c].data(), n));
    if (length > 1e-150)
      for (double& value : block[c]) value /= length;
    else
      std::fill(block[c].begin(), block[c].end(), 0.0);
  }
}

std::vector<Vector> pca_times(const Symmetric& a, const std::vector<Vector>& block) {
  std::vector<Vector> out(block.size(), Vector(a.n));
  for (std::size_t i = 0; i < a.n; ++i)
    for (std::size_t c = 0; c < block.size(); ++c) out[c][i] = pca_dot(a.row(i), block[c].data(), a.n);
  return out;
}

// All eigenvectors of a small symmetric matrix by Jacobi's rotations; columns, largest eigenvalue first.
std::vector<Vector> small_eigen(std::vector<Vector> a, Vector& values) {
  const std::size_t n = a.size();
  std::vector<Vector> v(n, Vector(n));
  for (std::size_t i = 0; i < n; ++i) v[i][i] = 1;
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) off += std::fabs(a[p][q]);
    if (off == 0) break;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a[p][q] == 0) continue;
        const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = (theta >= 0 ? 1 : -1) / (std::fabs(theta) + std::hypot(theta, 1.0));
        const double c = 1 / std::hypot(t, 1.0), s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y, a[k][q] = s * x + c * y;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y, a[q][k] = s * x + c * y;
        }
        a[p][q] = a[q][p] = 0;
        for (std::size_t k = 0; k < n; ++k) {
          const double x = v[k][p], y = v[k][q];
          v[k][p] = c * x - s * y, v[k][q] = s * x + c * y;
        }
      }
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return a[x][x] > a[y][y]; });
  std::vector<Vector> out(n, Vector(n));
  values.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = a[order[i]][order[i]];
    for (std::size_t k = 0; k < n; ++k) out[i][k] = v[k][order[i]];
  }
  return out;
}

constexpr std::size_t kBeside = 8;  // directions that are carried along, so that close eigenvalues part
constexpr int kMostRounds = 400;

// The `count` largest eigenvectors of a positive semidefinite matrix, by subspace iteration with
// Rayleigh-Ritz.
std::vector<Vector> largest_eigenvectors(const Symmetric& a, std::size_t count, Vector& values) {
  const std::size_t size = std::min(a.n, count + kBeside);
  std::vector<Vector> block(size, Vector(a.n));
  std::uint64_t state = 88172645463325252ULL;  // Marsaglia 2003, so that every run begins alike
  for (Vector& column : block)
    for (double& value : column) {
      state ^= state << 13U, state ^= state >> 7U, state ^= state << 17U;
      value = static_cast<double>(state >> 11U) * 0x1.0p-53 - 0.5;
    }
  make_orthonormal(block);
  Vector before;
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<Vector> image = pca_times(a, block);
    std::vector<Vector> inner(size, Vector(size));
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = i; j < size; ++j)
        inner[i][j] = inner[j][i] = pca_dot(block[i].data(), image[j].data(), a.n);
    const std::vector<Vector> turn = small_eigen(std::move(inner), values);
    std::vector<Vector> rotated(size, Vector(a.n)), rotated_image(size, Vector(a.n));
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        for (std::size_t k = 0; k < a.n; ++k) {
          rotated[i][k] += turn[i][j] * block[j][k];
          rotated_image[i][k] += turn[i][j] * image[j][k];
        }
    double residual = 0;
    for (std::size_t i = 0; i < std::min(count, size); ++i)
      for (std::size_t k = 0; k < a.n; ++k)
        residual = std::max(residual, std::fabs(rotated_image[i][k] - values[i] * rotated[i][k]));
    block = std::move(rotated);
    if (residual <= 1e-11 * std::max(values.front(), 1e-300)) break;
    block = std::move(rotated_image);
    make_orthonormal(block);
  }
  make_orthonormal(block);
  block.resize(std::min(count, size));
  values.resize(block.size());
  return block;
}

/// Rows that are finite, less their mean.
struct Centred {
  std::vector<Vector> rows;
  std::vector<std::int64_t> of;  // index of each
  Vector mean;
};

Centred centred(const Tensor& rows, std::vector<std::uint8_t>& finite) {
  Centred out;
  const std::int64_t count = rows.size(0), width = rows.size(1);
  out.mean.assign(static_cast<std::size_t>(width), 0.0);
  finite.assign(static_cast<std::size_t>(count), 1);
  const std::vector<float> cells = rows.values();
  for (std::int64_t row = 0; row < count; ++row) {
    const float* from = cells.data() + row * width;
    if (!std::all_of(from, from + width, [](float value) { return std::isfinite(value); })) {
      finite[static_cast<std::size_t>(row)] = 0;
      continue;
    }
    out.rows.emplace_back(from, from + width);
    out.of.push_back(row);
    for (std::size_t i = 0; i < out.mean.size(); ++i) out.mean[i] += out.rows.back()[i];
  }
  for (double& value : out.mean) value /= std::max<double>(1, static_cast<double>(out.rows.size()));
  for (Vector& row : out.rows)
    for (std::size_t i = 0; i < row.size(); ++i) row[i] -= out.mean[i];
  return out;
}

// Components in the space of dimensions, whichever of the two products was decomposed.
std::vector<Vector> components_of(const Centred& data, std::size_t count, Vector& values) {
  const std::size_t n = data.rows.size(), d = data.mean.size();
  Symmetric product;
  product.n = std::min(n, d);
  product.cells.resize(product.n * product.n);
  if (n <= d) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i; j < n; ++j)
        product.cells[i * n + j] = product.cells[j * n + i] =
            pca_dot(data.rows[i].data(), data.rows[j].data(), d);
  } else {
    for (const Vector& row : data.rows)
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j) product.cells[i * d + j] += row[i] * row[j];
  }
  std::vector<Vector> found = largest_eigenvectors(product, count, values);
  if (n > d) return found;
  std::vector<Vector> out;
  for (const Vector& weights : found) {
    Vector axis(d);
    for (std::size_t row = 0; row < n; ++row)
      for (std::size_t i = 0; i < d; ++i) axis[i] += weights[row] * data.rows[row][i];
    out.push_back(std::move(axis));
  }
  make_orthonormal(out);
  return out;
}

}  // namespace

Pca pca(const Tensor& rows, int components) {
  Pca out;
  const std::int64_t count = rows.size(0), width = rows.size(1);
  const Centred data = centred(rows, out.finite);
  const std::size_t n = data.rows.size();
  std::vector<Vector> axes;
  Vector values;
  if (n > 0)
    axes = components_of(data, std::min({static_cast<std::size_t>(components), n, data.mean.size()}), values);
  for (Vector& axis : axes) {
    const auto largest = std::max_element(axis.begin(), axis.end(),
                                          [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    if (largest != axis.end() && *largest < 0)
      for (double& value : axis) value = -value;
  }
  const auto shown = static_cast<std::int64_t>(axes.size());
  std::vector<float> points(static_cast<std::size_t>(count * shown), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < axes.size(); ++c)
      points[static_cast<std::size_t>(data.of[i] * shown) + c] =
          static_cast<float>(pca_dot(data.rows[i].data(), axes[c].data(), axes[c].size()));
  std::vector<float> flat;
  for (const Vector& axis : axes) flat.insert(flat.end(), axis.begin(), axis.end());
  for (const Vector& row : data.rows) out.total += pca_dot(row.data(), row.data(), row.size());
  out.total /= std::max<double>(1, static_cast<double>(n));
  for (const double value : values)
    out.variance.push_back(std::max(0.0, value) / std::max<double>(1, static_cast<double>(n)));
  if (shown > 0) {
    out.points = Tensor::from(std::move(points), {{Axis::pos, count}, {Axis::unit, shown}});
    out.axes = Tensor::from(std::move(flat), {{Axis::unit, shown}, {Axis::dim, width}});
  }
  out.mean = Tensor::from(std::vector<float>(data.mean.begin(), data.mean.end()), {{Axis::dim, width}});
  return out;
}

std::vector<double> Pca::place(const Tensor& vector, bool direction) const {
  std::vector<double> out;
  for (std::int64_t c = 0; !axes.empty() && c < axes.size(0); ++c) {
    double sum = 0;
    for (std::int64_t i = 0; i < axes.size(1); ++i)
      sum += (static_cast<double>(vector.at(i)) - (direction ? 0.0 : static_cast<double>(mean.at(i)))) *
             static_cast<double>(axes.at(c, i));
    out.push_back(sum);
  }
  return out;
}

Separation separation(const Tensor& rows, const std::vector<int>& group) {
  Separation out;
  const auto width = static_cast<std::size_t>(rows.size(1));
  const std::vector<float> cells = rows.values();
  const auto row_of = [&](std::size_t i) { return cells.data() + i * width; };
  Vector sum_a(width), sum_b(width);
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < group.size() && std::cmp_less(i, rows.size(0)); ++i) {
    if (group[i] != 1 && group[i] != 2) continue;
    const float* row = row_of(i);
    if (!std::all_of(row, row + width, [](float value) { return std::isfinite(value); })) continue;
    members.push_back(i);
    (group[i] == 1 ? out.a : out.b) += 1;
    for (std::size_t k = 0; k < width; ++k) (group[i] == 1 ? sum_a : sum_b)[k] += static_cast<double>(row[k]);
  }
  if (!out.exists()) return out;
  const auto a = static_cast<double>(out.a), b = static_cast<double>(out.b);
  for (const std::size_t i : members) {
    const bool of_a = group[i] == 1;
    // Which mean is nearer, the row itself taken out of its own group's.
    double nearer = 0;
    for (std::size_t k = 0; k < width; ++k) {
      const auto x = static_cast<double>(row_of(i)[k]);
      const double ma = of_a ? (sum_a[k] - x) / (a - 1) : sum_a[k] / a;
      const double mb = of_a ? sum_b[k] / b : (sum_b[k] - x) / (b - 1);
      nearer += (x - mb) * (x - mb) - (x - ma) * (x - ma);
    }
    out.right += of_a ? nearer > 0 : nearer < 0;
  }
  return out;
}

}  // namespace attnscope
