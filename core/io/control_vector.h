// Control vectors of llama.cpp: one direction per block, to be added to the residual stream behind it, in a
// GGUF file. Errors: other files, other tensors, widths that differ, a block 0 (which the format has not).
#pragma once

#include <map>
#include <string>

#include "core/base/result.h"
#include "core/tensor/tensor.h"

namespace attnscope {

/// As llama.cpp reads them (common_control_vector_load_one in common/common.cpp, llama_adapter_cvec in
/// src/llama-adapter.cpp) and its cvector-generator writes them (tools/cvector-generator): F32 tensors
/// "direction.N" [n_embd], N from 1, added to the output of block N (counted from 0); metadata
/// general.architecture = "controlvector", controlvector.model_hint, controlvector.layer_count.
struct ControlVector {
  std::string model_hint;         ///< the architecture that it was made for: "llama"
  std::string run = {};           ///< of our own: what it was made of, as JSON ("attnscope.run"); else empty
  std::map<int, Tensor> vectors;  ///< by block, from 1 on; all of one width
};

Result<ControlVector> read_control_vector(const std::string& path);
/// layer_count is the last block that has one, as the generator's; blocks between without one are left out.
Status write_control_vector(const std::string& path, const ControlVector& vector);

}  // namespace attnscope
