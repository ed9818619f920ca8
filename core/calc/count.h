// Integers with checked overflow: sums and products of counts keep a flag that they left the
// range. Not for negative numbers.
#pragma once

#include <cstdint>
#include <limits>

namespace attnscope {

class Count {
 public:
  constexpr Count() = default;
  constexpr Count(std::int64_t value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  /// The largest of int64 where fits() is false.
  std::int64_t value() const { return fits_ ? value_ : std::numeric_limits<std::int64_t>::max(); }
  bool fits() const { return fits_; }
  double real() const { return static_cast<double>(value()); }

  friend Count operator+(Count a, Count b) {
    Count out;
    out.fits_ = !__builtin_add_overflow(a.value_, b.value_, &out.value_) && a.fits_ && b.fits_;
    return out;
  }
  friend Count operator*(Count a, Count b) {
    Count out;
    out.fits_ = !__builtin_mul_overflow(a.value_, b.value_, &out.value_) && a.fits_ && b.fits_;
    return out;
  }
  /// Rounded down.
  friend Count operator/(Count a, std::int64_t by) {
    Count out(a.value_ / by);
    out.fits_ = a.fits_;
    return out;
  }
  Count& operator+=(Count other) { return *this = *this + other; }
  friend bool operator==(Count a, Count b) { return a.value() == b.value() && a.fits_ == b.fits_; }

 private:
  std::int64_t value_ = 0;
  bool fits_ = true;
};

}  // namespace attnscope
