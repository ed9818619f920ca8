#include "core/text/json_parts.h"

#include "core/base/text.h"
#include "core/text/vocabulary.h"

namespace attnscope {

namespace {

Error unknown_part(const JsonNode& node, const std::string& type, const char* known) {
  return fail(Code::unsupported,
              format("%s has the type \"%.60s\", which is not known", node.path().c_str(), type.c_str()),
              format("Known here: %s.", known));
}

// {"String": "..."} or {"Regex": "..."}; a bare string is literal.
Result<Pattern> pattern_from(const JsonNode& node, const char* key) {
  if (!node.has(key)) return node.object(key).error();
  const JsonNode pattern = node.at(key);
  if (pattern.value().is_string()) return Pattern::literal(pattern.value().get<std::string>());
  if (pattern.has("String")) {
    TRY(auto text, pattern.text("String"));
    return Pattern::literal(std::move(text));
  }
  if (!pattern.has("Regex")) return pattern.wrong("{\"Regex\": ...} or {\"String\": ...}");
  TRY(const auto expression, pattern.text("Regex"));
  auto compiled = Pattern::regex(expression);
  if (!compiled) {
    return fail(compiled.error().code, pattern.path() + ": " + compiled.error().sentence,
                compiled.error().hint);
  }
  return compiled;
}

// The members of a Sequence, each read by `read`.
template <class Part>
Result<std::vector<Part>> parts_from(const JsonNode& node, const char* key,
                                     Result<Part> (*read)(const JsonNode&)) {
  TRY(const auto list, node.array(key));
  std::vector<Part> out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    TRY(auto part, read(list.at(i)));
    out.push_back(std::move(part));
  }
  return out;
}

Result<Delimiter> delimiter_from(const JsonNode& node, const char* fallback) {
  TRY(const auto name, node.text("behavior", fallback));
  if (name == "Isolated") return Delimiter::isolated;
  if (name == "Removed") return Delimiter::removed;
  if (name == "MergedWithPrevious") return Delimiter::with_previous;
  if (name == "MergedWithNext") return Delimiter::with_next;
  if (name == "Contiguous") return Delimiter::contiguous;
  return node.at("behavior").wrong("Isolated, Removed, MergedWithPrevious, MergedWithNext or Contiguous");
}

PreTokenizer fixed_split(const char* expression, Delimiter delimiter, bool invert = false) {
  return split_pre_tokenizer(*Pattern::regex(expression), delimiter, invert);
}

Result<Token> special_token(std::string spelling, std::int64_t id, const JsonNode& where) {
  if (id < 0 || id > kMaxTokenId) return where.wrong("a token with an id that a vocabulary can have");
  return Token{static_cast<int>(id), std::move(spelling), 0, 0, true};
}

// ["[CLS]", 101]
Result<Token> pair_token(const JsonNode& node, const char* key) {
  TRY(const auto pair, node.array(key));
  if (pair.size() != 2) return pair.wrong("a spelling and an id");
  TRY(auto spelling, pair.at(std::size_t{0}).text());
  TRY(const auto id, pair.at(std::size_t{1}).integer());
  return special_token(std::move(spelling), id, pair);
}

Result<PostProcessor> around_from(const JsonNode& node) {
  TRY(auto begin, pair_token(node, "cls"));
  TRY(auto end, pair_token(node, "sep"));
  return template_post_processor({std::move(begin)}, {std::move(end)});
}

Result<PostProcessor> roberta_from(const JsonNode& node) {
  TRY(auto around, around_from(node));
  TRY(const bool trims, node.flag("trim_offsets", true));
  TRY(const bool prefix, node.flag("add_prefix_space", true));
  if (!trims) return around;
  return post_processor_sequence({trim_post_processor(prefix), std::move(around)});
}

// Appends the tokens that one special of a template stands for.
Status add_template_token(const JsonNode& node, const JsonNode& piece, std::vector<Token>& out) {
  TRY(const auto name, piece.text("id"));
  TRY(const auto table, node.object("special_tokens"));
  if (!table.has(name.c_str())) return piece.wrong("a token that special_tokens lists");
  const JsonNode entry = table.at(name.c_str());
  TRY(const auto ids, entry.array("ids"));
  TRY(const auto spellings, entry.array("tokens"));
  if (ids.size() != spellings.size()) return entry.wrong("as many ids as tokens");
  for (std::size_t i = 0; i < ids.size(); ++i) {
    TRY(const auto id, ids.at(i).integer());
    TRY(auto spelling, spellings.at(i).text());
    TRY(auto token, special_token(std::move(spelling), id, ids.at(i)));
    out.push_back(std::move(token));
  }
  return Done{};
}

Result<PostProcessor> template_from(const JsonNode& node) {
  TRY(const auto single, node.array("single"));
  std::vector<Token> before, after;
  bool after_text = false;
  for (std::size_t i = 0; i < single.size(); ++i) {
    const JsonNode piece = single.at(i);
    if (piece.has("Sequence")) {
      if (after_text) return piece.wrong("a special token: the text stands in the template once");
      after_text = true;
    } else if (piece.has("SpecialToken")) {
      TRY_OK(add_template_token(node, piece.at("SpecialToken"), after_text ? after : before));
    } else {
      return piece.wrong("{\"SpecialToken\": ...} or {\"Sequence\": ...}");
    }
  }
  if (!after_text) return single.wrong("a template with a Sequence in it");
  return template_post_processor(std::move(before), std::move(after));
}

Result<Normalizer> replace_from(const JsonNode& node) {
  TRY(auto pattern, pattern_from(node, "pattern"));
  TRY(auto content, node.text("content"));
  return replace_normalizer(std::move(pattern), std::move(content));
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

Result<Decoder> strip_decoder_from(const JsonNode& node) {
  TRY(auto content, node.text("content", " "));
  TRY(const auto start, node.integer("start", 0));
  TRY(const auto stop, node.integer("stop", 0));
  if (content.empty() || start < 0 || stop < 0 || start > kMaxTokenId || stop > kMaxTokenId) {
    return node.wrong("a Strip with content and counts from 0 up");
  }
  return strip_decoder(std::move(content), static_cast<int>(start), static_cast<int>(stop));
}

}  // namespace

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
  if (type == "Sequence") {
    TRY(auto parts, parts_from(node, "normalizers", normalizer_from));
    return normalizer_sequence(std::move(parts));
  }
  return unknown_part(node, type,
                      "NFC, NFD, NFKC, NFKD, Lowercase, Prepend, Replace, Strip, ByteLevel, Sequence");
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
  if (type == "Whitespace") return fixed_split("\\w+|[^\\w\\s]+", Delimiter::removed, true);
  if (type == "WhitespaceSplit") return fixed_split("\\s", Delimiter::removed);
  if (type == "Sequence") {
    TRY(auto parts, parts_from(node, "pretokenizers", pre_tokenizer_from));
    return pre_tokenizer_sequence(std::move(parts));
  }
  return unknown_part(node, type,
                      "ByteLevel, Split, Digits, Punctuation, Whitespace, WhitespaceSplit, Sequence");
}

