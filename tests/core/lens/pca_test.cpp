// Principal components against a plain Jacobi solver over the whole covariance, and a separating plane
// against a plain loop.
#include "core/lens/pca.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/jacobi.h"

namespace attnscope {
namespace {

Tensor cloud(std::int64_t rows, std::int64_t width, unsigned seed, int rank = 1000) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> base(static_cast<std::size_t>(std::min<std::int64_t>(rank, width)));
  for (auto& one : base)
    for (std::int64_t i = 0; i < width; ++i) one.push_back(normal(random));
  std::vector<float> cells;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<float> by;
    for (std::size_t b = 0; b < base.size(); ++b) by.push_back(normal(random) / static_cast<float>(b + 1));
    for (std::int64_t i = 0; i < width; ++i) {
      float sum = 3.f;
      for (std::size_t b = 0; b < base.size(); ++b) sum += by[b] * base[b][static_cast<std::size_t>(i)];
      cells.push_back(sum);
    }
  }
  return Tensor::from(std::move(cells), {{Axis::pos, rows}, {Axis::dim, width}});
}

// Covariance and its eigenvalues, largest first.
std::vector<double> eigenvalues(const Tensor& rows, std::vector<std::vector<double>>& covariance) {
  const auto n = static_cast<std::size_t>(rows.size(1));
  std::vector<double> mean(n);
  for (std::int64_t r = 0; r < rows.size(0); ++r)
    for (std::size_t i = 0; i < n; ++i)
      mean[i] += rows.at(r, static_cast<std::int64_t>(i)) / double(rows.size(0));
  covariance.assign(n, std::vector<double>(n));
  for (std::int64_t r = 0; r < rows.size(0); ++r)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        covariance[i][j] += (rows.at(r, static_cast<std::int64_t>(i)) - mean[i]) *
                            (rows.at(r, static_cast<std::int64_t>(j)) - mean[j]) / double(rows.size(0));
  return testing::eigenvalues_by_jacobi(covariance);
}

TEST(Pca, AgreesWithAPlainEigenSolver) {
  struct Case {
    std::int64_t rows, width;
    int rank;
  };
  for (const Case& it :
       {Case{30, 12, 1000}, Case{9, 24, 1000}, Case{40, 20, 2}, Case{3, 3, 1}, Case{12, 12, 12}}) {
    const Tensor rows = cloud(it.rows, it.width, 7, it.rank);
    std::vector<std::vector<double>> covariance;
    const std::vector<double> want = eigenvalues(rows, covariance);
    const Pca got = pca(rows, 3);
    double total = 0;
    for (const double value : want) total += value;
    EXPECT_NEAR(got.total, total, 1e-5 * total);
    for (std::size_t c = 0; c < got.variance.size(); ++c) {
      EXPECT_NEAR(got.variance[c], want[c], 1e-6 * want[0]) << it.rows << "x" << it.width << " " << c;
      if (want[c] < 1e-6 * want[0]) continue;
      // C a = lambda a, and the points have that variance.
      const auto axis = static_cast<std::int64_t>(c);
      double square = 0;
      for (std::int64_t i = 0; i < it.width; ++i) {
        double image = 0;
        for (std::int64_t j = 0; j < it.width; ++j)
          image +=
              covariance[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] * got.axes.at(axis, j);
        EXPECT_NEAR(image, want[c] * got.axes.at(axis, i), 1e-4 * want[0]);
        square += double(got.axes.at(axis, i)) * got.axes.at(axis, i);
      }
      EXPECT_NEAR(square, 1, 1e-5);
      double variance = 0;
      for (std::int64_t r = 0; r < it.rows; ++r)
        variance += double(got.points.at(r, axis)) * got.points.at(r, axis) / double(it.rows);
      EXPECT_NEAR(variance, want[c], 1e-4 * want[0]);
    }
  }
}

TEST(Pca, PlacesAVectorWhereItsRowIs) {
  const Tensor rows = cloud(20, 6, 3);
  const Pca found = pca(rows);
  for (std::int64_t row = 0; row < 20; ++row) {
    const auto at = found.place(rows.select(0, row));
    EXPECT_NEAR(at[0], found.points.at(row, 0), 1e-4);
    EXPECT_NEAR(at[1], found.points.at(row, 1), 1e-4);
  }
}

TEST(Pca, LeavesOutWhatIsNoNumberAndSurvivesFewRows) {
  std::vector<float> cells = cloud(8, 5, 4).values();
  cells[11] = std::numeric_limits<float>::quiet_NaN();
  const Pca found = pca(Tensor::from(cells, {{Axis::pos, 8}, {Axis::dim, 5}}));
  EXPECT_EQ(found.finite[2], 0);
  EXPECT_TRUE(std::isnan(found.points.at(2, 0)));
  EXPECT_TRUE(std::isfinite(found.points.at(3, 0)));
  const Pca one = pca(cloud(1, 5, 4));
  EXPECT_NEAR(one.total, 0, 1e-9);
  const Pca same = pca(Tensor::filled({{Axis::pos, 4}, {Axis::dim, 3}}, 2.f));
  EXPECT_NEAR(same.total, 0, 1e-9);
  EXPECT_EQ(same.share(0), 0);
}

TEST(Separation, AgreesWithAPlainLoop) {
  const Tensor rows = cloud(14, 5, 9);
  std::vector<int> group;
  for (int i = 0; i < 14; ++i) group.push_back(i % 3);
  const Separation got = separation(rows, group);
  std::int64_t right = 0, a = 0, b = 0;
  for (std::int64_t row = 0; row < 14; ++row) {
    const int own = group[static_cast<std::size_t>(row)];
    if (own == 0) continue;
    (own == 1 ? a : b) += 1;
    double distance[3] = {0, 0, 0};
    for (std::int64_t i = 0; i < 5; ++i) {
      double mean[3] = {0, 0, 0}, count[3] = {0, 0, 0};
      for (std::int64_t other = 0; other < 14; ++other) {
        if (other == row) continue;
        mean[group[static_cast<std::size_t>(other)]] += rows.at(other, i);
        count[group[static_cast<std::size_t>(other)]] += 1;
      }
      for (const int g : {1, 2}) distance[g] += std::pow(rows.at(row, i) - mean[g] / count[g], 2);
    }
    right += distance[own] < distance[3 - own];
  }
  EXPECT_EQ(got.a, a);
  EXPECT_EQ(got.b, b);
  EXPECT_EQ(got.right, right);
}

TEST(Separation, TwoHeapsApartAndTooFewRows) {
  std::vector<float> cells;
  for (int i = 0; i < 10; ++i)
    for (int k = 0; k < 2; ++k)
      cells.push_back(static_cast<float>((i < 5 ? 0 : 8) + (i * 7 + k * 3) % 3 - 1));
  const Tensor rows = Tensor::from(cells, {{Axis::pos, 10}, {Axis::dim, 2}});
  const Separation apart = separation(rows, {1, 1, 1, 1, 1, 2, 2, 2, 2, 2});
  EXPECT_EQ(apart.right, 10);
  EXPECT_FALSE(separation(rows, {1, 2, 0, 0, 0, 0, 0, 0, 0, 0}).exists());
  EXPECT_LT(separation(rows, {1, 2, 1, 2, 1, 2, 1, 2, 1, 2}).share(), 0.9);
}

}  // namespace
}  // namespace attnscope
