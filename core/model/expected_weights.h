// The weights of a config, by name and shape. Errors: sizes of the config that contradict each other, and
// weights that contradict the config, with the tensor's name and both shapes.
#pragma once

#include <string>
#include <vector>

#include "core/trace/config.h"

namespace attnscope {

/// A weight of a config: its name and logical shape ([in, out] for matrices).
struct WeightShape {
  std::string name;
  std::vector<std::int64_t> shape;
  bool required = true;  ///< biases and norm offsets may be absent
};
/// A table of vectors, one for each token, segment or position; the others are matrices and vectors.
bool is_table(const std::string& name);
/// The shape with the names of its axes: [in, out], of a table [vocab, d_model], of places [pos, d_model].
Shape named_shape(const WeightShape& weight);
std::vector<WeightShape> expected_weights(const ModelConfig& config);
/// Compares every weight with the config. Errors: bad_shape, not_found.
Status check_weights(const ModelConfig& config, const Weights& weights);

}  // namespace attnscope
