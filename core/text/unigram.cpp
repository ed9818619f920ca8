#include "core/text/unigram.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace attnscope {

namespace {

constexpr double kUnknownPenalty = 10.0;

}  // namespace

Status Unigram::check(const std::vector<UnigramPiece>& pieces, const UnigramOptions& options) {
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    if (!std::isfinite(pieces[id].score)) {
      return fail(Code::bad_format, "error.text.unigram_score",
                  {valid_utf8(pieces[id].spelling.substr(0, 40)), id});
    }
    if (pieces[id].matches && pieces[id].spelling.size() > kMaxSpelling) {
      return fail(
          Code::bad_format, "error.text.unigram_size",
          {valid_utf8(pieces[id].spelling.substr(0, 40)), id, format_bytes(pieces[id].spelling.size())});
    }
  }
  const auto count = static_cast<std::int64_t>(pieces.size());
  if (options.unknown && (*options.unknown < 0 || *options.unknown >= count)) {
    return fail(Code::out_of_range, "error.text.unigram_unknown", {*options.unknown, count});
  }
  return Done{};
}

Result<Unigram> Unigram::make(const std::vector<UnigramPiece>& pieces, const UnigramOptions& options) {
  TRY_OK(check(pieces, options));
  Unigram out;
  out.options_ = options;
  out.vocabulary_.reserve(pieces.size());
  std::vector<ByteTrie::Entry> entries;
  bool first = true;
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const UnigramPiece& piece = pieces[id];
    TRY_OK(out.vocabulary_.add_or_repeat(piece.spelling, static_cast<std::int64_t>(id)));
    out.pieces_.scores.push_back(piece.score);
    out.pieces_.set_by_user.push_back(piece.set_by_user ? 1 : 0);
    if (!piece.matches) continue;
    entries.emplace_back(piece.spelling, static_cast<int>(id));
    out.bridges_.add(piece.spelling);
    if (piece.set_by_user) continue;
    out.pieces_.lowest = first ? piece.score : std::min(out.pieces_.lowest, piece.score);
    out.pieces_.highest = first ? piece.score : std::max(out.pieces_.highest, piece.score);
    first = false;
  }
  out.trie_ = ByteTrie(std::move(entries));
  out.bridges_.settle();
  if (options.byte_fallback) out.byte_ids_ = byte_ids_of(out.vocabulary_);
  return out;
}

// A piece set by the user scores the best score times its bytes, so that no other cut of it wins.
double Unigram::score_of(int id, std::size_t length) const {
  const auto index = static_cast<std::size_t>(id);
  if (pieces_.set_by_user[index] == 0) return pieces_.scores[index];
  return static_cast<double>(static_cast<float>(static_cast<double>(length) * pieces_.highest)) - 0.1;
}

// SentencePiece compares a sum of 64 bits with one it has kept in 32; ties are decided by that.
void Unigram::consider(Lattice& lattice, std::size_t end, const Node& next, double score,
                       WordSteps* steps) const {
  Node& node = lattice.at(end);
  if (node.id == -2 || next.total > node.total) {
    node = next;
    if (options_.sentencepiece) node.total = static_cast<double>(static_cast<float>(next.total));
  }
  if (steps && !steps->cut_short && steps->room_for(steps->candidates.size()))
    steps->candidates.push_back({next.id, next.begin, end, score, next.total, false, false, next.unknown});
}

void Unigram::extend(std::string_view word, std::size_t begin, Lattice& lattice, WordSteps* steps) const {
  std::size_t after = begin;
  next_code_point(word, after);
  const std::size_t character = after - begin;
  const double till_here = lattice.at(begin).total;
  const auto from = static_cast<std::uint32_t>(begin);
  bool covered = false;  // some piece is this one character
  trie_.prefixes(word.substr(begin), [&](std::size_t length, int id) {
    const double score = score_of(id, length);
    const bool unknown = options_.unknown && id == *options_.unknown;
    consider(lattice, begin + length, {score + till_here, from, id, unknown}, score, steps);
    covered = covered || length == character;
  });
  if (covered) return;
  const double score = pieces_.lowest - kUnknownPenalty;
  const int id = options_.unknown ? static_cast<int>(*options_.unknown) : -1;
  consider(lattice, after, {score + till_here, from, id, true}, score, steps);
}

