#include "core/text/pre_tokenizer.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/text/characters.h"
#include "core/text/normalizer.h"

namespace attnscope {

namespace {

// Glues each match to its neighbour in walking order; of several matches in a row only the first is glued.
std::vector<Match> glue(const std::vector<Match>& stretches) {
  std::vector<Match> out;
  bool after_match = false;
  for (const Match& next : stretches) {
    if (next.matched && !after_match && !out.empty()) {
      out.back().begin = std::min(out.back().begin, next.begin);
      out.back().end = std::max(out.back().end, next.end);
    } else {
      out.push_back(next);
    }
    after_match = next.matched;
  }
  return out;
}

std::vector<Match> join_alike(const std::vector<Match>& stretches) {
  std::vector<Match> out;
  for (const Match& next : stretches) {
    if (!out.empty() && out.back().matched == next.matched) {
      out.back().end = next.end;
    } else {
      out.push_back(next);
    }
  }
  return out;
}

std::vector<Match> words_of(std::vector<Match> stretches, Delimiter delimiter) {
  switch (delimiter) {
    case Delimiter::isolated: return stretches;
    case Delimiter::removed:
      std::erase_if(stretches, [](const Match& next) { return next.matched; });
      return stretches;
    case Delimiter::with_previous: return glue(stretches);
    case Delimiter::with_next:
      std::reverse(stretches.begin(), stretches.end());
      stretches = glue(stretches);
      std::reverse(stretches.begin(), stretches.end());
      return stretches;
    case Delimiter::contiguous: return join_alike(stretches);
  }
  return stretches;
}

// A pre-tokenizer from the bytes at which words end: `ends(text, begin)` gives those of one segment, in
// order, and may move `begin` to where the first word starts.
template <class Ends>
PreTokenizer cutter(Ends ends) {
  return [ends = std::move(ends)](std::vector<Segment>& segments) -> Status {
    std::vector<Segment> out;
    for (Segment& segment : segments) {
      if (segment.added) {
        out.push_back(std::move(segment));
        continue;
      }
      std::size_t begin = 0;
      for (const std::size_t end : ends(segment.text.text(), begin)) {
        if (end > begin) out.push_back({segment.text.slice(begin, end), std::nullopt});
        begin = end;
      }
    }
    segments = std::move(out);
    return Done{};
  };
}

// White space between words goes; each sign of punctuation is a word.
std::vector<Match> bert_words(std::string_view text) {
  std::vector<Match> out;
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const bool sign = is_punctuation(c);
    if (!sign && is_white_space(c)) {
      inside = false;
    } else if (sign || !inside) {
      out.push_back({begin, at, false});
      inside = !sign;
    } else {
      out.back().end = at;
    }
  }
  return out;
}

}  // namespace

PreTokenizer split_pre_tokenizer(Pattern pattern, Delimiter delimiter, bool invert) {
  return [pattern = std::move(pattern), delimiter, invert](std::vector<Segment>& segments) -> Status {
    std::vector<Segment> out;
    for (Segment& segment : segments) {
      if (segment.added) {
        out.push_back(std::move(segment));
        continue;
      }
      TRY(auto stretches, pattern.cut(segment.text.text()));
      for (Match& next : stretches) next.matched = next.matched != invert;
      for (const Match& word : words_of(std::move(stretches), delimiter)) {
        if (word.end > word.begin) out.push_back({segment.text.slice(word.begin, word.end), std::nullopt});
      }
    }
    segments = std::move(out);
    return Done{};
  };
}

PreTokenizer byte_level_pre_tokenizer(bool add_prefix_space, bool use_regex) {
  const PreTokenizer words = split_pre_tokenizer(gpt2_words(), Delimiter::isolated, false);
  return [words, letters = byte_level_normalizer(), add_prefix_space,
          use_regex](std::vector<Segment>& segments) -> Status {
    for (Segment& segment : segments) {
      if (!segment.added && add_prefix_space && !starts_with(segment.text.text(), " "))
        segment.text.prepend(" ");
    }
    if (use_regex) TRY_OK(words(segments));
    for (Segment& segment : segments) {
      if (!segment.added) TRY_OK(letters(segment.text));
    }
    return Done{};
  };
}

PreTokenizer metaspace_pre_tokenizer(std::string mark, PrependMark prepend, bool split) {
  const Normalizer spaces = replace_normalizer(Pattern::literal(" "), mark);
  const PreTokenizer words = split_pre_tokenizer(Pattern::literal(mark), Delimiter::with_next, false);
  return [=](std::vector<Segment>& segments) -> Status {
    for (Segment& segment : segments) {
      if (segment.added) continue;
      TRY_OK(spaces(segment.text));
      const bool at_start = segment.text.span(0, segment.text.text().size()).begin == 0;
      const bool wanted = prepend == PrependMark::always || (prepend == PrependMark::first && at_start);
      if (wanted && !starts_with(segment.text.text(), mark)) segment.text.prepend(mark);
    }
    if (split) TRY_OK(words(segments));
    return Done{};
  };
}

PreTokenizer bert_pre_tokenizer() {
  return [](std::vector<Segment>& segments) -> Status {
    std::vector<Segment> out;
    for (Segment& segment : segments) {
      if (segment.added) {
        out.push_back(std::move(segment));
        continue;
      }
      for (const Match& word : bert_words(segment.text.text()))
        out.push_back({segment.text.slice(word.begin, word.end), std::nullopt});
    }
    segments = std::move(out);
    return Done{};
  };
}

PreTokenizer script_pre_tokenizer() {
  return cutter([](std::string_view text, std::size_t& first) {
    std::vector<std::size_t> ends;
    int script = -1;  // of the word so far; -1 = spaces only
    first = text.size();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = at;
      const int next = script_for_cuts(next_code_point(text, at));
      if (next < 0 || next == script) continue;
      if (script < 0) {
        first = begin;
      } else {
        ends.push_back(begin);
      }
      script = next;
    }
    ends.push_back(text.size());
    return ends;
  });
}

PreTokenizer fixed_length_pre_tokenizer(std::size_t length) {
  return cutter([length](std::string_view text, std::size_t&) {
    std::vector<std::size_t> ends;
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size();) {
      next_code_point(text, at);
      if (++count % length == 0 || at == text.size()) ends.push_back(at);
    }
    return ends;
  });
}

PreTokenizer pre_tokenizer_sequence(std::vector<PreTokenizer> parts) {
  return [parts = std::move(parts)](std::vector<Segment>& segments) -> Status {
    for (const PreTokenizer& part : parts) TRY_OK(part(segments));
    return Done{};
  };
}

}  // namespace attnscope
