// A family's names of tensors as a table: our part, and what the file calls it. Shapes, and which parts a
// model has, follow from its config (expected_weights), so that a family writes down names alone.
#pragma once

#include <string>
#include <vector>

#include "core/arch/weight_reader.h"

namespace attnscope {

/// "blocks.*.attn.q" is "layers.*.self_attn.q_proj"; "*" is the number of the block. Without ".weight";
/// biases of matrices and norms are read where the file has them. The part "blocks.*.attn.qkv" is one tensor
/// that holds the queries, keys and values of all heads (TensorNames::fused).
struct TensorRow {
  std::string ours, file;
  bool bare = false;  ///< a vector whose name in the file has no ".weight"
};

struct TensorNames {
  /// How queries, keys and values lie in one tensor: [head, 3, d_head] rows, each of the three a copy; or all
  /// queries, all keys, all values side by side, three views.
  enum class Fused { heads, sides };
  std::vector<TensorRow> rows;
  WeightReader::Layout stored = WeightReader::Layout::out_in;  ///< of all matrices
  Fused fused = Fused::heads;

  /// The same names but for some parts.
  TensorNames with(const std::vector<TensorRow>& exceptions) const;
  const TensorRow* find(const std::string& ours) const;
};

/// Reads the parts of one stack that its config expects and the table names, under the stack's prefix
/// ("enc."). `folder` stands before each name in the file. Other parts are left alone. Errors: a tensor is
/// missing or has another shape.
Status read_named(Weights& out, const ModelConfig& stack, const WeightReader& from, const TensorNames& names,
                  const std::string& folder = "");

}  // namespace attnscope
