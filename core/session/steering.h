// Steering vectors: files of directions that are added to the residual stream, one for each block, as edits
// like any other ("blocks.3.resid_post+=@v.gguf"). Files: control vectors of llama.cpp (.gguf), and arrays by
// the names of the steps (.npz, .safetensors), as `attnscope-cli direction` writes them. Errors: a width or a
// block that the model does not have; the sentence has both numbers.
#pragma once

#include <string>
#include <vector>

#include "core/arch/open.h"
#include "core/trace/edit.h"

namespace attnscope {

/// "v.gguf", "v.gguf:0.5": what each vector is multiplied by.
struct SteerChoice {
  std::string path;
  double strength = 1;
};
/// Errors: no number behind the colon.
Result<SteerChoice> parse_steer(const std::string& text);

/// One of the vectors of a file.
struct SteerVector {
  Site site;                       ///< where it is added: blocks.N.resid_post
  Tensor values;                   ///< [d_model]
  std::string from;                ///< as an edit names it: "v.gguf", "v.npz:blocks.3.resid_post"
  std::vector<AxisRange> at = {};  ///< rows; empty: all
};
/// All of a file, by block.
Result<std::vector<SteerVector>> read_steering(const std::string& path, const ModelConfig& config);
/// The edit that adds it, `strength` times: "blocks.3.resid_post+=@dir:v.gguf*0.5".
std::shared_ptr<const Edit> steering_edit(const SteerVector& vector, double strength);
/// Of all vectors of the choice.
Result<Edits> steering_edits(const SteerChoice& choice, const ModelConfig& config);

/// A sentence for each file that the edits or choices take numbers of and that says that it was made from
/// another model: by the fingerprint of its `run` (arrays, GGUF).
std::vector<Text> other_models(const std::vector<std::string>& edits, const OpenedModel& opened);

}  // namespace attnscope
