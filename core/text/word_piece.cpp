#include "core/text/word_piece.h"

#include "core/base/text.h"

namespace attnscope {

namespace {

Result<int> unknown_id(const Vocabulary& vocabulary, const std::string& unknown) {
  if (const auto id = vocabulary.find(unknown)) return *id;
  return fail(Code::bad_format, "error.text.word_piece_unknown", {printable(unknown, 60)});
}

// The spellings that carry `prefix`, without it.
ByteTrie pieces_with(const Vocabulary& vocabulary, const std::string& prefix) {
  std::vector<ByteTrie::Entry> out;
  for (int id = 0; id < vocabulary.size(); ++id) {
    const std::string_view spelling = vocabulary.spelling(id);
    if (starts_with(spelling, prefix)) out.emplace_back(spelling.substr(prefix.size()), id);
  }
  return ByteTrie(std::move(out));
}

}  // namespace

Result<WordPiece> WordPiece::make(Vocabulary vocabulary, const WordPieceOptions& options) {
  WordPiece out;
  out.vocabulary_ = std::move(vocabulary);
  out.options_ = options;
  TRY(out.unknown_, unknown_id(out.vocabulary_, options.unknown));
  for (int id = 0; id < out.vocabulary_.size(); ++id) {
    if (out.vocabulary_.spelling(id).size() > kMaxSpelling) {
      return fail(Code::unsupported, "error.text.word_piece_size",
                  {id, format_bytes(out.vocabulary_.spelling(id).size())});
    }
  }
  out.opening_ = pieces_with(out.vocabulary_, options.opening_prefix);
  out.continuing_ = pieces_with(out.vocabulary_, options.continuing_prefix);
  return out;
}

// What was tried at this place: every end from the word's down to the one that was found.
void WordPiece::record(std::string_view word, const WordPart& found, WordSteps& steps) const {
  std::size_t end = word.size();
  const std::size_t last = found.id < 0 ? found.begin : found.end;
  while (end > last) {
    if (!steps.room_for(steps.attempts.size())) return;
    steps.attempts.push_back({found.begin, end, -1});
    do --end;
    while (end > last && (static_cast<unsigned char>(word[end]) & 0xC0) == 0x80);
  }
  if (found.id >= 0 && steps.room_for(steps.attempts.size()))
    steps.attempts.push_back({found.begin, found.end, found.id});
}

void WordPiece::cut_word(std::string_view word, std::vector<WordPart>& out, WordSteps* steps) const {
  if (word.empty()) return;
  if (steps) steps->kind = WordSteps::Kind::attempts;
  const std::size_t first = out.size();
  const WordPart whole{unknown_, 0, word.size()};
  if (static_cast<std::int64_t>(utf8_length(word)) > options_.max_characters) {
    out.push_back(whole);
    return;
  }
  for (std::size_t begin = 0; begin < word.size();) {
    const auto [length, id] = (begin == 0 ? opening_ : continuing_).longest(word.substr(begin));
    const WordPart found{length > 0 ? id : -1, begin, begin + length};
    if (steps && !steps->cut_short) record(word, found, *steps);
    if (length == 0) {
      out.resize(first);
      out.push_back(whole);
      return;
    }
    out.push_back(found);
    begin += length;
  }
}

Result<WholeWords> WholeWords::make(Vocabulary vocabulary, const std::string& unknown) {
  WholeWords out;
  out.vocabulary_ = std::move(vocabulary);
  out.unknown_ = out.vocabulary_.find(unknown).value_or(-1);
  return out;
}

void WholeWords::cut_word(std::string_view word, std::vector<WordPart>& out, WordSteps* steps) const {
  if (word.empty()) return;
  const int id = vocabulary_.find(word).value_or(-1);
  if (steps) steps->attempts.push_back({0, word.size(), id});
  if (id >= 0 || unknown_ >= 0) out.push_back({id >= 0 ? id : unknown_, 0, word.size()});
}

}  // namespace attnscope
