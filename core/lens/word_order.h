// Does a model use the order of its tokens? Two tokens are swapped, and every token's last vector is compared
// with its own before, in the model as it is and in the same model without positions. Limits: models with
// token input, and rows that exist.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "core/model/model.h"

namespace attnscope {

struct WordOrder {
  struct Word {
    std::int64_t from = 0, to = 0;  ///< rows of the two inputs
    /// Length of the difference of its vectors by the length of the first, in the model as it is, and without
    /// positions: 0 where it is invariant to the order.
    double with = 0, without = 0;
  };
  std::vector<Word> words;  ///< by `from`
  /// Answers of the last row: id and probability, of the input and of the swapped one; -1 without a head.
  struct Answer {
    int id = -1;
    double probability = 0;
  };
  std::array<Answer, 2> with, without;
  bool same_last = true;  ///< the same word stands last in both
};

/// A model on the same weights without any positional encoding of its words; patches of an image keep theirs.
/// Null where it has none.
std::shared_ptr<const Model> without_positions(const Model& model);

/// Swaps tokens `first` and `second` of the input. Errors: as Model::run; no tokens; out of range; no
/// model without positions; several stacks.
Result<WordOrder> word_order(const Model& model, const Input& input, std::int64_t first, std::int64_t second,
                             const std::atomic<bool>* cancel = nullptr);

}  // namespace attnscope
