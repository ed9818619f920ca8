// A tokenizer.json (Hugging Face tokenizers 0.x, version "1.0"): the document as a whole, the added tokens,
// and the parts put together. Errors: vocabularies that contradict themselves. Truncation and padding are
// left alone: see tokenizer.h.
#include "core/base/text.h"
#include "core/text/json_parts.h"
#include "core/text/tokenizer_files.h"

namespace attnscope {

namespace {

using MadeTokenizer = Result<std::shared_ptr<const Tokenizer>>;

Result<AddedToken> added_token_from(const JsonNode& node, const Vocabulary& vocabulary) {
  TRY_OK(node.expect_object());
  AddedToken out;
  TRY(out.content, node.text("content"));
  TRY(out.special, node.flag("special", false));
  TRY(out.single_word, node.flag("single_word", false));
  TRY(out.lstrip, node.flag("lstrip", false));
  TRY(out.rstrip, node.flag("rstrip", false));
  TRY(out.normalized, node.flag("normalized", !out.special));
  TRY(const auto listed, node.integer("id", -1));
  const auto known = vocabulary.find(out.content);  // the vocabulary has the last word, as in the original
  const std::int64_t id = known ? *known : listed;
  if (id < 0 || id > kMaxTokenId) return node.wrong(Text::of("error.text.wanted.added_token"));
  if (!known && vocabulary.has(static_cast<int>(id))) {
    return fail(Code::bad_format, "error.text.added_id",
                {node.path(), printable(out.content, 60), id,
                 printable(vocabulary.spelling(static_cast<int>(id)), 60)});
  }
  out.id = static_cast<int>(id);
  return out;
}

Result<AddedTokens> added_from(const JsonNode& root, const Pipeline& parts) {
  std::vector<AddedToken> tokens;
  if (root.has("added_tokens")) {
    TRY(const auto list, root.array("added_tokens"));
    for (std::size_t i = 0; i < list.size(); ++i) {
      TRY(auto token, added_token_from(list.at(i), parts.model->vocabulary()));
      tokens.push_back(std::move(token));
    }
  }
  return AddedTokens::make(tokens, parts.normalizer);
}

// True where the pipeline makes letters of the byte-level alphabet, so that spellings are to be read as such.
bool uses_letters(const nlohmann::json& part) {
  if (!part.is_object()) return false;
  const auto type = part.find("type");
  if (type != part.end() && *type == "ByteLevel") return true;
  for (const char* key : {"pretokenizers", "normalizers", "decoders"}) {
    const auto parts = part.find(key);
    if (parts == part.end() || !parts->is_array()) continue;
    for (const auto& inner : *parts) {
      if (uses_letters(inner)) return true;
    }
  }
  return false;
}

Result<Pipeline> pipeline_from(const JsonNode& root) {
  TRY_OK(root.expect_object());
  Pipeline parts;
  TRY(const auto model, root.object("model"));
  TRY(parts.model, model_from(model));
  if (root.has("normalizer")) {
    TRY(parts.normalizer, normalizer_from(root.at("normalizer")));
  }
  if (root.has("pre_tokenizer")) {
    TRY(parts.pre_tokenizer, pre_tokenizer_from(root.at("pre_tokenizer")));
  }
  if (root.has("post_processor")) {
    TRY(parts.post_processor, post_processor_from(root.at("post_processor")));
  }
  if (root.has("decoder")) {
    TRY(parts.decoder, decoder_from(root.at("decoder")));
  }
  TRY(parts.added, added_from(root, parts));
  for (const char* key : {"pre_tokenizer", "normalizer", "decoder"}) {
    if (root.has(key)) parts.letters = parts.letters || uses_letters(root.at(key).value());
  }
  parts.bos = first_known(parts, {"<|begin_of_text|>", "<s>", "<bos>", "[CLS]", "<|endoftext|>"});
  parts.eos = first_known(parts, {"<|end_of_text|>", "</s>", "<eos>", "[SEP]", "<|endoftext|>"});
  return parts;
}

}  // namespace

Result<Pipeline> parts_of_document(const nlohmann::json& document, const std::string& what) {
  try {
    auto parts = pipeline_from(JsonNode(document, ""));
    if (!parts) return within(what, parts.error());
    return parts;
  } catch (const std::exception&) {
    return fail(Code::no_memory, "error.text.memory", {what});
  }
}

Result<Pipeline> parts_of_json(std::string_view text, const std::string& what) {
  const auto document = parse_json(text);
  if (!document) return within(what, document.error());
  return parts_of_document(*document, what);
}

MadeTokenizer tokenizer_from_json(std::string_view text, const std::string& what) {
  auto parts = parts_of_json(text, what);
  if (!parts) return with_full_stop(parts.error());
  return std::shared_ptr<const Tokenizer>(std::make_shared<PipelineTokenizer>(*std::move(parts)));
}

}  // namespace attnscope
