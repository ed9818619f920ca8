// Which number of its file each number of a weight was read from, whatever a family does to its tensors
// (parts of fused matrices, transposed ones, rows in another order): the family reads a file that holds, in
// the place of each number, where it stands. So weights that were changed can be written back into the file's
// own tensors. Errors: a weight whose numbers are not those of the file (computed ones), two weights that are
// one tensor in the file and were changed in two ways, a file of quantised numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/arch/family.h"
#include "core/io/tensor_source.h"
#include "core/io/writers.h"

namespace attnscope {

/// Every tensor of a file as it is written again.
struct FileTensors {
  std::vector<NamedTensor> tensors;
  std::vector<NamedInts> ints;
  std::int64_t changed = 0;  ///< weights
};

/// The tensors of `source` such that `family` reads `now` from them; those that hold no changed number are as
/// they were, in float32.
Result<FileTensors> tensors_with(const TensorSource& source, const Family& family, const ModelConfig& config,
                                 const Weights& now);

}  // namespace attnscope
