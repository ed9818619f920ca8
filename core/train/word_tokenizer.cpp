#include "core/train/word_tokenizer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

Json model_of(const WordTokenizer& parts, const WordIds& ids) {
  Json vocab = Json::object();
  for (int id = 0; id < ids.size(); ++id) vocab[ids.word(id)] = id;
  const bool pieces = std::any_of(parts.words.begin(), parts.words.end(),
                                  [](const std::string& word) { return starts_with(word, "##"); });
  Json model{{"type", pieces ? "WordPiece" : "WordLevel"}, {"vocab", vocab}, {"unk_token", parts.unknown}};
  if (pieces) {
    model["continuing_subword_prefix"] = "##";
    model["max_input_chars_per_word"] = 100;
  }
  return model;
}

Json added_token(const std::string& spelling, int id) {
  return {{"id", id},        {"content", spelling}, {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

// What stands around a text when it is encoded.
Json template_of(const WordTokenizer& parts, const WordIds& ids) {
  if (parts.before.empty() && parts.after.empty()) return nullptr;
  Json single = Json::array(), pair = Json::array(), specials = Json::object();
  const auto add = [&](const std::string& spelling, int type) {
    if (spelling.empty()) return;
    const Json piece{{"SpecialToken", {{"id", spelling}, {"type_id", type}}}};
    if (type == 0) single.push_back(piece);
    pair.push_back(piece);
    specials[spelling] = {{"id", spelling}, {"ids", {ids[spelling]}}, {"tokens", {spelling}}};
  };
  add(parts.before, 0);
  single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
  pair.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
  add(parts.after, 0);
  pair.push_back({{"Sequence", {{"id", "B"}, {"type_id", 1}}}});
  add(parts.after, 1);
  return {{"type", "TemplateProcessing"}, {"single", single}, {"pair", pair}, {"special_tokens", specials}};
}

Json cut_of(WordTokenizer::Cut cut) {
  if (cut == WordTokenizer::Cut::words) return {{"type", "BertPreTokenizer"}};
  const Json letters{
      {"type", "Split"}, {"pattern", {{"Regex", "."}}}, {"behavior", "Isolated"}, {"invert", false}};
  return {{"type", "Sequence"}, {"pretokenizers", {{{"type", "WhitespaceSplit"}}, letters}}};
}

Json decoder_of(WordTokenizer::Cut cut) {
  if (cut == WordTokenizer::Cut::letters) return {{"type", "Fuse"}};
  return {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}};
}

}  // namespace

nlohmann::json tokenizer_json(const WordTokenizer& parts) {
  const WordIds ids(parts.words);
  Json added = Json::array();
  for (const std::string& spelling : parts.special) added.push_back(added_token(spelling, ids[spelling]));
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", added},
          {"normalizer", nullptr},
          {"pre_tokenizer", cut_of(parts.cut)},
          {"post_processor", template_of(parts, ids)},
          {"decoder", decoder_of(parts.cut)},
          {"model", model_of(parts, ids)}};
}

WordIds::WordIds(std::vector<std::string> words) : words_(std::move(words)) {
  for (std::size_t id = 0; id < words_.size(); ++id) {
    const bool fresh = ids_.emplace(words_[id], static_cast<int>(id)).second;
    CHECK(fresh);
  }
}

int WordIds::operator[](std::string_view word) const {
  const auto found = ids_.find(word);
  CHECK(found != ids_.end());
  return found->second;
}

std::vector<int> WordIds::read(std::string_view spaced) const {
  std::vector<int> out;
  for (const std::string& word : split(spaced, ' '))
    if (!word.empty()) out.push_back((*this)[word]);
  return out;
}

}  // namespace attnscope
