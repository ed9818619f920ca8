// Tokenizers from GGUF files: the vocabulary in the metadata, and one function that opens every kind of
// tokenizer file.
#pragma once

#include <memory>
#include <string>

#include "core/io/gguf.h"
#include "core/text/gguf_vocabulary.h"

namespace attnscope {

/// The tokenizer.ggml.* entries; entries of an unexpected type count as absent.
GgufVocabulary gguf_vocabulary(const Gguf& file);

/// A folder, any tokenizer file that open_tokenizer() takes, a model file beside one (config.json,
/// *.safetensors), or a GGUF file. Errors have the path of the file.
Result<std::shared_ptr<const Tokenizer>> open_any_tokenizer(const std::string& path);

}  // namespace attnscope
