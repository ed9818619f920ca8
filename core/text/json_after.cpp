// What comes after the vocabulary in a tokenizer.json: post-processors and decoders.
#include "core/base/text.h"
#include "core/text/json_parts.h"
#include "core/text/vocabulary.h"

namespace attnscope {

namespace {

Result<Token> json_after_special_token(std::string spelling, std::int64_t id, const JsonNode& where) {
  if (id < 0 || id > kMaxTokenId) return where.wrong(Text::of("error.text.wanted.token_id"));
  return Token{static_cast<int>(id), std::move(spelling), 0, 0, true};
}

// ["[CLS]", 101]
Result<Token> pair_token(const JsonNode& node, const char* key) {
  TRY(const auto pair, node.array(key));
  if (pair.size() != 2) return pair.wrong(Text::of("error.text.wanted.spelling_id"));
  TRY(auto spelling, pair.at(std::size_t{0}).text());
  TRY(const auto id, pair.at(std::size_t{1}).integer());
  return json_after_special_token(std::move(spelling), id, pair);
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
  if (!table.has(name.c_str())) return piece.wrong(Text::of("error.text.wanted.special_token"));
  const JsonNode entry = table.at(name.c_str());
  TRY(const auto ids, entry.array("ids"));
  TRY(const auto spellings, entry.array("tokens"));
  if (ids.size() != spellings.size()) return entry.wrong(Text::of("error.text.wanted.as_many_ids"));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    TRY(const auto id, ids.at(i).integer());
    TRY(auto spelling, spellings.at(i).text());
    TRY(auto token, json_after_special_token(std::move(spelling), id, ids.at(i)));
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
      if (after_text) return piece.wrong(Text::of("error.text.wanted.text_once"));
      after_text = true;
    } else if (piece.has("SpecialToken")) {
      TRY_OK(add_template_token(node, piece.at("SpecialToken"), after_text ? after : before));
    } else {
      return piece.wrong(Text::of("error.text.wanted.template_part"));
    }
  }
  if (!after_text) return single.wrong(Text::of("error.text.wanted.template"));
  return template_post_processor(std::move(before), std::move(after));
}

Result<Decoder> strip_decoder_from(const JsonNode& node) {
  TRY(auto content, node.text("content", " "));
  TRY(const auto start, node.integer("start", 0));
  TRY(const auto stop, node.integer("stop", 0));
  if (content.empty() || start < 0 || stop < 0 || start > kMaxTokenId || stop > kMaxTokenId) {
    return node.wrong(Text::of("error.text.wanted.strip"));
  }
  return strip_decoder(std::move(content), static_cast<int>(start), static_cast<int>(stop));
}

Result<Decoder> ctc_from(const JsonNode& node) {
  TRY(auto pad, node.text("pad_token", "<pad>"));
  TRY(auto delimiter, node.text("word_delimiter_token", "|"));
  TRY(const bool cleanup, node.flag("cleanup", true));
  return ctc_decoder(std::move(pad), std::move(delimiter), cleanup);
}

}  // namespace

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
  if (type == "WordPiece") {
    TRY(auto prefix, node.text("prefix", "##"));
    TRY(const bool cleanup, node.flag("cleanup", true));
    return word_piece_decoder(std::move(prefix), cleanup);
  }
  if (type == "Metaspace") {
    TRY(auto space, metaspace_of(node));
    return metaspace_decoder(std::move(space.mark), space.prepend != PrependMark::never);
  }
  if (type == "BPEDecoder") {
    TRY(auto suffix, node.text("suffix", "</w>"));
    return suffix_decoder(std::move(suffix));
  }
  if (type == "CTC") return ctc_from(node);
  if (type == "Sequence") {
    TRY(auto parts, parts_from(node, "decoders", decoder_from));
    return decoder_sequence(std::move(parts));
  }
  return unknown_part(node, type,
                      "ByteLevel, Metaspace, WordPiece, BPEDecoder, CTC, Replace, ByteFallback, Fuse, Strip, "
                      "Sequence");
}

}  // namespace attnscope
