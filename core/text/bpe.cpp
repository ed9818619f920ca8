#include "core/text/bpe.h"

#include <algorithm>

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
      return fail(Code::bad_format, "error.text.no_unknown", {in_quotes(*options.unknown)});
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
      return fail(Code::bad_format, "error.text.merge_lacks",
                  {rank, left.substr(0, 40), right.substr(0, 40), spellings[part]->substr(0, 80)});
    }
    merges_[pair_key(*ids[0], *ids[1])] = Joined{static_cast<int>(rank), *ids[2]};
  }
  learn_bridges(merges);
  return Done{};
}

// Pieces reach across a place by a merge whose parts meet there. Letters that carry a prefix or a suffix, and
// merges of bytes or of the unknown token, do not follow from the characters of the text.
void Bpe::learn_bridges(const std::vector<Merge>& merges) {
  if (!options_.continuing_prefix.empty() || !options_.end_suffix.empty()) return;
  const auto stands_in = [&](const std::string& spelling) {
    const auto id = vocabulary_.find(spelling);
    return id == unknown_ || std::find(byte_ids_.begin(), byte_ids_.end(), *id) != byte_ids_.end();
  };
  Bridges bridges;
  for (const auto& [left, right] : merges) {
    if (stands_in(left) || stands_in(right)) return;
    bridges.add(left, right);
  }
  bridges.settle();
  bridges_ = std::move(bridges);
}

MergeRule Bpe::rule(const MergeSymbol& left, const MergeSymbol& right) const {
  const auto found = merges_.find(pair_key(left.id, right.id));
  if (found == merges_.end()) return {};
  return {static_cast<double>(found->second.rank), found->second.id};
}

// A letter that the vocabulary lacks: its bytes, or the unknown token (with fuse_unknown joined to an
// unknown neighbour).
void Bpe::add_unknown(std::vector<MergeSymbol>& symbols, std::size_t begin, std::size_t end,
                      std::string_view bytes) const {
  if (has_all(byte_ids_, bytes)) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const auto at = static_cast<std::uint32_t>(std::min(begin + i, end - 1));
      symbols.push_back({byte_ids_[static_cast<unsigned char>(bytes[i])], at, 1});
    }
  } else if (unknown_) {
    if (options_.fuse_unknown && !symbols.empty() && symbols.back().unknown) {
      symbols.back().length += static_cast<std::uint32_t>(end - begin);
    } else {
      symbols.push_back({*unknown_, static_cast<std::uint32_t>(begin),
                         static_cast<std::uint32_t>(end - begin), -1, -1, false, true});
    }
  }
}

// The letters of a word, one by one, as the vocabulary spells them.
class Bpe::Letters {
 public:
  Letters(const Bpe& bpe, std::string_view word)
      : bpe_(bpe),
        word_(word),
        plain_(bpe.options_.continuing_prefix.empty() && bpe.options_.end_suffix.empty()) {}

  /// False behind the last one.
  bool next() {
    if (at_ >= word_.size()) return false;
    begin_ = at_;
    const bool known_before = id_.has_value();
    const char32_t before = character_;
    character_ = next_code_point(word_, at_);
    spelling_ = word_.substr(begin_, at_ - begin_);
    if (!plain_) {
      decorated_ = begin_ > 0 ? bpe_.options_.continuing_prefix : "";
      decorated_ += spelling_;
      if (at_ == word_.size()) decorated_ += bpe_.options_.end_suffix;
      spelling_ = decorated_;
    }
    id_ = bpe_.vocabulary_.find(spelling_);
    before_ = known_before && id_ ? std::optional(before) : std::nullopt;
    return true;
  }
  /// True where no piece reaches from the letter before to this one, both known.
  bool apart() const { return before_ && bpe_.bridges_ && !bpe_.bridges_->between(*before_, character_); }
  void put(std::vector<MergeSymbol>& symbols) const {
    if (id_)
      symbols.push_back({*id_, static_cast<std::uint32_t>(begin_), static_cast<std::uint32_t>(at_ - begin_)});
    else
      bpe_.add_unknown(symbols, begin_, at_, spelling_);
  }

 private:
  const Bpe& bpe_;
  std::string_view word_, spelling_;
  bool plain_;
  std::size_t at_ = 0, begin_ = 0;
  char32_t character_ = 0;
  std::optional<char32_t> before_;
  std::optional<int> id_;
  std::string decorated_;
};

void Bpe::cut_stretch(std::vector<MergeSymbol>& symbols, std::vector<WordPart>& out, WordSteps* steps) const {
  link_symbols(symbols);
  merge_symbols<MergeOrder::by_rank>(
      symbols, [this](const MergeSymbol& left, const MergeSymbol& right) { return rule(left, right); },
      steps);
  for (const MergeSymbol& symbol : symbols) {
    if (symbol.length > 0) out.push_back({symbol.id, symbol.begin, symbol.begin + symbol.length});
  }
  symbols.clear();
}

void Bpe::cut_word(std::string_view word, std::vector<WordPart>& out, WordSteps* steps) const {
  if (options_.ignore_merges) {
    if (const auto id = vocabulary_.find(word)) {
      out.push_back({*id, 0, word.size()});
      return;
    }
  }
  steps = merges_to_record(word, steps);
  std::vector<MergeSymbol> symbols;
  for (Letters letters(*this, word); letters.next();) {
    if (!steps && symbols.size() >= Bridges::kStretch && letters.apart()) cut_stretch(symbols, out, nullptr);
    letters.put(symbols);
  }
  cut_stretch(symbols, out, steps);
}

}  // namespace attnscope
