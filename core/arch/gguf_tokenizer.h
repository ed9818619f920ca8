// Where GGUF files and tokenizers meet: the vocabulary in the metadata, and one door for every kind of
// tokenizer file.
#pragma once

#include <memory>
#include <string>

#include "core/io/gguf.h"
#include "core/text/gguf_vocabulary.h"

namespace attnscope {

/// What the tokenizer.ggml.* entries say; entries of an unexpected type count as absent.
GgufVocabulary gguf_vocabulary(const Gguf& file);

/// A folder, any tokenizer file that open_tokenizer() takes, a model file beside one (config.json,
/// *.safetensors), or a GGUF file. Errors name the file.
Result<std::shared_ptr<const Tokenizer>> open_any_tokenizer(const std::string& path);

}  // namespace attnscope
