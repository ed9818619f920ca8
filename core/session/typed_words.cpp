#include "core/session/typed_words.h"

#include <algorithm>

namespace attnscope {
namespace {

// Bytes of the text that a token stands for, without blanks before them.
std::pair<std::size_t, std::size_t> typed_place(const std::string& text, const Token& token) {
  const auto end = static_cast<std::size_t>(std::clamp<std::int64_t>(token.end, 0, std::ssize(text)));
  auto begin = static_cast<std::size_t>(std::clamp<std::int64_t>(token.begin, 0, std::ssize(text)));
  while (begin < end && (text[begin] == ' ' || text[begin] == '\t' || text[begin] == '\n')) ++begin;
  return {begin, end};
}

}  // namespace

TypedWords typed_words(const OpenedModel& opened, const std::string& text, const std::vector<Token>& tokens) {
  TypedWords out;
  const auto unknown = opened.tokenizer ? opened.tokenizer->unknown() : std::nullopt;
  if (!unknown) return out;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (tokens[at].id != *unknown) continue;
    const auto [begin, end] = typed_place(text, tokens[at]);
    const std::string word = begin < end ? text.substr(begin, end - begin) : std::string();
    if (!word.empty() && word != opened.tokenizer->token_text(*unknown))
      out.emplace(static_cast<std::int64_t>(at), word);
  }
  return out;
}

TypedWords typed_words(const OpenedModel& opened, const Sequence& sequence, Stack of) {
  return of == Stack::enc ? typed_words(opened, sequence.source_text, sequence.source_tokens)
                          : typed_words(opened, sequence.text, sequence.tokens);
}

TypedWords moved_words(const TypedWords& words, std::size_t pos, int by) {
  TypedWords out;
  const auto place = static_cast<std::int64_t>(pos);
  for (const auto& [row, word] : words)
    if (by > 0 || row != place) out.emplace(row + (row >= place ? by : 0), word);
  return out;
}

void name_typed(const Document& document, std::size_t sequence, Input& input) {
  const Sequence& of = document.sequences[sequence];
  for (const auto& [row, word] : typed_words(*document.opened, of, Stack::single))
    input.typed.emplace(row + padding_of(document, sequence, document.model->config().stack).before, word);
  for (const auto& [row, word] : typed_words(*document.opened, of, Stack::enc))
    input.source_typed.emplace(row + padding_of(document, sequence, Stack::enc).before, word);
}

void write_typed(const OpenedModel& opened, Sequence& spelled, const TypedWords& words) {
  const auto unknown = opened.tokenizer ? opened.tokenizer->unknown() : std::nullopt;
  for (auto word = words.rbegin(); unknown && word != words.rend(); ++word) {  // from the end
    const auto at = static_cast<std::size_t>(word->first);
    if (at >= spelled.tokens.size() || spelled.tokens[at].id != *unknown) continue;
    const auto [begin, end] = typed_place(spelled.text, spelled.tokens[at]);
    if (begin >= end) continue;
    spelled.text.replace(begin, end - begin, word->second);
    const auto longer = std::ssize(word->second) - static_cast<std::int64_t>(end - begin);
    spelled.tokens[at].end += longer;
    for (std::size_t after = at + 1; after < spelled.tokens.size(); ++after)
      if (spelled.tokens[after].begin >= static_cast<std::int64_t>(end))
        spelled.tokens[after].begin += longer, spelled.tokens[after].end += longer;
  }
}

bool begins_twice(const OpenedModel& opened, const std::vector<int>& ids) {
  const ModelConfig& config = opened.model->config();
  if (ids.size() > 2 && ids[2] == ids[0]) return false;  // a row of one token, not a beginning
  if (ids.size() < 2 || ids[0] != ids[1] || ids[0] == config.pad || ids[0] == config.image_token)
    return false;
  return is_special_token(opened, ids[0]) && !(opened.tokenizer && opened.tokenizer->unknown() == ids[0]);
}

}  // namespace attnscope
