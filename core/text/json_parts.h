// The components of a tokenizer.json, each from its JSON: normalizer and pre-tokenizer (json_parts.cpp),
// post-processor and decoder (json_after.cpp), model (json_models.cpp). Error: a component of an unknown
// type, with a list of the known ones.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/text/decoder.h"
#include "core/text/json_node.h"
#include "core/text/normalizer.h"
#include "core/text/post_processor.h"
#include "core/text/pre_tokenizer.h"
#include "core/text/word_model.h"

namespace attnscope {

Result<Normalizer> normalizer_from(const JsonNode& node);
Result<PreTokenizer> pre_tokenizer_from(const JsonNode& node);
Result<PostProcessor> post_processor_from(const JsonNode& node);
Result<Decoder> decoder_from(const JsonNode& node);
Result<std::shared_ptr<const WordModel>> model_from(const JsonNode& node);

/// "decoder has the type "Telepathy", which is not known", and the list of the known ones.
Error unknown_part(const JsonNode& node, const std::string& type, const char* known);
/// {"String": "..."} or {"Regex": "..."}; a bare string is literal.
Result<Pattern> pattern_from(const JsonNode& node, const char* key);
/// A member that is one character; `fallback` where it is absent (none: it must be there).
Result<std::string> character_from(const JsonNode& node, const char* key, const char* fallback);

/// The settings of a Metaspace, in the old spelling (add_prefix_space) and the new one (prepend_scheme).
struct Metaspace {
  std::string mark;
  PrependMark prepend = PrependMark::always;
  bool split = true;
};
Result<Metaspace> metaspace_of(const JsonNode& node);

/// The members of a Sequence, each read by `read`.
template <class Part>
Result<std::vector<Part>> parts_from(const JsonNode& node, const char* key,
                                     Result<Part> (*read)(const JsonNode&)) {
  TRY(const auto list, node.array(key));
  std::vector<Part> out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    TRY(auto part, read(list.at(i)));
    out.push_back(std::move(part));
  }
  return out;
}

}  // namespace attnscope