void Unigram::mark(const std::vector<WordPart>& path, Lattice& lattice, WordSteps& steps) {
  for (WordSteps::Candidate& next : steps.candidates) {
    const Node& winner = lattice.at(next.end);
    next.best = winner.begin == next.begin && winner.id == next.id;
    const auto part = std::lower_bound(path.begin(), path.end(), next.begin,
                                       [](const WordPart& a, std::size_t begin) { return a.begin < begin; });
    next.chosen = next.best && part != path.end() && part->begin == next.begin && part->end == next.end;
  }
}

// A run of characters that no piece has.
void Unigram::add_unknown(std::string_view word, std::size_t begin, std::size_t end,
                          std::vector<WordPart>& out) const {
  const std::string_view text = word.substr(begin, end - begin);
  const auto id = options_.sentencepiece ? std::nullopt : vocabulary_.find(text);
  if (id) {
    out.push_back({*id, begin, end});
  } else if (has_all(byte_ids_, text)) {
    for (const char c : text) out.push_back({byte_ids_[static_cast<unsigned char>(c)], begin, end});
  } else if (options_.unknown) {
    out.push_back({static_cast<int>(*options_.unknown), begin, end, true});
  }
}

std::vector<WordPart> Unigram::best_path(Lattice& lattice, std::size_t end) {
  std::vector<WordPart> path;
  for (; end > lattice.first; end = lattice.at(end).begin) {
    const Node& node = lattice.at(end);
    path.push_back({node.id, node.begin, end, node.unknown});
  }
  std::reverse(path.begin(), path.end());
  return path;
}

// Takes the pieces of a path in order; unknown ones next to each other are one.
class Unigram::Parts {
 public:
  Parts(const Unigram& model, std::string_view word, std::vector<WordPart>& out)
      : model_(model),
        word_(word),
        out_(out),
        one_by_one_(model.options_.sentencepiece && !model.byte_ids_.empty()) {}

  void take(const std::vector<WordPart>& path) {
    for (const WordPart& part : path) {
      if (!part.as_written || one_by_one_) finish();
      if (!part.as_written) {
        out_.push_back(part);
        continue;
      }
      if (unknown_begin_ == unknown_end_) unknown_begin_ = part.begin;
      unknown_end_ = part.end;
    }
  }
  void finish() {
    if (unknown_begin_ < unknown_end_) model_.add_unknown(word_, unknown_begin_, unknown_end_, out_);
    unknown_begin_ = unknown_end_ = 0;
  }

 private:
  const Unigram& model_;
  std::string_view word_;
  std::vector<WordPart>& out_;
  bool one_by_one_;
  std::size_t unknown_begin_ = 0, unknown_end_ = 0;
};

void Unigram::cut_word(std::string_view word, std::vector<WordPart>& out, WordSteps* steps) const {
  if (word.empty()) return;
  if (steps) steps->kind = WordSteps::Kind::lattice;
  Lattice lattice;
  lattice.at(0).id = -1;
  Parts parts(*this, word, out);
  char32_t before = 0;
  for (std::size_t begin = 0; begin < word.size();) {
    std::size_t next = begin;
    const char32_t c = next_code_point(word, next);
    if (!steps && begin - lattice.first >= Bridges::kStretch && !bridges_.between(before, c)) {
      parts.take(best_path(lattice, begin));  // every path comes through here
      lattice = {begin, {lattice.at(begin)}};
    }
    extend(word, begin, lattice, steps);
    before = c;
    begin = next;
  }
  const std::vector<WordPart> path = best_path(lattice, word.size());
  if (steps) mark(path, lattice, *steps);
  parts.take(path);
  parts.finish();
}

}  // namespace attnscope
