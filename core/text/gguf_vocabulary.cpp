#include "core/text/gguf_vocabulary.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/text/json_node.h"
#include "core/text/sentencepiece.h"
#include "core/text/word_piece.h"

namespace attnscope {

namespace {

using MadeTokenizer = Result<std::shared_ptr<const Tokenizer>>;

// Token types by their numbers in the file.
constexpr int kUnknown = 2, kControl = 3, kUser = 4, kUnused = 5;

int type_of(const GgufVocabulary& source, std::size_t id) {
  return id < source.types.size() ? source.types[id] : 1;
}

Status check_lists(const GgufVocabulary& source) {
  const auto fits = [&](std::size_t count) { return count == 0 || count == source.tokens.size(); };
  if (source.tokens.empty()) {
    return fail(Code::bad_format, "error.text.gguf.no_tokens");
  }
  if (!fits(source.scores.size()) || !fits(source.types.size())) {
    return fail(Code::bad_format, "error.text.gguf.lengths",
                {source.tokens.size(), source.scores.size(), source.types.size()});
  }
  return Done{};
}

std::optional<int> in_range(const GgufVocabulary& source, std::optional<int> id) {
  const bool good = id && *id >= 0 && static_cast<std::size_t>(*id) < source.tokens.size();
  return good ? id : std::nullopt;
}

std::vector<std::string> legible(const std::vector<std::string>& tokens) {
  std::vector<std::string> out;
  out.reserve(tokens.size());
  for (const std::string& token : tokens) out.push_back(valid_utf8(token));
  return out;
}

// ---- "gpt2": words by name ------------------------------------------------------------------------------

constexpr const char* kGpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr const char* kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen35 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kTekken =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kGpt4o =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kDeepseek3 =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kSigns = R"([\p{P}\$\+<=>\^~\|`]+)";
constexpr const char* kBloom = R"( ?[^(\s|.,!?…。，、।۔،)]+)";

struct Words {
  std::vector<const char*> names;
  std::vector<std::string> patterns;
  bool ignore_merges = false;  // a word that is in the vocabulary is one token
  bool add_bos = false;
  bool add_sep = false;
};

const std::vector<Words>& known_words() {
  static const std::vector<Words> table = {
      {{"default"}, {R"([\p{P}\$\+<=>\^~\|]+)", kGpt2, R"(\p{N}+)", "[0-9][0-9][0-9]"}},
      {{"gpt-2", "phi-2", "jina-es", "jina-de", "jina-v2-es", "jina-v2-de", "gigachat", "a.x-4.0", "mellum",
        "modern-bert", "exaone4", "mpt", "olmo", "jais", "trillion", "granite-docling"},
       {kGpt2}},
      {{"roberta-bpe", "jina-v1-en", "jina-v2-code"}, {kGpt2}, false, false, true},
      {{"llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2"},
       {kLlama3},
       true,
       true},
      {{"dbrx", "smaug-bpe", "chatglm-bpe", "glm4"}, {kLlama3}},
      {{"qwen2", "stablelm2", "deepseek-r1-qwen", "hunyuan", "megrez", "grok-2", "solar-open"}, {kQwen2}},
      {{"qwen35"}, {kQwen35}},
      {{"starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b"},
       {R"(\p{N})", kGpt2}},
      {{"falcon"}, {kSigns, kGpt2, "[0-9][0-9][0-9]"}},
      {{"tekken"}, {kTekken}, true, true},
      {{"gpt-4o", "llama4", "kanana2"}, {kGpt4o}},
      {{"deepseek-v3", "hunyuan-dense"}, {R"(\p{N}{1,3})", "[一-龥぀-ゟ゠-ヿ]+", kDeepseek3}},
      {{"bloom", "poro-chat", "gpt3-finnish"}, {kBloom}},
      {{"viking"}, {kBloom, R"(\p{N})"}}};
  return table;
}

Result<Words> words_named(const std::string& name) {
  std::vector<std::string> all;
  for (const Words& words : known_words()) {
    for (const char* known : words.names) {
      if (name == known) return words;
      all.emplace_back(known);
    }
  }
  return fail(Code::unsupported, "error.text.gguf.pre", {printable(valid_utf8(name), 60), join(all, ", ")});
}

MadeTokenizer make_gpt2(const GgufVocabulary& source) {
  TRY(const Words words, words_named(source.pre.empty() ? "default" : source.pre));
  ByteLevelBpe parts;
  parts.vocab = legible(source.tokens);
  parts.merges = legible(source.merges);
  parts.patterns = words.patterns;
  parts.ignore_merges = words.ignore_merges;
  parts.add_prefix_space = source.add_space_prefix.value_or(false);
  parts.bos = in_range(source, source.bos);
  parts.eos = in_range(source, source.eos);
  parts.add_bos = source.add_bos.value_or(words.add_bos);
  parts.add_eos = source.add_eos.value_or(false);
  if (source.add_sep.value_or(words.add_sep) && !parts.add_eos) {
    parts.add_eos = true;
    if (in_range(source, source.sep)) parts.eos = source.sep;
  }
  for (std::size_t id = 0; id < source.tokens.size(); ++id) {
    const int type = type_of(source, id);
    if (type == kControl || type == kUnknown) parts.special.push_back(static_cast<int>(id));
    if (type == kUser) parts.added.push_back(static_cast<int>(id));
  }
  return make_byte_level_bpe(parts, source.what);
}

// ---- "llama" and "t5": SentencePiece ------------------------------------------------------------------

PieceKind gguf_vocabulary_kind_of(const GgufVocabulary& source, std::size_t id) {
  const int type = type_of(source, id);
  if (type == kUser) return source.model == "t5" ? PieceKind::user : PieceKind::normal;
  if (type == kUnused) return source.model == "t5" ? PieceKind::unused : PieceKind::normal;
  const bool known = type >= 1 && type <= 6;
  return known ? static_cast<PieceKind>(type) : PieceKind::normal;
}

MadeTokenizer make_sentencepiece(const GgufVocabulary& source) {
  const bool t5 = source.model == "t5";
  SentencePieceModel model;
  model.kind = t5 ? SentencePieceModel::Kind::unigram : SentencePieceModel::Kind::bpe;
  model.add_dummy_prefix = source.add_space_prefix.value_or(true);
  model.remove_extra_whitespaces = source.remove_extra_whitespaces.value_or(false);
  model.charsmap = source.charsmap;
  SentencePieceOptions options;
  for (std::size_t id = 0; id < source.tokens.size(); ++id) {
    const float score = id < source.scores.size() ? source.scores[id] : 0.0F;
    std::string spelling = valid_utf8(source.tokens[id]);
    if (spelling.empty()) spelling = format("[EMPTY_%zu]", id);
    model.pieces.push_back({spelling, score, gguf_vocabulary_kind_of(source, id)});
    model.byte_fallback = model.byte_fallback || model.pieces.back().kind == PieceKind::byte;
    if (type_of(source, id) != kUser || t5) continue;
    AddedToken token;
    token.content = spelling;
    token.id = static_cast<int>(id);
    options.added.push_back(std::move(token));
  }
  const auto unknown = in_range(source, source.unknown);
  if (unknown) model.pieces[static_cast<std::size_t>(*unknown)].kind = PieceKind::unknown;
  TRY(Pipeline parts, sentencepiece_parts(model, options));
  parts.bos = in_range(source, source.bos);
  parts.eos = in_range(source, source.eos);
  const auto around = [&](bool wanted, std::optional<int> id) {
    std::vector<Token> out;
    if (wanted && id) out.push_back({*id, model.pieces[static_cast<std::size_t>(*id)].spelling, 0, 0, true});
    return out;
  };
  parts.post_processor = template_post_processor(around(source.add_bos.value_or(!t5), parts.bos),
                                                 around(source.add_eos.value_or(t5), parts.eos));
  return std::shared_ptr<const Tokenizer>(std::make_shared<PipelineTokenizer>(std::move(parts)));
}

// ---- "bert": WordPiece --------------------------------------------------------------------------------

Result<AddedTokens> bert_specials(const GgufVocabulary& source, const Vocabulary& vocabulary) {
  std::vector<AddedToken> out;
  const auto add = [&](std::optional<int> id) {
    if (!id || !vocabulary.has(*id)) return;
    AddedToken token;
    token.content = std::string(vocabulary.spelling(*id));
    token.id = *id;
    token.special = true;
    out.push_back(std::move(token));
  };
  for (std::size_t id = 0; id < source.tokens.size(); ++id) {
    const int type = type_of(source, id);
    if (type == kControl || type == kUnknown) add(static_cast<int>(id));
  }
  for (const auto& id : {source.cls, source.sep, source.pad, source.mask, source.unknown}) add(id);
  return AddedTokens::make(out, {});
}

MadeTokenizer make_bert(const GgufVocabulary& source) {
  constexpr int kUsualUnknown = 100, kUsualBegin = 101, kUsualSeparator = 102;  // of the first BERT
  Vocabulary vocabulary;
  for (std::size_t id = 0; id < source.tokens.size(); ++id) {
    const std::string spelling = valid_utf8(source.tokens[id]);
    if (!spelling.empty()) TRY_OK(vocabulary.add_or_repeat(spelling, static_cast<std::int64_t>(id)));
  }
  const auto unknown = in_range(source, source.unknown.value_or(kUsualUnknown));
  if (!unknown || !vocabulary.has(*unknown)) {
    return fail(Code::bad_format, "error.text.gguf.no_unknown");
  }
  Pipeline parts;
  TRY(parts.added, bert_specials(source, vocabulary));
  WordPieceOptions options;
  options.unknown = std::string(vocabulary.spelling(*unknown));
  options.opening_prefix = "▁";
  options.continuing_prefix = "";
  options.max_characters = INT64_MAX;
  const auto around = [&](bool wanted, std::optional<int> id) {
    std::vector<Token> out;
    if (wanted && id && vocabulary.has(*id))
      out.push_back({*id, std::string(vocabulary.spelling(*id)), 0, 0, true});
    return out;
  };
  parts.bos = in_range(source, source.cls ? source.cls : source.bos.value_or(kUsualBegin));
  parts.eos = in_range(source, source.sep ? source.sep : source.eos.value_or(kUsualSeparator));
  const bool ends = source.add_sep.value_or(true) || source.add_eos.value_or(false);
  parts.post_processor =
      template_post_processor(around(source.add_bos.value_or(true), parts.bos), around(ends, parts.eos));
  TRY(auto model, WordPiece::make(std::move(vocabulary), options));
  parts.model = std::make_shared<WordPiece>(std::move(model));
  const bool lowercase = source.lowercase.value_or(true);
  parts.normalizer = gguf_bert_normalizer(source.strip_accents.value_or(lowercase), lowercase);
  parts.pre_tokenizer = split_pre_tokenizer(Pattern::literal(" "), Delimiter::removed, false);
  parts.decoder = decoder_sequence(
      {replace_decoder(Pattern::literal("▁"), " "), fuse_decoder(), strip_decoder(" ", 1, 0)});
  return std::shared_ptr<const Tokenizer>(std::make_shared<PipelineTokenizer>(std::move(parts)));
}

MadeTokenizer gguf_vocabulary_make(const GgufVocabulary& source) {
  TRY_OK(check_lists(source));
  if (source.model == "gpt2") return make_gpt2(source);
  if (source.model == "llama" || source.model == "t5") return make_sentencepiece(source);
  if (source.model == "bert") return make_bert(source);
  return fail(Code::unsupported, "error.text.gguf.model", {printable(valid_utf8(source.model), 60)});
}

}  // namespace

MadeTokenizer make_gguf_tokenizer(const GgufVocabulary& vocabulary) {
  auto made = gguf_vocabulary_make(vocabulary);
  if (made) return made;
  const bool is_named = starts_with(made.error().sentence(), vocabulary.what + ": ");
  return with_full_stop(is_named ? made.error() : within(vocabulary.what, made.error()));
}

}  // namespace attnscope
