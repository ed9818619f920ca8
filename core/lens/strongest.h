// The texts in which a head or a neuron is strongest, of texts that come one after the other and are not
// kept: the first few, some over the whole range, and a histogram. What is held does not grow with the number
// of texts; the same texts in the same order give the same answer.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/lens/strength.h"

namespace attnscope {

/// One text with its strength at each position.
struct StrongText {
  std::int64_t prompt = 0, line = 0;  ///< number in the data set, from 0; line of its file
  std::vector<int> ids;
  Strengths at;
  std::int64_t pos = -1;  ///< where it is strongest, the first of equal ones; -1: nowhere
  double value = 0;       ///< there
};
using StrongTextPtr = std::shared_ptr<const StrongText>;

/// Counts of values in bins of one width, a power of two that grows with their range: at most kMostBins from
/// the least to the largest.
class ValueBins {
 public:
  static constexpr std::int64_t kMostBins = 1024;
  struct Bin {
    std::int64_t n = 0;
    StrongTextPtr first;  ///< the first text whose value is in it, where texts are given
  };
  /// Of a finite value.
  void add(double value, const StrongTextPtr& text = nullptr);
  /// The same counts in at most `most` bins.
  ValueBins coarse(std::int64_t most) const;
  /// By number: bin i holds i * width() <= value < (i + 1) * width().
  const std::map<std::int64_t, Bin>& bins() const { return bins_; }
  double width() const;
  /// The number of the bin of a value.
  std::int64_t number_of(double value) const;

 private:
  void double_width();
  std::map<std::int64_t, Bin> bins_;
  int exponent_ = 0;
  bool any_ = false;  ///< a value that is not zero has given the first width
};

class Strongest {
 public:
  /// At most so many texts of each kind.
  explicit Strongest(std::size_t most) : most_(most) {}

  /// Finds `pos` and `value` itself.
  void add(StrongText text);

  /// The strongest first; of equal ones the earlier first.
  const std::vector<StrongTextPtr>& top() const { return top_; }
  /// The range from the weakest to the strongest text in as many equal parts, the largest first: of each the
  /// text nearest to its middle, among the first texts of the bins; parts without a text are left out.
  std::vector<StrongTextPtr> spread() const;
  /// Of all positions.
  const ValueBins& positions() const { return positions_; }

  std::int64_t texts() const { return texts_; }
  std::int64_t counted() const { return counted_; }          ///< positions in the histogram
  std::int64_t not_numbers() const { return not_numbers_; }  ///< positions that hold NaN or an infinity
  std::int64_t without() const { return without_; }          ///< texts in which no position has a number
  /// Texts that are left out of top() and are as strong as its last.
  std::int64_t tied() const { return tied_; }

 private:
  std::size_t most_;
  std::vector<StrongTextPtr> top_;
  ValueBins positions_, maxima_;
  double least_ = 0, largest_ = 0;  ///< of the texts
  std::int64_t texts_ = 0, counted_ = 0, not_numbers_ = 0, without_ = 0, tied_ = 0;
};

}  // namespace attnscope
