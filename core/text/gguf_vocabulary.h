// The vocabulary inside a GGUF file as a tokenizer, by the rules of llama.cpp: "gpt2" (byte-level BPE, the
// words cut by the pattern `pre`), "llama" (SentencePiece BPE), "bert" (WordPiece, marks instead of "##"),
// "t5" (unigram). Reads no file. Errors: unsupported for other models and unknown `pre`, with their names.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/text/tokenizer.h"

namespace attnscope {

struct GgufVocabulary {
  std::string what;  // name of the file in errors
  std::string model;
  std::string pre;  // empty: "default"
  std::vector<std::string> tokens;
  std::vector<float> scores;        // empty = all 0
  std::vector<int> types;           // 1 normal, 2 unknown, 3 control, 4 user defined, 5 unused, 6 byte
  std::vector<std::string> merges;  // "a b", best first
  std::string charsmap;             // compiled replacements
  std::optional<int> bos, eos, unknown, sep, cls, pad, mask;
  // Settings of the file; nullopt: the default of llama.cpp for this model.
  std::optional<bool> add_bos, add_eos, add_sep, add_space_prefix, remove_extra_whitespaces;
  std::optional<bool> lowercase, strip_accents;  // "bert"
};

Result<std::shared_ptr<const Tokenizer>> make_gguf_tokenizer(const GgufVocabulary& vocabulary);

}  // namespace attnscope
