#include "core/text/json_parts.h"

#include "core/base/text.h"
#include "core/text/vocabulary.h"

namespace attnscope {

namespace {

Result<Delimiter> delimiter_from(const JsonNode& node, const char* fallback) {
  TRY(const auto name, node.text("behavior", fallback));
  if (name == "Isolated") return Delimiter::isolated;
  if (name == "Removed") return Delimiter::removed;
  if (name == "MergedWithPrevious") return Delimiter::with_previous;
  if (name == "MergedWithNext") return Delimiter::with_next;
  if (name == "Contiguous") return Delimiter::contiguous;
  return node.at("behavior").wrong(Text::of("error.text.wanted.behavior"));
}

PreTokenizer fixed_split(const std::string& expression, Delimiter delimiter, bool invert = false) {
  return split_pre_tokenizer(*Pattern::regex(expression), delimiter, invert);
}

Result<Normalizer> replace_from(const JsonNode& node) {
  TRY(auto pattern, pattern_from(node, "pattern"));
  TRY(auto content, node.text("content"));
  return replace_normalizer(std::move(pattern), std::move(content));
}

Result<Normalizer> bert_normalizer_from(const JsonNode& node) {
  BertNormalizerOptions options;
  TRY(options.clean, node.flag("clean_text", true));
  TRY(options.spaced_ideographs, node.flag("handle_chinese_chars", true));
  TRY(options.lowercase, node.flag("lowercase", true));
  if (node.has("strip_accents")) {
    TRY(options.strip_accents, node.flag("strip_accents", true));
  }
  return bert_normalizer(options);
}

Result<Normalizer> precompiled_from(const JsonNode& node) {
  TRY(const auto base64, node.text("precompiled_charsmap", ""));
  const auto named = [&](const Error& error) { return within(node.path() + ".precompiled_charsmap", error); };
  const auto bytes = from_base64(base64);
  if (!bytes) return named(bytes.error());
  auto table = Charsmap::from_bytes(*bytes);
  if (!table) return named(table.error());
  return precompiled_normalizer(*std::move(table));
}

Result<PreTokenizer> metaspace_from(const JsonNode& node) {
  TRY(auto space, metaspace_of(node));
  return metaspace_pre_tokenizer(std::move(space.mark), space.prepend, space.split);
}

Result<PreTokenizer> split_from(const JsonNode& node) {
  TRY(auto pattern, pattern_from(node, "pattern"));
  TRY(const auto delimiter, delimiter_from(node, "Isolated"));
  TRY(const bool invert, node.flag("invert", false));
  return split_pre_tokenizer(std::move(pattern), delimiter, invert);
}

Result<PreTokenizer> byte_level_from(const JsonNode& node) {
  TRY(const bool prefix, node.flag("add_prefix_space", true));
  TRY(const bool words, node.flag("use_regex", true));
  return byte_level_pre_tokenizer(prefix, words);
}

}  // namespace

Error unknown_part(const JsonNode& node, const std::string& type, const char* known) {
  return fail(Code::unsupported, "error.text.type", {node.path(), printable(type, 60), known});
}

Result<Pattern> pattern_from(const JsonNode& node, const char* key) {
  if (!node.has(key)) return node.object(key).error();
  const JsonNode pattern = node.at(key);
  if (pattern.value().is_string()) return Pattern::literal(pattern.value().get<std::string>());
  if (pattern.has("String")) {
    TRY(auto text, pattern.text("String"));
    return Pattern::literal(std::move(text));
  }
  if (!pattern.has("Regex")) return pattern.wrong(Text::of("error.text.wanted.pattern"));
  TRY(const auto expression, pattern.text("Regex"));
  auto compiled = Pattern::regex(expression);
  if (!compiled) return within(pattern.path(), compiled.error());
  return compiled;
}

Result<std::string> character_from(const JsonNode& node, const char* key, const char* fallback) {
  const bool given = node.has(key) || std::string_view(fallback).empty();
  TRY(auto character, given ? node.text(key) : Result<std::string>(std::string(fallback)));
  if (utf8_length(character) != 1) return node.at(key).wrong(Text::of("error.text.wanted.character"));
  return character;
}

Result<Metaspace> metaspace_of(const JsonNode& node) {
  Metaspace out;
  TRY(out.mark, character_from(node, "replacement", "▁"));
  TRY(out.split, node.flag("split", true));
  TRY(const bool prefix, node.flag("add_prefix_space", true));
  TRY(const auto scheme, node.text("prepend_scheme", prefix ? "always" : "never"));
  if (scheme != "always" && scheme != "first" && scheme != "never")
    return node.at("prepend_scheme").wrong(Text::of("error.text.wanted.prepend_scheme"));
  if (!prefix && scheme != "never") return node.wrong(Text::of("error.text.wanted.metaspace"));
  out.prepend = scheme == "always"  ? PrependMark::always
                : scheme == "first" ? PrependMark::first
                                    : PrependMark::never;
  return out;
}

Result<Normalizer> normalizer_from(const JsonNode& node) {
  TRY_OK(node.expect_object());
  TRY(const auto type, node.type());
  if (type == "NFC") return unicode_normalizer(UnicodeForm::nfc);
  if (type == "NFD") return unicode_normalizer(UnicodeForm::nfd);
  if (type == "NFKC") return unicode_normalizer(UnicodeForm::nfkc);
  if (type == "NFKD") return unicode_normalizer(UnicodeForm::nfkd);
  if (type == "Lowercase") return lowercase_normalizer();
  if (type == "ByteLevel") return byte_level_normalizer();
  if (type == "Replace") return replace_from(node);
  if (type == "Prepend") {
    TRY(auto prefix, node.text("prepend"));
    return prepend_normalizer(std::move(prefix));
  }
  if (type == "Strip") {
    TRY(const bool left, node.flag("strip_left", true));
    TRY(const bool right, node.flag("strip_right", true));
    return strip_normalizer(left, right);
  }
  if (type == "StripAccents") return strip_accents_normalizer();
  if (type == "Nmt") return nmt_normalizer();
  if (type == "BertNormalizer") return bert_normalizer_from(node);
  if (type == "Precompiled") return precompiled_from(node);
  if (type == "Sequence") {
    TRY(auto parts, parts_from(node, "normalizers", normalizer_from));
    return normalizer_sequence(std::move(parts));
  }
  return unknown_part(
      node, type,
      "NFC, NFD, NFKC, NFKD, Lowercase, Prepend, Replace, Strip, StripAccents, Nmt, Precompiled, "
      "BertNormalizer, ByteLevel, Sequence");
}

Result<PreTokenizer> pre_tokenizer_from(const JsonNode& node) {
  TRY_OK(node.expect_object());
  TRY(const auto type, node.type());
  if (type == "ByteLevel") return byte_level_from(node);
  if (type == "Split") return split_from(node);
  if (type == "Digits") {
    TRY(const bool one_each, node.flag("individual_digits", false));
    return fixed_split("\\p{N}", one_each ? Delimiter::isolated : Delimiter::contiguous);
  }
  if (type == "Punctuation") {
    TRY(const auto delimiter, delimiter_from(node, "Isolated"));
    return fixed_split("[\\p{P}$+<=>\\^`|~]", delimiter);
  }
  if (type == "Whitespace") {
    const std::string word = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}";
    return fixed_split("[" + word + "]+|[^" + word + "\\s]+", Delimiter::removed, true);
  }
  if (type == "WhitespaceSplit") return fixed_split("\\s", Delimiter::removed);
  if (type == "Metaspace") return metaspace_from(node);
  if (type == "BertPreTokenizer") return bert_pre_tokenizer();
  if (type == "UnicodeScripts") return script_pre_tokenizer();
  if (type == "CharDelimiterSplit") {
    TRY(auto delimiter, character_from(node, "delimiter", ""));
    return split_pre_tokenizer(Pattern::literal(std::move(delimiter)), Delimiter::removed, false);
  }
  if (type == "FixedLength") {
    TRY(const auto length, node.integer("length", 5));
    if (length < 1 || length > kMaxTokenId) return node.wrong(Text::of("error.text.wanted.fixed_length"));
    return fixed_length_pre_tokenizer(static_cast<std::size_t>(length));
  }
  if (type == "Sequence") {
    TRY(auto parts, parts_from(node, "pretokenizers", pre_tokenizer_from));
    return pre_tokenizer_sequence(std::move(parts));
  }
  return unknown_part(node, type,
                      "ByteLevel, Metaspace, Split, Digits, Punctuation, Whitespace, WhitespaceSplit, "
                      "BertPreTokenizer, UnicodeScripts, CharDelimiterSplit, FixedLength, Sequence");
}

}  // namespace attnscope
