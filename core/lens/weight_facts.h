// The numbers of one weight as a whole: norm, mean, spread, quantiles, histogram, and the singular values of
// a matrix; of the circuits of a head (W_Q W_K^T, W_V W_O) as of a weight. In double. Errors: a name that no
// weight has.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/model.h"

namespace attnscope {

inline constexpr std::array<double, 7> kWeightQuantiles{0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
inline constexpr int kWeightBins = 40;

/// How many numbers lie in each of equal parts of [from, to]; the last part has its end.
struct Histogram {
  double from = 0, to = 0;
  std::vector<std::int64_t> counts;
};
Histogram histogram_of(const std::vector<float>& values, int bins);

struct WeightFacts {
  std::string name;  ///< "blocks.0.attn.q.weight", of a circuit "blocks.0.attn.qk[head=1]"
  std::vector<std::int64_t> shape;
  std::int64_t count = 0, broken = 0;  ///< of all; of those NaN or infinite, which are left out below
  double norm = 0;                     ///< sqrt of the sum of squares (Frobenius)
  double mean = 0, deviation = 0;      ///< n in the denominator
  double least = 0, largest = 0;
  std::array<double, kWeightQuantiles.size()> quantiles{};
  Histogram histogram;
  std::vector<double> singular;  ///< the largest first; of matrices, where they were asked for

  /// norm^2 / largest singular value^2: about how many directions carry it. 0 without singular values.
  double stable_rank() const;
};

/// What can be asked: every weight, then the circuits of the main stack's heads. A weight that stands under
/// two names (a tied head) is there once.
std::vector<std::string> weight_names(const Model& model);
/// Multiply-adds of its singular values, about.
double spectrum_cost(const Model& model, const std::string& name);
Result<WeightFacts> weight_facts(const Model& model, const std::string& name, bool spectrum,
                                 int bins = kWeightBins);

}  // namespace attnscope
