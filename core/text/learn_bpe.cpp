#include "core/text/learn_bpe.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/base/text.h"
#include "core/text/byte_level.h"

namespace attnscope {
namespace {

enum class CharacterKind : std::uint8_t { space, letter, digit, other };

CharacterKind learn_bpe_kind_of(unsigned char byte) {
  if (byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r') return CharacterKind::space;
  if (byte >= 0x80 || std::isalpha(byte)) return CharacterKind::letter;
  return std::isdigit(byte) ? CharacterKind::digit : CharacterKind::other;
}

// A word and the blank in front of it, as the pattern of GPT-2 cuts: letters, digits and signs apart.
std::map<std::string, long> learn_bpe_words_of(std::span<const std::string_view> texts) {
  std::map<std::string, long> out;
  for (const std::string_view text : texts)
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at;
      if (text[end] == ' ' && end + 1 < text.size()) ++end;
      const CharacterKind kind = learn_bpe_kind_of(static_cast<unsigned char>(text[end]));
      if (kind == CharacterKind::space) {
        at = end + (end == at ? 1 : 0);
        continue;
      }
      while (end < text.size() && learn_bpe_kind_of(static_cast<unsigned char>(text[end])) == kind) ++end;
      ++out[std::string(text.substr(at, end - at))];
      at = end;
    }
  return out;
}

struct CountedWord {
  std::vector<int> pieces;
  long count = 0;
};

std::uint64_t learn_bpe_pair_of(int left, int right) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
         static_cast<std::uint32_t>(right);
}

using Pairs = std::unordered_map<std::uint64_t, long>;

void count_pairs(const CountedWord& word, long sign, Pairs& pairs) {
  for (std::size_t i = 0; i + 1 < word.pieces.size(); ++i)
    pairs[learn_bpe_pair_of(word.pieces[i], word.pieces[i + 1])] += sign * word.count;
}

bool has_pair(const std::vector<int>& pieces, int left, int right) {
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i)
    if (pieces[i] == left && pieces[i + 1] == right) return true;
  return false;
}

void merge_pairs(std::vector<int>& pieces, int left, int right, int made) {
  std::size_t to = 0;
  for (std::size_t from = 0; from < pieces.size(); ++to) {
    const bool here = from + 1 < pieces.size() && pieces[from] == left && pieces[from + 1] == right;
    pieces[to] = here ? made : pieces[from];
    from += here ? 2 : 1;
  }
  pieces.resize(to);
}

}  // namespace

std::vector<std::string> learn_merges(std::span<const std::string_view> texts, int count,
                                      const std::atomic<bool>* cancel) {
  std::vector<std::string> spellings;
  for (int byte = 0; byte < 256; ++byte) spellings.push_back(byte_letter(static_cast<unsigned char>(byte)));
  std::vector<CountedWord> words;
  for (const auto& [word, times] : learn_bpe_words_of(texts)) {
    words.push_back({{}, times});
    for (const char c : word) words.back().pieces.push_back(static_cast<unsigned char>(c));
  }
  std::vector<std::string> out;
  Pairs pairs;
  for (const CountedWord& word : words) count_pairs(word, 1, pairs);
  while (static_cast<int>(out.size()) < count && !(cancel && *cancel)) {
    long most = 1;  // what occurs once teaches nothing
    std::string spelled;
    int left = -1, right = -1;
    for (const auto& [pair, times] : pairs) {
      if (times < most || times < 2) continue;
      const int a = static_cast<int>(pair >> 32), b = static_cast<int>(pair & 0xFFFFFFFFu);
      std::string own = spellings[static_cast<std::size_t>(a)] + " " + spellings[static_cast<std::size_t>(b)];
      if (times == most && !(own < spelled)) continue;
      most = times, left = a, right = b, spelled = std::move(own);
    }
    if (left < 0) break;
    const int made = static_cast<int>(spellings.size());
    spellings.push_back(spellings[static_cast<std::size_t>(left)] +
                        spellings[static_cast<std::size_t>(right)]);
    out.push_back(spelled);
    for (CountedWord& word : words) {
      if (!has_pair(word.pieces, left, right)) continue;
      count_pairs(word, -1, pairs);
      merge_pairs(word.pieces, left, right, made);
      count_pairs(word, 1, pairs);
    }
  }
  return out;
}

Result<std::shared_ptr<const Tokenizer>> tokenizer_of_merges(const std::vector<std::string>& merges,
                                                             std::size_t count) {
  ByteLevelBpe parts;
  for (int byte = 0; byte < 256; ++byte) parts.vocab.push_back(byte_letter(static_cast<unsigned char>(byte)));
  for (std::size_t i = 0; i < std::min(count, merges.size()); ++i) {
    const std::size_t space = merges[i].find(' ', 1);
    if (space == std::string::npos)
      return fail(Code::bad_format, "error.text.merge_form", {i, printable(merges[i], 40)});
    parts.merges.push_back(merges[i]);
    parts.vocab.push_back(merges[i].substr(0, space) + merges[i].substr(space + 1));
  }
  return make_byte_level_bpe(parts, "BPE");
}

Result<std::shared_ptr<const Tokenizer>> unigram_of_merges(std::span<const std::string_view> texts,
                                                           const std::vector<std::string>& merges,
                                                           std::size_t count) {
  TRY(const auto bpe, tokenizer_of_merges(merges, count));
  // How often each piece stands in the texts; blanks are the mark of SentencePiece.
  std::map<std::string, double> pieces;
  const auto marked = [](std::string_view text) {
    std::string out;
    for (const char c : text) out += c == ' ' ? std::string("▁") : std::string(1, c);
    return out;
  };
  for (const auto& [word, times] : learn_bpe_words_of(texts)) {
    TRY(const Encoding encoding, bpe->encode(word, false));
    for (const Token& token : encoding.tokens) {
      const std::string bytes = bytes_of_letters(token.text);
      if (valid_utf8(bytes) == bytes) pieces[marked(bytes)] += static_cast<double>(times);
    }
    for (std::size_t at = 0; at < word.size();) {  // every character can be spelled, if dearly
      const std::size_t begin = at;
      next_code_point(word, at);
      const std::string_view one = std::string_view(word).substr(begin, at - begin);
      if (valid_utf8(one) == one) pieces[marked(one)] += 0.01;
    }
  }
  double all = 0;
  for (const auto& [piece, times] : pieces) all += times;
  nlohmann::json vocab = nlohmann::json::array({nlohmann::json::array({"<unk>", 0.0})});
  for (const auto& [piece, times] : pieces)
    vocab.push_back(nlohmann::json::array({piece, std::log(times / all)}));
  const nlohmann::json space = {
      {"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "never"}, {"split", true}};
  const nlohmann::json file = {{"version", "1.0"},
                               {"added_tokens", nlohmann::json::array()},
                               {"normalizer", nullptr},
                               {"pre_tokenizer", space},
                               {"post_processor", nullptr},
                               {"decoder", space},
                               {"model", {{"type", "Unigram"}, {"unk_id", 0}, {"vocab", vocab}}}};
  return tokenizer_from_json(file.dump(), "Unigram");
}

}  // namespace attnscope
