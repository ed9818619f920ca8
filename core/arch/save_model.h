// Writes a model as the folder other programs know: config.json, model.safetensors and tokenizer.json under
// the names of its family (GPT-2, Llama, BERT, Marian), or with our own names and specs ("attnscope") for
// models that no family describes. open_model() reads back the same model. Refuses a model that the layout
// cannot describe.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/model/model.h"

namespace attnscope {

/// `layout`: "gpt2", "llama", "bert", "marian", "attnscope". Files are written whole or not at all.
Status save_model(const std::string& folder, std::string_view layout, const Model& model,
                  const nlohmann::json& tokenizer);

}  // namespace attnscope
