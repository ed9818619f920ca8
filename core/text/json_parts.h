// The components of a tokenizer.json, each from its JSON: normalizer, pre-tokenizer, post-processor, decoder.
// Refuses components it does not know by name, with a list of the ones it does.
#pragma once

#include "core/text/json_node.h"
#include "core/text/normalizer.h"
#include "core/text/post_processor.h"
#include "core/text/pre_tokenizer.h"

namespace attnscope {

Result<Normalizer> normalizer_from(const JsonNode& node);
Result<PreTokenizer> pre_tokenizer_from(const JsonNode& node);
Result<PostProcessor> post_processor_from(const JsonNode& node);
Result<Decoder> decoder_from(const JsonNode& node);

}  // namespace attnscope
