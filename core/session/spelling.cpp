// Typed texts and decoded tokens: texts to tokens and back, with the tokens around them that are not
// typed (the places of an image, a decoder's start, what a tokenizer's template adds). Error: a text of ids
// that is no number where there is no vocabulary to look it up.
#include <algorithm>
#include <tuple>

#include "core/base/listed.h"
#include "core/base/read_all.h"
#include "core/base/text.h"
#include "core/session/document.h"

namespace attnscope {
namespace {

std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> pieces(1);
  for (const char c : text) {
    if (c == ' ' || c == ',' || c == '\t' || c == '\n') {
      if (!pieces.back().empty()) pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  if (pieces.back().empty()) pieces.pop_back();
  return pieces;
}

// What the tokenizer's template puts around every text.
struct Template {
  std::vector<int> before, after;
};

Template template_of(const OpenedModel& opened) {
  Template out;
  if (!opened.tokenizer) return out;
  const auto encoding = opened.tokenizer->encode("a");
  if (!encoding) return out;
  const auto added = [](const Token& token) { return token.begin == 0 && token.end == 0; };
  const std::vector<Token>& tokens = encoding->tokens;
  const auto first = std::find_if_not(tokens.begin(), tokens.end(), added);
  const auto last = std::find_if_not(tokens.rbegin(), tokens.rend(), added).base();
  for (auto at = tokens.begin(); at != first; ++at) out.before.push_back(at->id);
  for (auto at = std::max(first, last); at != tokens.end(); ++at) out.after.push_back(at->id);
  return out;
}

bool is_decoder(const ModelConfig& config, Stack of) { return of != Stack::enc && config.encoder(); }

// The words among the ids: [first, second).
std::pair<std::size_t, std::size_t> words_in(const OpenedModel& opened, const std::vector<int>& ids,
                                             Stack of) {
  const ModelConfig& config = opened.model->config();
  std::size_t begin = 0, end = ids.size();
  const bool image = of != Stack::enc && config.vision();
  while (image && begin < end && ids[begin] == config.image_token) ++begin;
  if (is_decoder(config, of) && begin < end && ids[begin] == config.decoder_start) ++begin;
  const Template around = template_of(opened);
  const std::vector<int>&before = around.before, &after = around.after;
  const auto at = [&](std::size_t index) { return ids.begin() + static_cast<std::ptrdiff_t>(index); };
  if (end - begin >= before.size() && std::equal(before.begin(), before.end(), at(begin)))
    begin += before.size();
  if (end - begin >= after.size() && std::equal(after.rbegin(), after.rend(), ids.rbegin()))
    end -= after.size();
  return {begin, end};
}

// How the token is written among others where there is no tokenizer.
std::string plain_spelling(const OpenedModel& opened, int id) {
  const bool words = opened.scene && !opened.scene->words.empty();
  return words ? token_label(opened, id) : std::to_string(id);
}

}  // namespace

std::string patch_label(const PatchSpec& patch, std::int64_t row) {
  if (patch.class_token && row == 0) return "[class]";
  const std::int64_t at = row - (patch.class_token ? 1 : 0);
  return format("r%lld c%lld", static_cast<long long>(at / std::max(1, patch.cols) + 1),
                static_cast<long long>(at % std::max(1, patch.cols) + 1));
}

bool is_special_token(const OpenedModel& opened, int id) {
  const ModelConfig& config = opened.model->config();
  if (config.vision() && id == config.image_token) return true;
  if (id >= 0 && (id == config.bos || id == config.eos || id == config.pad || id == config.decoder_start))
    return true;
  if (!opened.tokenizer) return false;
  return opened.tokenizer->decode({id}, true).empty() && !opened.tokenizer->decode({id}, false).empty();
}

std::optional<int> mask_token(const OpenedModel& opened) {
  if (!opened.tokenizer) return std::nullopt;
  for (const char* spelling : {"[MASK]", "<mask>"})
    if (const auto id = opened.tokenizer->find(spelling)) return id;
  return std::nullopt;
}

Sequence sequence_from_ids(const OpenedModel& opened, std::vector<int> ids, Stack of) {
  Sequence out;
  const auto [first, last] = words_in(opened, ids, of);
  Spelling words;
  if (opened.tokenizer)
    words = opened.tokenizer->spell(
        {ids.begin() + static_cast<std::ptrdiff_t>(first), ids.begin() + static_cast<std::ptrdiff_t>(last)},
        false);
  for (std::size_t pos = 0; pos < ids.size(); ++pos) {
    Token token;
    token.id = ids[pos];
    token.text = opened.tokenizer ? opened.tokenizer->token_text(ids[pos]) : token_label(opened, ids[pos]);
    token.special = is_special_token(opened, ids[pos]);
    if (pos >= first && pos < last && opened.tokenizer) {
      std::tie(token.begin, token.end) = words.places[pos - first];
    } else if (pos >= first && pos < last) {
      token.begin = static_cast<std::int64_t>(out.text.size());
      out.text += (pos > first ? " " : "") + plain_spelling(opened, ids[pos]);
      token.end = static_cast<std::int64_t>(out.text.size());
    }
    out.tokens.push_back(std::move(token));
  }
  if (opened.tokenizer) out.text = std::move(words.text);
  out.input.ids = std::move(ids);
  return out;
}

namespace {

// Numbers, or words of a scene.
Result<std::vector<int>> plain_ids(const OpenedModel& opened, const std::string& text) {
  std::vector<int> ids;
  for (const std::string& piece : pieces_of(text)) {
    int id = 0;
    const auto* words = opened.scene ? &opened.scene->words : nullptr;
    const auto word =
        words ? std::find(words->begin(), words->end(), piece) : std::vector<std::string>::const_iterator();
    if (words && word != words->end()) {
      id = static_cast<int>(word - words->begin());
    } else if (!read_all(piece, id)) {
      if (words && !words->empty()) {
        return fail(Code::bad_format, "error.session.scene_word", {in_quotes(piece), some_of(*words, 12)});
      }
      return fail(Code::bad_format, "error.session.token_id", {in_quotes(piece)});
    }
    ids.push_back(id);
  }
  return ids;
}

// What stands in front of the words of a text, where the ids do not bring it themselves.
std::vector<int> missing_in_front(const ModelConfig& config, const std::vector<int>& ids, Stack of) {
  if (is_decoder(config, of)) {
    const bool started = !ids.empty() && ids.front() == config.decoder_start;
    return config.decoder_start < 0 || started ? std::vector<int>{} : std::vector<int>{config.decoder_start};
  }
  if (of == Stack::enc || !config.vision() || ids.empty()) return {};
  if (std::find(ids.begin(), ids.end(), config.image_token) != ids.end()) return {};
  return std::vector<int>(static_cast<std::size_t>(config.vision()->patch.count()), config.image_token);
}

}  // namespace

Result<Sequence> sequence_from_text(const OpenedModel& opened, const std::string& text) {
  if (!opened.tokenizer) {
    TRY(std::vector<int> ids, plain_ids(opened, text));
    return sequence_from_ids(opened, std::move(ids), Stack::enc);  // the encoder's have no frame
  }
  TRY(Encoding encoding, opened.tokenizer->encode(text));
  Sequence out;
  out.input.ids = encoding.ids();
  out.text = text;
  out.tokens = std::move(encoding.tokens);
  return out;
}

Result<Sequence> spelled(const OpenedModel& opened, const std::string& text, Stack of) {
  const ModelConfig& config = opened.model->config();
  if (!opened.tokenizer) {
    TRY(std::vector<int> ids, plain_ids(opened, text));
    const std::vector<int> front = missing_in_front(config, ids, of);
    ids.insert(ids.begin(), front.begin(), front.end());
    return sequence_from_ids(opened, std::move(ids), of);
  }
  TRY(Sequence out, sequence_from_text(opened, text));
  std::vector<int>& ids = out.input.ids;
  if (is_decoder(config, of) && !ids.empty() &&
      ids.back() == config.eos) {  // the end token is the model's to predict
    ids.pop_back();
    out.tokens.pop_back();
  }
  const std::vector<int> front = missing_in_front(config, ids, of);
  Sequence framed = sequence_from_ids(opened, front, Stack::enc);
  for (Token& token : framed.tokens) {
    token.begin = token.end = 0;
    token.special = true;
  }
  out.tokens.insert(out.tokens.begin(), framed.tokens.begin(), framed.tokens.end());
  ids.insert(ids.begin(), front.begin(), front.end());
  return out;
}

Result<std::vector<Span>> parse_spans(const std::string& text, std::int64_t length) {
  std::vector<Span> spans;
  std::int64_t begin = 0;
  for (const std::string& part : pieces_of(text)) {
    const std::size_t equals = part.find('=');
    int count = 0;
    if (equals == std::string::npos || equals == 0 || !read_all(part.substr(equals + 1), count) || count < 1)
      return fail(Code::bad_format, "error.session.span", {in_quotes(part)});
    spans.push_back({part.substr(0, equals), begin, begin + count});
    begin += count;
  }
  if (begin <= length) return spans;
  return fail(Code::out_of_range, "error.session.spans_sum", {begin, length});
}

std::string spans_text(const std::vector<Span>& spans) {
  std::vector<std::string> parts;
  for (const Span& span : spans)
    parts.push_back(span.name + "=" + std::to_string(span.end - span.begin));  // a name may hold any bytes
  return join(parts, ",");
}

}  // namespace attnscope
