#include "core/text/pre_tokenizer.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/text/characters.h"
#include "core/text/normalizer.h"

namespace attnscope {

namespace {

// Hands stretches of one segment on as words.
class WordList {
 public:
  WordList(const Segment& from, const WordSink& sink) : from_(from), sink_(sink) {}
  Status add(std::size_t begin, std::size_t end) const {
    return end > begin ? sink_({from_.text.slice(begin, end), std::nullopt}) : Status(Done{});
  }

 private:
  const Segment& from_;
  const WordSink& sink_;
};

// Glues matches to their neighbours; of several matches in a row only the one next to the neighbour is glued.
class Gluing {
 public:
  Gluing(Delimiter how, const WordList& words) : how_(how), words_(words) {}

  Status take(const Match& next) {
    switch (how_) {
      case Delimiter::isolated: return words_.add(next.begin, next.end);
      case Delimiter::removed: return next.matched ? Status(Done{}) : words_.add(next.begin, next.end);
      case Delimiter::with_previous: return join(next, next.matched && !after_match_);
      case Delimiter::with_next: return join(next, !next.matched && after_match_);
      case Delimiter::contiguous: return join(next, next.matched == after_match_);
    }
    return Done{};
  }
  Status finish() { return holds_ ? words_.add(held_.begin, held_.end) : Status(Done{}); }

 private:
  Status join(const Match& next, bool glued) {
    after_match_ = next.matched;
    if (holds_ && glued) {
      held_.end = next.end;
      return Done{};
    }
    const Match before = std::exchange(held_, next);
    return std::exchange(holds_, true) ? words_.add(before.begin, before.end) : Status(Done{});
  }

  Delimiter how_;
  const WordList& words_;
  Match held_;
  bool holds_ = false, after_match_ = false;
};

// White space between words goes; each sign of punctuation is a word.
Status bert_words(std::string_view text, const WordList& words) {
  std::size_t first = 0;  // of the word so far
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const bool sign = is_punctuation(c), space = !sign && is_white_space(c);
    if (inside && (sign || space)) TRY_OK(words.add(first, begin));
    if (sign) TRY_OK(words.add(begin, at));
    if (!inside) first = begin;
    inside = !sign && !space;
  }
  return inside ? words.add(first, text.size()) : Status(Done{});
}

Status script_words(std::string_view text, const WordList& words) {
  std::size_t first = 0;  // of the word so far
  int script = -1;        // of the word so far; -1 = spaces only
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const int next = script_for_cuts(next_code_point(text, at));
    if (next < 0 || next == script) continue;
    if (script >= 0) TRY_OK(words.add(first, begin));
    first = begin;
    script = next;
  }
  return script >= 0 ? words.add(first, text.size()) : Status(Done{});
}

Status words_of_length(std::string_view text, std::size_t length, const WordList& words) {
  std::size_t first = 0, count = 0;
  for (std::size_t at = 0; at < text.size();) {
    next_code_point(text, at);
    if (++count % length != 0 && at != text.size()) continue;
    TRY_OK(words.add(first, at));
    first = at;
  }
  return Done{};
}

// A pre-tokenizer from a function that hands on the words of a text.
template <class Cut>
PreTokenizer cutter(Cut cut) {
  return [cut = std::move(cut)](const Segment& segment, const WordSink& sink) -> Status {
    if (segment.added) return sink(segment);
    return cut(segment.text.text(), WordList(segment, sink));
  };
}

// A pre-tokenizer that rewrites a segment before it hands it on.
template <class Change>
PreTokenizer rewriter(Change change) {
  return [change = std::move(change)](const Segment& segment, const WordSink& sink) -> Status {
    if (segment.added) return sink(segment);
    Segment changed = segment;
    TRY_OK(change(changed.text));
    TRY_OK(changed.text.bounded());
    return changed.text.empty() ? Status(Done{}) : sink(changed);
  };
}

}  // namespace

PreTokenizer split_pre_tokenizer(Pattern pattern, Delimiter delimiter, bool invert) {
  return cutter([pattern = std::move(pattern), delimiter, invert](std::string_view text,
                                                                  const WordList& words) -> Status {
    Gluing gluing(delimiter, words);
    TRY_OK(pattern.each(text, [&](const Match& match) {
      return gluing.take({match.begin, match.end, match.matched != invert});
    }));
    return gluing.finish();
  });
}

PreTokenizer byte_level_pre_tokenizer(bool add_prefix_space, bool use_regex) {
  std::vector<PreTokenizer> parts;
  if (add_prefix_space)
    parts.push_back(rewriter([](MappedText& text) -> Status {
      if (!starts_with(text.text(), " ")) text.prepend(" ");
      return Done{};
    }));
  if (use_regex) parts.push_back(split_pre_tokenizer(gpt2_words(), Delimiter::isolated, false));
  parts.push_back(rewriter(byte_level_normalizer()));
  return pre_tokenizer_sequence(std::move(parts));
}

PreTokenizer metaspace_pre_tokenizer(std::string mark, PrependMark prepend, bool split) {
  std::vector<PreTokenizer> parts;
  parts.push_back(rewriter(
      [spaces = replace_normalizer(Pattern::literal(" "), mark), mark, prepend](MappedText& text) -> Status {
        TRY_OK(spaces(text));
        const bool at_start = text.span(0, text.size()).begin == 0;
        const bool wanted = prepend == PrependMark::always || (prepend == PrependMark::first && at_start);
        if (wanted && !starts_with(text.text(), mark)) text.prepend(mark);
        return Done{};
      }));
  if (split) parts.push_back(split_pre_tokenizer(Pattern::literal(mark), Delimiter::with_next, false));
  return pre_tokenizer_sequence(std::move(parts));
}

PreTokenizer bert_pre_tokenizer() { return cutter(bert_words); }

PreTokenizer script_pre_tokenizer() { return cutter(script_words); }

PreTokenizer fixed_length_pre_tokenizer(std::size_t length) {
  return cutter([length](std::string_view text, const WordList& words) {
    return words_of_length(text, length, words);
  });
}

PreTokenizer pre_tokenizer_sequence(std::vector<PreTokenizer> parts) {
  return [parts = std::move(parts)](const Segment& segment, const WordSink& sink) -> Status {
    std::vector<WordSink> sinks(parts.size() + 1, sink);  // each part hands its words to the next one
    for (std::size_t part = parts.size(); part-- > 0;)
      sinks[part] = [&, part](const Segment& word) { return parts[part](word, sinks[part + 1]); };
    return sinks.front()(segment);
  };
}

}  // namespace attnscope
