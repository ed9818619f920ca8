// Writes a model as the folder other programs read: config.json, model.safetensors and tokenizer.json under
// the names of its family (GPT-2, Llama, BERT, Marian), or with our own names and specs ("attnscope") for
// models that no family describes. open_model() reads back the same model. Error: a model that the layout
// cannot describe.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/model/model.h"
#include "core/system/atomic_folder.h"

namespace attnscope {

/// `layout`: "gpt2", "llama", "bert", "marian", "attnscope". The folder is made where there is none; its
/// files are written whole or not at all, and take the place of old ones together. Numbers are float32.
/// `tokenizer` is the content of tokenizer.json; null leaves it out. A bias that the layout requires and the
/// model lacks is written as zeros, one of zeros that has no place there is left out. Errors: unsupported
/// (with what does not fit), io_failed.
Status save_model(const std::string& folder, std::string_view layout, const Model& model,
                  const nlohmann::json& tokenizer);
/// The same into a folder that the caller commits, with other files beside them.
Status put_model(const AtomicFolder& folder, std::string_view layout, const Model& model,
                 const nlohmann::json& tokenizer);
/// Whether the layout can store the model, without writing anything; the same errors.
Status can_save(std::string_view layout, const Model& model);
/// `layout`, or our own where that cannot hold the model. Errors: neither can.
Result<std::string> fitting_layout(std::string_view layout, const Model& model);

}  // namespace attnscope
