// Mean and spread of numbers that come one after the other (Welford 1962). Of a single number the mean is
// that number, bit for bit.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace attnscope {

class Spread {
 public:
  void add(double value) {
    ++n_;
    const double off = value - mean_;
    mean_ += n_ == 1 ? off : off / static_cast<double>(n_);
    squares_ += off * (value - mean_);
  }
  std::int64_t n() const { return n_; }
  /// NaN of none.
  double mean() const { return n_ > 0 ? mean_ : std::numeric_limits<double>::quiet_NaN(); }
  /// Of the sample: n - 1 in the denominator; NaN of fewer than two.
  double deviation() const {
    return n_ > 1 ? std::sqrt(squares_ / static_cast<double>(n_ - 1))
                  : std::numeric_limits<double>::quiet_NaN();
  }
  /// Of the mean: deviation() / sqrt(n).
  double standard_error() const { return deviation() / std::sqrt(static_cast<double>(n_)); }

 private:
  std::int64_t n_ = 0;
  double mean_ = 0, squares_ = 0;
};

/// The quantile q in [0, 1] of sorted numbers, between the two nearest (as NumPy's default). NaN of none.
inline double quantile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = below + 1 < sorted.size() ? below + 1 : below;
  const double share = at - static_cast<double>(below);
  return share == 0 ? sorted[below] : sorted[below] + (sorted[above] - sorted[below]) * share;
}

}  // namespace attnscope
