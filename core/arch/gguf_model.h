// GGUF models seen as Hugging Face's: the metadata as a config.json, the tensors under the names and in the
// order of rows which the families read, so that one file per family serves both. Undone on the way: the
// reordering of Llama's Q and K rows for interleaved rotation, GPT-NeoX's regrouped QKV, GPT-2's transposed
// matrices, Gemma's norms stored with 1 added. Error: an architecture without a table of names.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/io/gguf.h"

namespace attnscope {

/// The names that are known of `general.architecture`: "gpt2", "llama", ...
std::vector<std::string> gguf_architectures();

/// The metadata as a config with Hugging Face's keys. Errors: an unknown architecture (the known ones are
/// listed), a file that holds a vocabulary only, required entries that are missing or no numbers.
Result<nlohmann::json> gguf_config(const Gguf& file);

/// The tensors under Hugging Face's names, with their shapes and values. `config` is gguf_config's.
Result<std::shared_ptr<TensorSource>> gguf_source(const Gguf& file, const nlohmann::json& config);

}  // namespace attnscope
