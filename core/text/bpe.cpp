#include "core/text/bpe.h"

#include <queue>
#include <tuple>

#include "core/base/text.h"

namespace attnscope {

// One letter or merged piece of a word, in a doubly linked list by index; length 0 = merged into its left
// neighbour.
struct Bpe::Symbol {
  int id;
  std::size_t begin, length;
  int previous, next;
  bool unknown;
};

namespace {

std::uint64_t pair_key(int left, int right) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) |
         static_cast<std::uint32_t>(right);
}

struct Candidate {
  int rank, left, id;
  bool operator<(const Candidate& other) const {  // a max-heap: the smallest rank, then the leftmost, on top
    return std::tie(other.rank, other.left) < std::tie(rank, left);
  }
};

}  // namespace

Result<Bpe> Bpe::make(Vocabulary vocabulary, const std::vector<Merge>& merges, const BpeOptions& options) {
  Bpe bpe;
  bpe.vocabulary_ = std::move(vocabulary);
  bpe.options_ = options;
  if (options.unknown) {
    bpe.unknown_ = bpe.vocabulary_.find(*options.unknown);
    if (!bpe.unknown_) {
      return fail(Code::bad_format,
                  format("the unknown token \"%s\" is not in the vocabulary", options.unknown->c_str()),
                  "Add it to model.vocab, or set model.unk_token to null.");
    }
  }
  if (options.byte_fallback) {
    for (unsigned byte = 0; byte < 256; ++byte) {
      bpe.byte_ids_.push_back(bpe.vocabulary_.find(format("<0x%02X>", byte)).value_or(-1));
    }
  }
  TRY_OK(bpe.learn(merges));
  return bpe;
}

Status Bpe::learn(const std::vector<Merge>& merges) {
  merges_.reserve(merges.size());
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const auto& [left, right] = merges[rank];
    const std::size_t skip = std::min(right.size(), options_.continuing_prefix.size());
    const std::string whole = left + right.substr(skip);
    std::optional<int> ids[3];
    const std::string* spellings[3] = {&left, &right, &whole};
    for (int part = 0; part < 3; ++part) {
      ids[part] = vocabulary_.find(*spellings[part]);
      if (ids[part]) continue;
      return fail(Code::bad_format,
                  format("merge %zu (\"%s\" + \"%s\") needs the token \"%s\", which the vocabulary lacks",
                         rank, left.substr(0, 40).c_str(), right.substr(0, 40).c_str(),
                         spellings[part]->substr(0, 80).c_str()),
                  "The vocabulary and the merges must come from the same training run.");
    }
    merges_[pair_key(*ids[0], *ids[1])] = Joined{static_cast<int>(rank), *ids[2]};
  }
  return Done{};
}

const Bpe::Joined* Bpe::joined(int left, int right) const {
  const auto found = merges_.find(pair_key(left, right));
  return found == merges_.end() ? nullptr : &found->second;
}

// A letter the vocabulary lacks: its bytes, or the unknown token (joined to an unknown neighbour where asked
// to).
void Bpe::add_unknown(std::vector<Symbol>& symbols, std::size_t begin, std::size_t end,
                      std::string_view bytes) const {
  bool all_bytes_known = !byte_ids_.empty();
  for (const char c : bytes) {
    all_bytes_known = all_bytes_known && byte_ids_[static_cast<unsigned char>(c)] >= 0;
  }
  if (all_bytes_known) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::size_t at = std::min(begin + i, end - 1);
      symbols.push_back({byte_ids_[static_cast<unsigned char>(bytes[i])], at, 1, 0, 0, false});
    }
  } else if (unknown_) {
    if (options_.fuse_unknown && !symbols.empty() && symbols.back().unknown) {
      symbols.back().length += end - begin;
    } else {
      symbols.push_back({*unknown_, begin, end - begin, 0, 0, true});
    }
  }
}

std::vector<Bpe::Symbol> Bpe::letters(std::string_view word) const {
  std::vector<Symbol> symbols;
  symbols.reserve(word.size());
  const bool plain = options_.continuing_prefix.empty() && options_.end_suffix.empty();
  std::string decorated;
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t begin = at;
    next_code_point(word, at);
    std::string_view letter = word.substr(begin, at - begin);
    if (!plain) {
      decorated = begin > 0 ? options_.continuing_prefix : "";
      decorated += letter;
      if (at == word.size()) decorated += options_.end_suffix;
      letter = decorated;
    }
    if (const auto id = vocabulary_.find(letter)) {
      symbols.push_back({*id, begin, at - begin, 0, 0, false});
    } else {
      add_unknown(symbols, begin, at, letter);
    }
  }
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    symbols[i].previous = static_cast<int>(i) - 1;
    symbols[i].next = i + 1 < symbols.size() ? static_cast<int>(i) + 1 : -1;
  }
  return symbols;
}

void Bpe::merge(std::vector<Symbol>& symbols) const {
  std::priority_queue<Candidate> queue;
  const auto consider = [&](int left) {
    const int right = left < 0 ? -1 : symbols[static_cast<std::size_t>(left)].next;
    if (right < 0) return;
    const Joined* found =
        joined(symbols[static_cast<std::size_t>(left)].id, symbols[static_cast<std::size_t>(right)].id);
    if (found) queue.push({found->rank, left, found->id});
  };
  for (std::size_t i = 0; i < symbols.size(); ++i) consider(static_cast<int>(i));
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Symbol& left = symbols[static_cast<std::size_t>(best.left)];
    if (left.length == 0 || left.next < 0) continue;
    Symbol& right = symbols[static_cast<std::size_t>(left.next)];
    const Joined* now = joined(left.id, right.id);
    if (!now || now->id != best.id) continue;  // the pair this candidate was made for has changed since
    left.id = best.id;
    left.length += right.length;
    left.next = right.next;
    right.length = 0;
    if (left.next >= 0) symbols[static_cast<std::size_t>(left.next)].previous = best.left;
    consider(left.previous);
    consider(best.left);
  }
}

void Bpe::cut(std::string_view word, std::vector<WordPart>& out) const {
  if (options_.ignore_merges) {
    if (const auto id = vocabulary_.find(word)) {
      out.push_back({*id, 0, word.size()});
      return;
    }
  }
  std::vector<Symbol> symbols = letters(word);
  merge(symbols);
  for (const Symbol& symbol : symbols) {
    if (symbol.length > 0) out.push_back({symbol.id, symbol.begin, symbol.begin + symbol.length});
  }
}

}  // namespace attnscope
