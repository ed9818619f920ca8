// Tokenizers of tasks: a list of words becomes the content of a tokenizer.json (WordLevel; WordPiece where a
// word opens with "##", which joins the word before it), and a table from words to ids. The text reads well
// again: no space before full stops. Aborts on words that stand in the list twice: lists are our own.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

struct WordTokenizer {
  /// How a text is cut: at white space and signs, or into single letters that are written without spaces.
  enum class Cut { words, letters };

  std::vector<std::string> words;    ///< the spelling of each id, specials among them
  std::vector<std::string> special;  ///< those that are no text: "<bos>", "[MASK]"
  std::string unknown;               ///< what every other word becomes; empty: it is left out
  std::string before, after;         ///< specials that stand around an encoded text; empty = none
  Cut cut = Cut::words;
};

/// The content of tokenizer.json.
nlohmann::json tokenizer_json(const WordTokenizer& parts);

/// From words to ids and back.
class WordIds {
 public:
  explicit WordIds(std::vector<std::string> words);
  int size() const { return static_cast<int>(words_.size()); }
  /// The id of a word of the list; aborts for every other word.
  int operator[](std::string_view word) const;
  bool has(std::string_view word) const { return ids_.find(word) != ids_.end(); }
  const std::string& word(int id) const { return words_[static_cast<std::size_t>(id)]; }
  const std::vector<std::string>& words() const { return words_; }
  /// "The cat sat ." -> ids of the words between the spaces.
  std::vector<int> read(std::string_view spaced) const;

 private:
  std::vector<std::string> words_;
  std::map<std::string, int, std::less<>> ids_;
};

}  // namespace attnscope
