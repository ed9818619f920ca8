#include "core/lens/strongest.h"

#include <algorithm>
#include <cmath>

namespace attnscope {

namespace {

constexpr int kFirstBits = 20;                   // of the first value: finer bins hold no more
constexpr double kMostNumber = 1099511627776.0;  // 2^40: numbers of bins stay whole
constexpr int kLeastExponent = -1040;            // below it widths would be rounded

}  // namespace

double ValueBins::width() const { return std::ldexp(1.0, exponent_); }

std::int64_t ValueBins::number_of(double value) const {
  return static_cast<std::int64_t>(std::floor(std::ldexp(value, -exponent_)));
}

void ValueBins::double_width() {
  ++exponent_;
  std::map<std::int64_t, Bin> wider;
  for (auto& [number, bin] : bins_) {
    Bin& into = wider[number >> 1];
    into.n += bin.n;
    // The earlier of the two: texts are numbered as they come.
    if (bin.first && (!into.first || bin.first->prompt < into.first->prompt))
      into.first = std::move(bin.first);
  }
  bins_ = std::move(wider);
}

void ValueBins::add(double value, const StrongTextPtr& text) {
  if (value != 0 && !any_) any_ = true, exponent_ = std::max(kLeastExponent, std::ilogb(value) - kFirstBits);
  while (std::fabs(std::ldexp(value, -exponent_)) >= kMostNumber) double_width();
  Bin& bin = bins_[number_of(value)];
  if (bin.n++ == 0) bin.first = text;
  while (bins_.rbegin()->first - bins_.begin()->first >= kMostBins) double_width();
}

ValueBins ValueBins::coarse(std::int64_t most) const {
  ValueBins out = *this;
  while (!out.bins_.empty() && out.bins_.rbegin()->first - out.bins_.begin()->first >= most)
    out.double_width();
  return out;
}

void Strongest::add(StrongText text) {
  ++texts_;
  for (std::size_t row = 0; row < text.at.values.size(); ++row) {
    const auto value = static_cast<double>(text.at.values[row]);
    if (!text.at.there[row]) continue;
    if (!std::isfinite(value)) {
      ++not_numbers_;
      continue;
    }
    ++counted_;
    positions_.add(value);
    if (text.pos < 0 || value > text.value) text.pos = static_cast<std::int64_t>(row), text.value = value;
  }
  if (text.pos < 0) {
    ++without_;
    return;
  }
  const auto one = std::make_shared<const StrongText>(std::move(text));
  const bool first = maxima_.bins().empty();
  maxima_.add(one->value, one);
  least_ = first ? one->value : std::min(least_, one->value);
  largest_ = first ? one->value : std::max(largest_, one->value);
  const auto behind = std::upper_bound(top_.begin(), top_.end(), one,
                                       [](const auto& a, const auto& b) { return a->value > b->value; });
  top_.insert(behind, one);
  if (top_.size() <= most_) return;
  const double out = top_.back()->value;
  top_.pop_back();
  tied_ = !top_.empty() && top_.back()->value == out ? tied_ + 1 : 0;
}

std::vector<StrongTextPtr> Strongest::spread() const {
  std::vector<StrongTextPtr> out(most_);
  const double part = (largest_ - least_) / static_cast<double>(most_);
  const auto middle = [&](std::size_t i) { return largest_ - (static_cast<double>(i) + 0.5) * part; };
  for (const auto& [number, bin] : maxima_.bins()) {
    const auto i = part > 0 ? static_cast<std::size_t>((largest_ - bin.first->value) / part) : 0;
    StrongTextPtr& best = out[std::min(i, most_ - 1)];
    const auto off = [&](const StrongText& text) {
      return std::fabs(text.value - middle(std::min(i, most_ - 1)));
    };
    if (!best || off(*bin.first) < off(*best) ||
        (off(*bin.first) == off(*best) && bin.first->prompt < best->prompt))
      best = bin.first;
  }
  std::erase(out, nullptr);
  return out;
}

}  // namespace attnscope
