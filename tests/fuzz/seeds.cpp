#include "tests/fuzz/seeds.h"

#include <nlohmann/json.hpp>

#include "tests/fuzz/format.h"

namespace attnscope::fuzz {
namespace {

using nlohmann::json;

json bpe() {
  return json::parse(R"({
  "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "Ġ": 3, "Ġab": 4, "<s>": 5, "</s>": 6, "<0x0A>": 7,
            "é": 8}, "merges": ["a b", "Ġ ab"], "unk_token": "<s>", "byte_fallback": true, "fuse_unk": true,
            "ignore_merges": false, "continuing_subword_prefix": null, "end_of_word_suffix": null, "dropout": null},
  "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"},
            {"type": "Replace", "pattern": {"Regex": "[0-9]+"}, "content": "b"}, {"type": "Prepend", "prepend": "a"}]},
  "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": "(?i:'ll)|\\s+(?!\\S)|\\p{N}{1,3}"}, "behavior": "MergedWithNext",
             "invert": false},
            {"type": "Digits", "individual_digits": true},
            {"type": "ByteLevel", "add_prefix_space": true, "use_regex": true}]},
  "post_processor": {"type": "RobertaProcessing", "cls": ["<s>", 5], "sep": ["</s>", 6], "trim_offsets": true},
  "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0}, {"type": "Fuse"}]},
  "added_tokens": [{"id": 5, "content": "<s>", "special": true, "lstrip": true, "rstrip": true},
            {"id": 12, "content": "</t>", "normalized": true, "single_word": true}]})");
}

json unigram() {
  json file = bpe();
  file["model"] = json::parse(R"({"type": "Unigram", "unk_id": 0, "byte_fallback": true,
    "vocab": [["<unk>", 0.0], ["▁", -2.5], ["a", -3.0], ["<0x0A>", -9.0]]})");
  file["normalizer"]["normalizers"].push_back(
      {{"type", "Precompiled"}, {"precompiled_charsmap", "BAAAAAAAAAA="}});
  file["normalizer"]["normalizers"].push_back({{"type", "Nmt"}});
  file["pre_tokenizer"] =
      json::parse(R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": true})");
  file["decoder"] = json::parse(R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"})");
  file["post_processor"] = json::parse(R"({"type": "TemplateProcessing", "single": [
    {"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [7], "tokens": ["<s>"]}}})");
  file["added_tokens"] = json::parse(R"([{"id": 7, "content": "<s>", "special": true}])");
  return file;
}

json word_piece() {
  json file = bpe();
  file["model"] = json::parse(R"({"type": "WordPiece", "unk_token": "a", "continuing_subword_prefix": "##",
    "max_input_chars_per_word": 20, "vocab": {"a": 0, "##b": 1, "ab": 2, "##é": 3, "1": 4}})");
  file["normalizer"] = json::parse(R"({"type": "BertNormalizer", "lowercase": true, "strip_accents": null,
    "clean_text": true, "handle_chinese_chars": true})");
  file["pre_tokenizer"] = json::parse(R"({"type": "Sequence", "pretokenizers": [{"type": "BertPreTokenizer"},
    {"type": "UnicodeScripts"}, {"type": "FixedLength", "length": 3}]})");
  file["post_processor"] = json::parse(R"({"type": "BertProcessing", "cls": ["a", 0], "sep": ["ab", 2]})");
  file["decoder"] = json::parse(R"({"type": "Sequence", "decoders": [{"type": "WordPiece", "prefix": "##"},
    {"type": "CTC", "pad_token": "a", "word_delimiter_token": "|", "cleanup": true}]})");
  file["added_tokens"] = json::parse(R"([{"id": 7, "content": "<s>", "special": true}])");
  return file;
}

json word_level() {
  json file = word_piece();
  file["model"] =
      json::parse(R"({"type": "WordLevel", "unk_token": "a", "vocab": {"a": 0, "ab": 1, "Hello": 2}})");
  file["pre_tokenizer"] = json::parse(R"({"type": "Whitespace"})");
  file["post_processor"] = json::parse(R"({"type": "BertProcessing", "cls": ["a", 0], "sep": ["ab", 1]})");
  return file;
}

}  // namespace

std::vector<json> rich_tokenizers() { return {bpe(), unigram(), word_piece(), word_level()}; }

std::vector<json> component_tokenizers() {
  const json components = json::parse(repository_file("tests/golden/tokenizers/components.json"));
  std::vector<json> out;
  for (const auto& [list, key] :
       {std::pair{"normalizers", "normalizer"}, {"pre_tokenizers", "pre_tokenizer"}, {"decoders", "decoder"}})
    for (const json& component : components.at(list)) {
      json file = bpe();
      for (const char* part : {"normalizer", "pre_tokenizer", "decoder", "post_processor"}) file.erase(part);
      file[key] = component.at("part");
      out.push_back(std::move(file));
    }
  return out;
}

}  // namespace attnscope::fuzz
