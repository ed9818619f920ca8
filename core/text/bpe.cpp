#include "core/text/bpe.h"

#include "core/base/text.h"

namespace attnscope {

namespace {

std::uint64_t pair_key(int left, int right) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) |
         static_cast<std::uint32_t>(right);
}

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
  if (options.byte_fallback) bpe.byte_ids_ = byte_ids_of(bpe.vocabulary_);
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

MergeRule Bpe::rule(const MergeSymbol& left, const MergeSymbol& right) const {
  const auto found = merges_.find(pair_key(left.id, right.id));
  if (found == merges_.end()) return {};
  return {static_cast<double>(found->second.rank), found->second.id, found->second.rank, 0.0};
}

// A letter the vocabulary lacks: its bytes, or the unknown token (joined to an unknown neighbour where asked
// to).
void Bpe::add_unknown(std::vector<MergeSymbol>& symbols, std::size_t begin, std::size_t end,
                      std::string_view bytes) const {
  if (has_all(byte_ids_, bytes)) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::size_t at = std::min(begin + i, end - 1);
      symbols.push_back({byte_ids_[static_cast<unsigned char>(bytes[i])], at, 1});
    }
  } else if (unknown_) {
    if (options_.fuse_unknown && !symbols.empty() && symbols.back().unknown) {
      symbols.back().length += end - begin;
    } else {
      symbols.push_back({*unknown_, begin, end - begin, -1, -1, false, true});
    }
  }
}

std::vector<MergeSymbol> Bpe::letters(std::string_view word) const {
  std::vector<MergeSymbol> symbols;
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
      symbols.push_back({*id, begin, at - begin});
    } else {
      add_unknown(symbols, begin, at, letter);
    }
  }
  link_symbols(symbols);
  return symbols;
}

void Bpe::cut_word(std::string_view word, std::vector<WordPart>& out, WordSteps* steps) const {
  if (options_.ignore_merges) {
    if (const auto id = vocabulary_.find(word)) {
      out.push_back({*id, 0, word.size()});
      return;
    }
  }
  std::vector<MergeSymbol> symbols = letters(word);
  merge_symbols(
      symbols, [this](const MergeSymbol& left, const MergeSymbol& right) { return rule(left, right); },
      steps);
  for (const MergeSymbol& symbol : symbols) {
    if (symbol.length > 0) out.push_back({symbol.id, symbol.begin, symbol.begin + symbol.length});
  }
}

}  // namespace attnscope
