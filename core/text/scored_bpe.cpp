#include "core/text/scored_bpe.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace attnscope {

Result<ScoredBpe> ScoredBpe::make(const std::vector<ScoredPiece>& pieces, std::optional<int> unknown,
                                  bool byte_fallback) {
  ScoredBpe out;
  out.unknown_ = unknown;
  out.vocabulary_.reserve(pieces.size());
  std::vector<ByteTrie::Entry> user;
  Bridges bridges;
  bool whole = true;  // no piece is taken apart again, which depends on what happened elsewhere in the word
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const ScoredPiece& piece = pieces[id];
    if (!std::isfinite(piece.score) || piece.spelling.size() > kMaxSpelling) {
      const bool large = std::isfinite(piece.score);
      return fail(Code::bad_format, large ? "error.text.piece_large" : "error.text.piece_score",
                  {valid_utf8(piece.spelling.substr(0, 40)), id});
    }
    TRY_OK(out.vocabulary_.add_or_repeat(piece.spelling, static_cast<std::int64_t>(id)));
    out.scores_.push_back(piece.score);
    out.kinds_.push_back(piece.kind);
    out.longest_ = std::max(out.longest_, piece.spelling.size());
    if (piece.kind == PieceKind::user) user.emplace_back(piece.spelling, static_cast<int>(id));
    bridges.add(piece.spelling);
    whole = whole && piece.kind != PieceKind::unused;
  }
  bridges.settle();
  if (whole) out.bridges_ = std::move(bridges);
  out.user_ = ByteTrie(std::move(user));
  if (byte_fallback) out.byte_ids_ = byte_ids_of(out.vocabulary_);
  return out;
}

int ScoredBpe::find(std::string_view text) const {
  if (text.size() > longest_) return -1;
  const auto id = vocabulary_.find(text);
  if (!id) return -1;
  const PieceKind kind = kinds_[static_cast<std::size_t>(*id)];
  const bool cut = kind == PieceKind::normal || kind == PieceKind::user || kind == PieceKind::unused;
  return cut ? *id : -1;
}

MergeSymbol ScoredBpe::letter(std::string_view word, std::size_t at) const {
  const auto begin = static_cast<std::uint32_t>(at);
  const auto [length, id] = user_.longest(word.substr(at));
  if (length > 0) return {id, begin, static_cast<std::uint32_t>(length), -1, -1, true};
  next_code_point(word, at);
  return {find(word.substr(begin, at - begin)), begin, static_cast<std::uint32_t>(at - begin)};
}

// A piece, or what an unused one was joined from.
void ScoredBpe::take_apart(std::string_view word, WordPart part, const Splits& splits,
                           std::vector<WordPart>& out) const {
  std::vector<WordPart> open{part};
  while (!open.empty()) {
    part = open.back();
    open.pop_back();
    const std::string_view text = word.substr(part.begin, part.end - part.begin);
    part.id = find(text);
    const bool unused = part.id >= 0 && kinds_[static_cast<std::size_t>(part.id)] == PieceKind::unused;
    const auto split = unused ? splits.find(text) : splits.end();
    if (split != splits.end()) {
      open.push_back({-1, part.begin + split->second, part.end});
      open.push_back({-1, part.begin, part.begin + split->second});
    } else if (part.id >= 0) {
      out.push_back(part);
    } else {
      add_unknown(word, part, out);
    }
  }
}

void ScoredBpe::add_unknown(std::string_view word, const WordPart& part, std::vector<WordPart>& out) const {
  const std::string_view text = word.substr(part.begin, part.end - part.begin);
  if (has_all(byte_ids_, text)) {
    for (std::size_t at = part.begin; at < part.end; ++at)
      out.push_back({byte_ids_[static_cast<unsigned char>(word[at])], at, at + 1});
  } else if (unknown_ && !out.empty() && out.back().id == *unknown_ && out.back().end == part.begin) {
    out.back().end = part.end;
  } else if (unknown_) {
    out.push_back({*unknown_, part.begin, part.end, true});
  }
}

void ScoredBpe::cut_stretch(std::string_view word, std::vector<MergeSymbol>& symbols,
                            std::vector<WordPart>& out, WordSteps* steps) const {
  link_symbols(symbols);
  Splits splits;
  const auto rule = [&](const MergeSymbol& left, const MergeSymbol& right) -> MergeRule {
    const std::string_view text = word.substr(left.begin, left.length + right.length);
    const int id = find(text);
    if (id < 0) return {};
    if (kinds_[static_cast<std::size_t>(id)] == PieceKind::unused) splits[text] = left.length;
    return {-static_cast<double>(scores_[static_cast<std::size_t>(id)]), id};
  };
  merge_symbols<MergeOrder::by_score>(symbols, rule, steps);
  for (const MergeSymbol& symbol : symbols) {
    if (symbol.length == 0) continue;
    const WordPart part{symbol.id, symbol.begin, symbol.begin + symbol.length};
    if (symbol.closed) {
      out.push_back(part);
    } else {
      take_apart(word, part, splits, out);
    }
  }
  symbols.clear();
}

void ScoredBpe::cut_word(std::string_view word, std::vector<WordPart>& out, WordSteps* steps) const {
  steps = merges_to_record(word, steps);
  std::vector<MergeSymbol> symbols;
  char32_t before = 0;
  for (std::size_t at = 0; at < word.size();) {
    const MergeSymbol next = letter(word, at);
    const char32_t first = next_code_point(word, at);
    const bool long_enough = !steps && bridges_ && symbols.size() >= Bridges::kStretch;
    if (long_enough && !symbols.back().closed && !bridges_->between(before, first))
      cut_stretch(word, symbols, out, nullptr);
    symbols.push_back(next);
    before = first;
    at = next.begin + next.length;
  }
  cut_stretch(word, symbols, out, steps);
}

}  // namespace attnscope
