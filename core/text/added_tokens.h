// Tokens that are found in the text as they are, before words are cut: "<|endoftext|>", "[MASK]".
// Leftmost first, the longest there; as the Hugging Face tokenizers do it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/text/mapped_text.h"
#include "core/text/normalizer.h"
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
  /// `normalizer` may be empty. Errors name the token: an id out of range or of another token.
  static Result<AddedTokens> make(const std::vector<AddedToken>& tokens, const Normalizer& normalizer);

  /// Cuts the text into added tokens and normalized stretches between them.
  Result<std::vector<Segment>> cut(MappedText text, const Normalizer& normalizer) const;
  /// Null where `id` is no added token.
  const AddedToken* at(int id) const;
  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  // Spellings by length, longest first, under their first byte.
  struct Finder {
    std::unordered_map<std::string, int> ids;
    std::vector<std::size_t> lengths[256];
    void add(const std::string& spelling, int id);
    std::optional<int> match(std::string_view text, std::size_t at, std::size_t& end) const;
  };
  void find(const Finder& finder, const MappedText& text, std::vector<Segment>& out) const;

  Vocabulary vocabulary_;
  std::unordered_map<int, AddedToken> tokens_;
  Finder raw_, normalized_;
};

}  // namespace attnscope
