// The text of each id of a vocabulary, to compare the tokens of two models. An id without text
// equals no other id.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace attnscope {

class Tokenizer;

class TokenTexts {
 public:
  /// `text` gives the text of an id in 0 .. count-1; called once per id, at the first lookup.
  TokenTexts(int count, std::function<std::string(int id)> text);
  /// Empty for ids that spell nothing, and for those that are not there.
  const std::string& text(int id) const;
  /// The id that spells a text, a blank in front of either one aside; the lowest one that spells just it,
  /// where there is one. -1: none.
  int find(const std::string& text) const;
  int count() const { return count_; }
  /// The same for vocabularies that spell every id alike.
  std::uint64_t digest() const { return table().digest; }

 private:
  struct Table {
    std::vector<std::string> texts;
    std::unordered_map<std::string, int> exact, bare;
    std::uint64_t digest = 0;
  };
  const Table& table() const;

  int count_;
  std::function<std::string(int id)> text_;
  mutable std::once_flag once_;
  mutable Table table_;
};

/// Of the ids 0 .. count-1 of a tokenizer.
std::shared_ptr<const TokenTexts> texts_of(const std::shared_ptr<const Tokenizer>& tokenizer, int count);

/// A text without the blank that some vocabularies write in front of a word.
std::string_view bare_text(std::string_view text);
/// Both spell every id alike. Where one of the two is not known, ids are taken at their word: true.
bool same_texts(const TokenTexts* a, const TokenTexts* b);

}  // namespace attnscope
