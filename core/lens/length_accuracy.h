// What becomes of a model past the length it was trained at: it reads one text again and again, longer than
// it ever was, and at every place one looks whether it says the word that follows. Refuses models that do not
// predict the next token; stops where a learned table of positions ends.
#pragma once

#include <atomic>
#include <vector>

#include "core/model/model.h"

namespace attnscope {

struct LengthAccuracy {
  std::vector<double> probability;  ///< of the token that follows, by position
  std::vector<char> right;          ///< it is the most probable one
  std::int64_t period = 1;          ///< tokens of the text
  std::int64_t trained = 0;         ///< positions of the config; 0: it does not say
  bool ends = false;                ///< nothing beyond: the table of positions is as long as that
  /// Share of right answers and mean probability in one reading of the text after the other.
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
