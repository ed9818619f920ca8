// How does the text become tokens? The word of the looked-at token, and how its vocabulary cut it: merge by
// merge, lookup by lookup, or the most probable pieces. Of a vocabulary of whole words, how another one,
// learned from the program's own lessons, joins the letters of the word.
#include <algorithm>

#include "core/base/text.h"
#include "core/lens/vectors.h"
#include "core/session/document.h"
#include "core/text/learn_bpe.h"
#include "core/text/own_text.h"
#include "core/text/segmentation.h"
#include "core/view/steps_parts.h"

namespace attnscope {
namespace {

using figure::TableMark;

constexpr std::size_t kMostMergeSteps = 40, kMostStairs = 9;
constexpr int kJoinedMerges = 3000;
constexpr std::size_t kJoinedTexts = 400;  // of the lessons

struct CutWord {
  SegmentedWord word;
  std::string text;  // as typed
};
std::string typed(std::string_view text, const SegmentedWord& word, std::size_t begin, std::size_t end) {
  const ByteSpan span = word.text.span(begin, end);
  return std::string(
      text.substr(static_cast<std::size_t>(span.begin), static_cast<std::size_t>(span.end - span.begin)));
}
// The word that the looked-at token is a part of; nothing where the tokens are not those of a text.
std::optional<CutWord> looked_word(const ViewState& state) {
  const Tokenizer& tokenizer = *state.opened->tokenizer;
  const std::vector<int>& ids = state.run->ids_of(state.place.stack);
  const std::string text = tokenizer.decode(ids);
  const auto cut = segment(tokenizer, text, {}, false);
  if (!cut) return std::nullopt;
  // Tokens that a template or a start added stand around those of the text.
  const std::vector<int> own = cut->encoding.ids();
  const auto begin = std::search(ids.begin(), ids.end(), own.begin(), own.end());
  if (own.empty() || begin == ids.end()) return std::nullopt;
  const std::int64_t at = state.row - (begin - ids.begin());
  for (const SegmentedWord& word : cut->words)
    if (const auto first = static_cast<std::int64_t>(word.first_token);
        at >= first && at < first + std::ssize(word.parts))
      return CutWord{word, typed(text, word, 0, word.text.text().size())};
  return std::nullopt;
}

Text shown_part(const ViewState& state, const CutWord& cut, const WordPart& part) {
  if (part.id >= 0) return Text(token_label(*state.opened, part.id));
  return Text(std::string(cut.word.text.text().substr(part.begin, part.end - part.begin)));
}
// "l · o · w"
Text shown_parts(const ViewState& state, const CutWord& cut, const std::vector<WordPart>& parts) {
  std::vector<std::string> out;
  for (const WordPart& part : parts) out.push_back(shown_part(state, cut, part).str());
  return Text(join(out, " \xC2\xB7 "));
}

// The steps of the word, one per row, the result last. Empty: it was looked up as a whole.
TableMark steps_table(const ViewState& state, const CutWord& cut) {
  TableMark out;
  out.card = TableMark::Card::plain;
  const WordSteps& steps = cut.word.steps;
  if (steps.kind == WordSteps::Kind::merges && !steps.merges.empty() &&
      steps.merges.size() < kMostMergeSteps) {
    out.header = {Text::of("figure.tokenizer.column.merge"), Text::of("figure.tokenizer.column.pieces")};
    for (std::size_t at = 0; at <= steps.merges.size(); ++at)
      out.rows.push_back({{Text(at), shown_parts(state, cut, pieces_after(cut.word, at))},
                          {},
                          {},
                          at == steps.merges.size()});
  }
  if (steps.kind == WordSteps::Kind::attempts && steps.attempts.size() > 1 &&
      steps.attempts.size() < kMostMergeSteps) {
    out.header = {Text::of("figure.tokenizer.column.tried"), Text::of("figure.tokenizer.column.found")};
    for (const WordSteps::Attempt& one : steps.attempts)
      out.rows.push_back({{Text(std::string(cut.word.text.text().substr(one.begin, one.end - one.begin))),
                           one.id < 0 ? Text::of("figure.tokenizer.no") : Text(one.id)},
                          {},
                          {},
                          one.id >= 0});
  }
  if (steps.kind == WordSteps::Kind::lattice && steps.candidates.size() > cut.word.parts.size()) {
    out.header = {Text::of("figure.tokenizer.column.piece"), Text::of("figure.tokenizer.column.score")};
    for (const WordSteps::Candidate& one : steps.candidates)
      if (one.chosen || out.rows.size() + cut.word.parts.size() < kMostMergeSteps)
        out.rows.push_back(
            {{Text(token_label(*state.opened, one.id)), Text(figure::number_text(one.score, 2))},
             {},
             {},
             one.chosen});
  }
  return out;
}

// Letters that are joined, the most frequent pair first (BPE), learned once.
const Tokenizer* joining_vocabulary() {
  static const std::shared_ptr<const Tokenizer> made = [] {
    std::vector<std::string> texts = own_sentences();
    texts.resize(std::min(texts.size(), kJoinedTexts));
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    auto tokenizer = tokenizer_of_merges(learn_merges(views, kJoinedMerges), kJoinedMerges);
    return tokenizer ? *std::move(tokenizer) : nullptr;
  }();
  return made.get();
}

// The letters of a word, then a row for each merge with the piece that it made. `shown`: how a piece is
// written.
template <class Shown>
figure::StairsMark stairs_of(const SegmentedWord& word, const Shown& shown) {
  figure::StairsMark out;
  std::vector<WordPart> before;
  for (std::size_t at = 0; at <= word.steps.merges.size(); ++at) {
    const std::vector<WordPart> now = pieces_after(word, at);
    figure::StairsMark::Row row{Text::of("figure.tokenizer.letters"), {}};
    for (const WordPart& part : now) {
      std::vector<std::string> from;  // the pieces of the step before that it was made of
      for (const WordPart& old : before)
        if (old.begin >= part.begin && old.end <= part.end) from.push_back(shown(old));
      const bool made = from.size() > 1;
      const std::string_view letters = word.text.text();
      row.pieces.push_back({Text(shown(part)),
                            static_cast<int>(utf8_length(letters.substr(part.begin, part.end - part.begin))),
                            made});
      if (made) row.name = Text(join(from, " + "));
    }
    out.rows.push_back(std::move(row));
    before = now;
  }
  return out;
}

// How the letters of a word are joined; empty: it has others than ASCII, or none are joined.
figure::StairsMark joined_stairs(const std::string& word) {
  const bool plain = std::all_of(word.begin(), word.end(), [](unsigned char c) { return c < 0x80; });
  const Tokenizer* letters = plain && !word.empty() ? joining_vocabulary() : nullptr;
  const auto cut = letters ? segment(*letters, word, {}, false) : Result<Segmentation>(Error{});
  if (!cut || cut->words.size() != 1 || cut->words.front().steps.merges.empty()) return {};
  const SegmentedWord& own = cut->words.front();
  return stairs_of(own, [&](const WordPart& part) {
    return std::string(own.text.text().substr(part.begin, part.end - part.begin));
  });
}

// The word as it was cut: as stairs where its letters were merged in few steps, else as a table.
std::optional<figure::Mark> steps_mark(const ViewState& state, const CutWord& cut) {
  const WordSteps& steps = cut.word.steps;
  if (steps.kind == WordSteps::Kind::merges && !steps.merges.empty() && steps.merges.size() <= kMostStairs)
    return stairs_of(cut.word, [&](const WordPart& part) { return shown_part(state, cut, part).str(); });
  TableMark out = steps_table(state, cut);
  if (out.rows.empty()) return std::nullopt;
  return out;
}

Result<ViewDrawing> draw_tokenizer(const ViewState& state) {
  const std::vector<int>& ids = state.run->ids_of(state.place.stack);
  if (!state.opened->tokenizer || state.row >= std::ssize(ids))
    return fail(Code::not_found, "error.view.no_tokenizer");
  const int id = ids[static_cast<std::size_t>(state.row)];
  const std::optional<CutWord> cut = looked_word(state);
  const std::optional<figure::Mark> steps = cut ? steps_mark(state, *cut) : std::nullopt;
  const int known = state.opened->tokenizer->vocab_size();
  const Text token = token_label(*state.opened, id);
  std::vector<Text> said{token, id, known};
  std::string key = "figure.tokenizer.whole";
  if (steps) {
    said = {Text(cut->text), cut->word.parts.size(), shown_parts(state, *cut, cut->word.parts), known};
    key = cut->word.parts.size() == 1 ? "figure.tokenizer.one" : "figure.tokenizer.several";
  }
  TRY(StationDrawing tokens, words_station(state));
  ViewDrawing out{
      {Text::of("figure.tokenizer.question")}, {Text::of(key, said), Text::of(key + ".short", said)}, {}};
  out.above = std::move(tokens.picture);
  if (steps) out.picture = figure::leaf({"steps", *steps, 3, {Text::of("figure.tokenizer.steps", said)}, ""});
  if (figure::StairsMark joined = !steps && cut ? joined_stairs(cut->text) : figure::StairsMark();
      !joined.rows.empty())
    out.picture = figure::leaf({"joined",
                                std::move(joined),
                                3,
                                {Text::of("figure.tokenizer.joined", {cut->text}),
                                 Text::of("figure.tokenizer.joined.short", {cut->text})},
                                ""});
  if (!out.picture) out.picture = vocabulary_leaf(state);
  // What the id stands for: a row of the embedding table.
  const Tensor table = token_table(*state.run, state.place.stack);
  if (!table.empty() && id < table.size(0))
    out.below = numbers_leaf("vector", {{token, floats_of(table.select(0, id))}},
                             {Text::of("figure.tokenizer.vector", {id, table.size(1)})}, 1);
  return out;
}

}  // namespace

ViewSpec view_tokenizer() { return {"tokenizer", 35, true, true, draw_tokenizer}; }

}  // namespace attnscope
