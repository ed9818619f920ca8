// How two lists of numbers go together.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace attnscope {

/// An Agreement below this: one says little of the other.
inline constexpr double kTrustedAgreement = 0.7;

/// Pearson's r of pairs that come one after the other; pairs with a number that is not finite are left out.
class Agreement {
 public:
  void add(double x, double y) {
    if (!std::isfinite(x) || !std::isfinite(y)) return;
    n_ += 1, x_ += x, y_ += y, xx_ += x * x, yy_ += y * y, xy_ += x * y;
  }
  std::int64_t n() const { return static_cast<std::int64_t>(n_); }
  /// None of fewer than three pairs, and where x or y is always the same.
  std::optional<double> r() const {
    const double spread = (xx_ - x_ * x_ / n_) * (yy_ - y_ * y_ / n_);
    if (n_ < 3 || !(spread > 0)) return std::nullopt;
    return (xy_ - x_ * y_ / n_) / std::sqrt(spread);
  }

 private:
  double n_ = 0, x_ = 0, y_ = 0, xx_ = 0, yy_ = 0, xy_ = 0;
};

}  // namespace attnscope
