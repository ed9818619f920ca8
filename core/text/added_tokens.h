// Tokens that are found in the text as they are, before words are cut: "<|endoftext|>", "[MASK]".
// Leftmost first, the longest there; as the Hugging Face tokenizers do it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/text/byte_trie.h"
#include "core/text/mapped_text.h"
#include "core/text/normalizer.h"
#include "core/text/pre_tokenizer.h"
#include "core/text/vocabulary.h"

namespace attnscope {

struct AddedToken {
  std::string content;
  int id = 0;
  bool special = false;
  bool single_word = false;  // only where no letter or digit touches it
  bool lstrip = false;       // takes the white space before it along
  bool rstrip = false;       // ... and after it
  bool normalized = false;   // is looked for in the normalized text
};

class AddedTokens {
 public:
  /// `normalizer` may be empty. Errors (with the token): an id out of range or of another token.
  static Result<AddedTokens> make(const std::vector<AddedToken>& tokens, const Normalizer& normalizer);

  /// Cuts the text into added tokens and normalized stretches between them, and hands them on in order.
  Status cut(const MappedText& text, const Normalizer& normalizer, const WordSink& sink) const;
  /// Null where `id` is no added token.
  const AddedToken* at(int id) const;
  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  Status find(const ByteTrie& finder, const MappedText& text, const WordSink& sink) const;

  Vocabulary vocabulary_;
  std::unordered_map<int, AddedToken> tokens_;
  ByteTrie raw_, normalized_;
};

}  // namespace attnscope
