#include "core/calc/training.h"

#include <algorithm>
#include <cmath>

namespace attnscope {
namespace {

// The N whose loss with 20 N tokens is `loss`: the loss falls with N, so the interval is halved (in
// logarithms).
double size_for_loss(double loss) {
  double least = 0, most = 60;  // e^60 parameters
  for (int round = 0; round < 100; ++round) {
    const double middle = (least + most) / 2, n = std::exp(middle);
    (chinchilla_loss(n, kTokensPerParameter * n) > loss ? least : most) = middle;
  }
  return std::exp((least + most) / 2);
}

}  // namespace

double chinchilla_loss(double parameters, double tokens) {
  return 1.69 + 406.4 / std::pow(std::max(1.0, parameters), 0.34) +
         410.7 / std::pow(std::max(1.0, tokens), 0.28);
}

TrainingCost training_cost(double parameters, double tokens, double served) {
  TrainingCost out;
  out.parameters = parameters;
  out.chinchilla_tokens = kTokensPerParameter * parameters;
  out.tokens = tokens > 0 ? tokens : out.chinchilla_tokens;
  out.served = std::max(0.0, served);
  out.training_flops = 6 * parameters * out.tokens;
  out.serving_flops = 2 * parameters * out.served;
  out.total_flops = out.training_flops + out.serving_flops;
  out.per_parameter = parameters > 0 ? out.tokens / parameters : 0;
  out.loss = chinchilla_loss(parameters, out.tokens);
  out.equal_parameters = size_for_loss(out.loss);
  out.equal_tokens = kTokensPerParameter * out.equal_parameters;
  out.equal_flops = 6 * out.equal_parameters * out.equal_tokens;
  const double dearer = out.training_flops - out.equal_flops,
               saved = 2 * (out.equal_parameters - parameters);  // with every token served
  if (saved > 0 && dearer > 0) out.breaks_even = dearer / saved;
  return out;
}

}  // namespace attnscope
