// What an edit reaches: which rows of which blocks a run computes anew when it starts from another run of the
// same model. In a causal stack a change at row p reaches the rows from p on, from its block on; where rows
// see later ones it reaches every row of the blocks behind it. An edit behind the scores of a block leaves
// its attention as it was. Conservative: a row is shared only where it is certain to be unchanged.
#pragma once

#include <algorithm>
#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

/// Of one stack: from which row on each part is computed; `rows` = nothing of it.
struct StackCone {
  std::int64_t rows = 0;             ///< rows of the stack in this run
  std::int64_t embed = 0;            ///< the embedding
  std::vector<std::int64_t> blocks;  ///< each block
  std::vector<bool> attention;       ///< whether a block's attention is: else its weighted values are shared
  std::int64_t asked = 0;  ///< the last block's queries and what stands behind them: rows before are
                           ///< asked by nobody
  std::int64_t final = 0;  ///< the final norm and what stands behind it
  bool cross = true;       ///< keys and values of cross-attention are computed anew

  std::int64_t block(int layer) const { return blocks[static_cast<std::size_t>(layer)]; }
  /// The first row of which a block has queries, and all that follows from them.
  std::int64_t queries(int layer) const {
    return layer + 1 < std::ssize(blocks) ? block(layer) : std::max(block(layer), asked);
  }
  /// False where a block begins with its weighted values, those of the base before edits of them.
  bool attends(int layer) const { return attention[static_cast<std::size_t>(layer)]; }
};
struct Cone {
  StackCone main, encoder, vision;
  /// Rows of all blocks, each row of each block once.
  std::int64_t block_rows() const;
  /// Blocks of which at least one row is computed.
  int blocks() const;
};

/// Everything is computed.
Cone whole_cone(const ModelConfig& config, const Input& input);
/// What differs from `base`: `model`, `input` and `edits` are those of the new run, edits of weights and
/// parts carried out already. Of the main stack's predictions only rows from `asked` on are wanted.
Cone cone_between(const Trace& base, const ModelConfig& config, const Input& input, const Edits& edits,
                  std::int64_t asked = 0);

}  // namespace attnscope
