// Accuracy of a model past the length it was trained at: one text repeated, longer than
// max_positions, and at every position whether the next token is predicted. Limits: models that
// predict the next token; ends where a learned table of positions ends.
#pragma once

#include <atomic>
#include <vector>

#include "core/model/model.h"

namespace attnscope {

struct LengthAccuracy {
  std::vector<double> probability;  ///< of the token that follows, by position
  std::vector<char> right;          ///< the target is the most probable token
  std::int64_t period = 1;          ///< tokens of the text
  std::int64_t trained = 0;         ///< positions of the config; 0: unknown
  bool ends = false;                ///< the input ends at the end of the table of positions
  /// Accuracy and mean probability for each repetition of the text.
  struct Reading {
    double right = 0, probability = 0;
  };
  std::vector<Reading> readings() const;
};

/// `period` ids repeated up to `length` tokens (a first begin token stays first). Errors: as Model::run; no
/// tokens; a model that does not predict the next token.
Result<LengthAccuracy> length_accuracy(const Model& model, const std::vector<int>& ids, std::int64_t length,
                                       const std::atomic<bool>* cancel = nullptr);

}  // namespace attnscope
