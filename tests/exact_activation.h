// Activations in double, from their definitions.
#pragma once

#include <cmath>

#include "core/ops/ops.h"

namespace attnscope::testing {

inline double exact_activation(Activation kind, double x) {
  switch (kind) {
    case Activation::gelu_tanh:
      return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::gelu_exact: return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case Activation::silu: return x / (1 + std::exp(-x));
    case Activation::relu: return x > 0 ? x : 0;
    case Activation::quick_gelu: return x / (1 + std::exp(-1.702 * x));
  }
  return 0;
}

}  // namespace attnscope::testing
