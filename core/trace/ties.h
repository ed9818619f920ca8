// Tied weights: a tied unembedding is the transposed table of tokens, and an
// encoder may read the decoder's table. They are stored once, under the table's name; the others are views.
// Ties are decided in this one place.
#pragma once

#include <string>
#include <vector>

#include "core/trace/config.h"

namespace attnscope {

/// A cell of a weight.
struct WeightCell {
  std::string name;
  std::vector<std::int64_t> index;
};
/// Where a cell is kept: in the table, row and column exchanged, for a tied unembedding.
WeightCell kept_weight(const ModelConfig& config, const std::string& name,
                       std::vector<std::int64_t> index = {});
/// True for a weight that is kept under another name.
bool is_tied(const ModelConfig& config, const std::string& name);
/// The cell under all of its names, first where it is kept; alone where the weight has one name.
std::vector<WeightCell> same_weights(const ModelConfig& config, const std::string& name,
                                     std::vector<std::int64_t> index = {});
/// Sets the weights that repeat the table of tokens from it.
void tie_tables(const ModelConfig& config, Weights& weights);

}  // namespace attnscope
