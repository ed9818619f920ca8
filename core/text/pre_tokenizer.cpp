#include "core/text/pre_tokenizer.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
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

PreTokenizer pre_tokenizer_sequence(std::vector<PreTokenizer> parts) {
  return [parts = std::move(parts)](std::vector<Segment>& segments) -> Status {
    for (const PreTokenizer& part : parts) TRY_OK(part(segments));
    return Done{};
  };
}

}  // namespace attnscope