Result<PostProcessor> post_processor_from(const JsonNode& node) {
  TRY_OK(node.expect_object());
  TRY(const auto type, node.type());
  if (type == "TemplateProcessing") return template_from(node);
  if (type == "RobertaProcessing") return roberta_from(node);
  if (type == "BertProcessing") return around_from(node);
  if (type == "ByteLevel") {
    TRY(const bool trims, node.flag("trim_offsets", true));
    TRY(const bool prefix, node.flag("add_prefix_space", true));
    return trims ? trim_post_processor(prefix) : post_processor_sequence({});
  }
  if (type == "Sequence") {
    TRY(auto parts, parts_from(node, "processors", post_processor_from));
    return post_processor_sequence(std::move(parts));
  }
  return unknown_part(node, type,
                      "ByteLevel, TemplateProcessing, RobertaProcessing, BertProcessing, Sequence");
}

Result<Decoder> decoder_from(const JsonNode& node) {
  TRY_OK(node.expect_object());
  TRY(const auto type, node.type());
  if (type == "ByteLevel") return byte_level_decoder();
  if (type == "ByteFallback") return byte_fallback_decoder();
  if (type == "Fuse") return fuse_decoder();
  if (type == "Strip") return strip_decoder_from(node);
  if (type == "Replace") {
    TRY(auto pattern, pattern_from(node, "pattern"));
    TRY(auto content, node.text("content"));
    return replace_decoder(std::move(pattern), std::move(content));
  }
  if (type == "Sequence") {
    TRY(auto parts, parts_from(node, "decoders", decoder_from));
    return decoder_sequence(std::move(parts));
  }
  return unknown_part(node, type, "ByteLevel, Replace, ByteFallback, Fuse, Strip, Sequence");
}

}  // namespace attnscope
