// Writes an opened model as it is under edits of its weights: a folder with config.json, model.safetensors
// and the tokenizer's files as they were, under the names and in the layout of its source; what was GGUF, a
// scene or of random numbers in the layout of its family, or in our own. Numbers are float32. A head that is
// off (attn.z[head=h]=0) and a neuron that is off (mlp.post[d_mlp=n]=0) are written as rows of zeros of the
// matrix behind them, an output that is off (mlp.out=0) as zeros of its matrix and bias. Exchanged parts
// (mlp.activation=relu, attn.scaling=off) are said by config.json, and such a model is opened again and run
// beside the edited one before it gets its name. Errors: an edit that no config and no weight can say, by its
// own text; a folder with
// something in it; quantised numbers; what the layout cannot hold. The folder is there whole or not at all.
#pragma once

#include <string>
#include <vector>

#include "core/arch/open.h"
#include "core/trace/edit.h"

namespace attnscope {

struct SavedModel {
  std::vector<std::string> files;
  std::string layout;         ///< empty: that of the source
  std::string lora;           ///< the adapter that its matrices have in them: "NAME:0.5"; empty: none
  std::int64_t weights = 0;   ///< that are not as in the source
  bool no_tokenizer = false;  ///< the source has one that is no file
};
Result<SavedModel> save_edited(const std::string& folder, const OpenedModel& opened, const Edits& edits);

/// The same edits as edits of weights and exchanges. Errors: the first that is neither.
Result<Edits> as_weight_edits(const ModelConfig& config, const Weights& weights, const Edits& edits);

}  // namespace attnscope
