// Eigenvalues of a symmetric matrix by cyclic Jacobi: a plain way to check what the program computes
// otherwise.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace attnscope::testing {

/// The largest first.
inline std::vector<double> eigenvalues_by_jacobi(std::vector<std::vector<double>> s) {
  const std::size_t n = s.size();
  for (int sweep = 0; sweep < 80; ++sweep) {
    double off = 0, whole = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) (i == j ? whole : off) += s[i][j] * s[i][j];
    if (off <= 1e-26 * whole) break;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        if (std::fabs(s[p][q]) < 1e-300) continue;
        const double angle = 0.5 * std::atan2(2 * s[p][q], s[q][q] - s[p][p]);
        const double c = std::cos(angle), t = std::sin(angle);
        for (std::size_t k = 0; k < n; ++k) {
          const double x = s[k][p], y = s[k][q];
          s[k][p] = c * x - t * y, s[k][q] = t * x + c * y;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double x = s[p][k], y = s[q][k];
          s[p][k] = c * x - t * y, s[q][k] = t * x + c * y;
        }
      }
  }
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(s[i][i]);
  std::sort(out.rbegin(), out.rend());
  return out;
}

}  // namespace attnscope::testing
