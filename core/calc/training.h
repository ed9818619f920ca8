// The cost of training and serving a model of N parameters, by the usual rules of thumb: 6 N D to train
// on D tokens, 2 N for each token served (Kaplan et al. 2020, 2.1), D ~ 20 N for the best model of a given
// compute (Hoffmann et al. 2022). N counts the parameters that are active for one token.
#pragma once

namespace attnscope {

inline constexpr double kTokensPerParameter = 20;  ///< Chinchilla's

struct TrainingCost {
  double parameters = 0, tokens = 0, served = 0;
  double training_flops = 0;     ///< 6 N D
  double serving_flops = 0;      ///< 2 N for each token served
  double total_flops = 0;        ///< of both
  double chinchilla_tokens = 0;  ///< 20 N
  double per_parameter = 0;      ///< D / N: 20 is compute-optimal, more is over-trained
  double loss = 0;               ///< expected by Chinchilla's fit, in nats
  /// The model with 20 tokens per parameter that is expected to reach the same loss, and what training it
  /// costs.
  double equal_parameters = 0, equal_tokens = 0, equal_flops = 0;
  /// Tokens served from which on training and serving this model costs less than that one; 0: it never does.
  double breaks_even = 0;
};
/// `tokens` <= 0: 20 N of them.
TrainingCost training_cost(double parameters, double tokens, double served);

/// L(N, D) = 1.69 + 406.4 / N^0.34 + 410.7 / D^0.28 (Hoffmann et al. 2022, 3.3): their data, their tokenizer.
double chinchilla_loss(double parameters, double tokens);

}  // namespace attnscope
