// Tokenizers: tokenizer.json of every model and every part, the older files (vocab.json with merges.txt,
// vocab.txt, SentencePiece), the vocabulary of a GGUF file. What opens reads a text, which is changed as
// well.
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/text/gguf_vocabulary.h"
#include "core/text/learn_bpe.h"
#include "core/text/pattern.h"
#include "core/text/segmentation.h"
#include "tests/core/text/wire_writer.h"
#include "tests/fuzz/format.h"
#include "tests/fuzz/seeds.h"

namespace attnscope::fuzz {
namespace {

using nlohmann::json;

constexpr const char* kText = "text.txt";
const std::string kFirstText =
    " Hello, world!  It's <s>1234 ab\tab\n\xED\x95\x9C\xEA\xB8\x80 e\xCC\x81 \xEF\xAC\x81 "
    "\xF0\x9F\x98\x80\xE2\x82 </t>[MASK] <extra_id_0> \xE4\xBD\xA0\xE5\xA5\xBD CAF\xC3\x89";

// What holds for every tokenizer and any bytes.
void read_text(const Tokenizer& tokenizer, const std::string& text) {
  for (const bool special : {true, false}) {
    const auto encoded = tokenizer.encode(text, special);
    if (!encoded) {
      refused(encoded.error());
      continue;
    }
    for (const Token& token : encoded->tokens) {
      must(
          token.begin >= 0 && token.begin <= token.end && token.end <= static_cast<std::int64_t>(text.size()),
          "a token beyond its text");
      must(!tokenizer.token_display(token.id).empty(), "a token that shows nothing");
    }
    must(is_valid_utf8(tokenizer.decode(encoded->ids(), special)), "a decoded text that is not UTF-8");
  }
  const auto steps = segment(tokenizer, text, {8, 64});
  if (steps)
    for (const SegmentedWord& word : steps->words)
      for (const std::size_t count : {0, 1, 100}) use(static_cast<double>(pieces_after(word, count).size()));
  use(static_cast<double>(tokenizer.search("a", 5).size()));
  for (const int id : {-1, 0, 1, tokenizer.vocab_size() - 1, tokenizer.vocab_size()})
    must(!tokenizer.token_display(id).empty() && is_valid_utf8(tokenizer.decode({id, id})),
         "an id that is shown badly");
}

std::string text_among(const Files& files) {
  const auto text = files.find(kText);
  return text == files.end() ? kFirstText : text->second;
}

// ---- tokenizer.json ----
std::vector<Files> tokenizer_seeds() {
  std::vector<Files> out;
  for (const json& file : rich_tokenizers())
    out.push_back({{"tokenizer.json", file.dump()}, {kText, kFirstText}});
  for (const json& file : component_tokenizers())
    out.push_back({{"tokenizer.json", file.dump()}, {kText, kFirstText}});
  for (const char* name : {"bytelevel_bpe", "bytelevel_bpe_split", "sentencepiece_bpe", "unigram",
                           "wordpiece_cased", "wordpiece_uncased"})
    out.push_back({{"tokenizer.json",
                    repository_file("tests/golden/tokenizers/" + std::string(name) + "/tokenizer.json")},
                   {kText, kFirstText}});
  return out;
}

// Pieces without end, and unknown tokens that are none.
std::vector<Files> tokenizer_misses() {
  std::vector<Files> out;
  const std::vector<json> rich = rich_tokenizers();
  const auto with = [&](std::size_t kind, const json& patch) {
    json file = rich[kind];
    file["model"].merge_patch(patch);
    out.push_back({{"tokenizer.json", file.dump()}, {kText, kFirstText}});
  };
  const std::string endless(5000, 'a');
  with(0, {{"vocab", {{endless, 9}}}});
  with(0, {{"unk_token", "nothing"}});
  with(1, {{"vocab", {{"<unk>", 0.0}, {endless, -1.0}}}});
  with(1, {{"unk_id", 99}});
  with(1, {{"vocab", {{"<unk>", 0.0}, {"a", 1e300}}}});
  with(2, {{"vocab", {{endless, 9}}}});
  with(2, {{"unk_token", "nothing"}});
  with(3, {{"unk_token", "nothing"}});
  return out;
}

bool read_tokenizer_json(const Files& files) {
  const auto file = files.find("tokenizer.json");
  if (file == files.end()) return false;
  const auto made = tokenizer_from_json(file->second, "a.json");
  if (!made) return refused(made.error(), "a.json");
  read_text(**made, text_among(files));
  return true;
}

// ---- older files ----
std::string sentencepiece_model() {
  using testing::WireWriter;
  WireWriter model;
  const auto piece = [&](const char* spelling, float score, std::uint64_t kind) {
    model.message(1, WireWriter().text(1, spelling).real(2, score).number(3, kind));
  };
  piece("<unk>", 0, 2);
  piece("<s>", 0, 3);
  piece("</s>", 0, 3);
  piece("\xE2\x96\x81", -1, 1);
  piece("a", -2, 1);
  piece("b", -3, 1);
  piece("ab", -0.5f, 1);
  piece("<u>", 0, 4);
  piece("old", 0, 5);
  piece("<0x0A>", -9, 6);
  model.message(2, WireWriter().number(3, 2).number(35, 1).number(40, 0).number(41, 1).number(42, 2));
  model.message(3, WireWriter().text(1, "identity").number(3, 1).number(4, 1).number(5, 1));
  return model.bytes();
}

const std::string kGptVocabulary =
    R"({"a":0,"b":1,"ab":2,"\u0120":3,"\u0120ab":4,"<|endoftext|>":5,"<s>":6,"</s>":7,)"
    R"("<unk>":8,"<pad>":9,"<mask>":10,"a</w>":11,"<|startoftext|>":12})";
const std::string kGptMerges = "#version: 0.2\na b\n\xC4\xA0 ab\n";
const std::string kBertWords = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\nab\nhello\n,\n##\xED\x95\x9C\n";

std::vector<Files> older_seeds() {
  const std::string model = repository_file("tests/golden/tokenizers/model_bpe/tokenizer.model");
  const std::string unigram = repository_file("tests/golden/tokenizers/model_unigram/spiece.model");
  const std::string added =
      R"({"added_tokens_decoder":{"20":{"content":"<new>","lstrip":true,"rstrip":false,"normalized":false,"single_word":)"
      R"(true,"special":true}},"bos_token":{"content":"<s>"},"eos_token":"</s>","add_prefix_space":true)";
  const auto config = [&](const char* name) { return added + R"(,"tokenizer_class":")" + name + "\"}"; };
  std::vector<Files> out;
  for (const char* name :
       {"GPT2Tokenizer", "RobertaTokenizer", "CLIPTokenizer", "Qwen2TokenizerFast", "BartTokenizer"})
    out.push_back({{"vocab.json", kGptVocabulary},
                   {"merges.txt", kGptMerges},
                   {"tokenizer_config.json", config(name)}});
  out.push_back({{"vocab.json", kGptVocabulary},
                 {"merges.txt", kGptMerges},
                 {"special_tokens_map.json", R"({"unk_token":"<unk>","mask_token":{"content":"<mask>"}})"},
                 {"added_tokens.json", R"({"<more>":13,"<most>":14})"},
                 {"config.json", R"({"model_type":"roberta"})"}});
  out.push_back({{"vocab.txt", kBertWords},
                 {"tokenizer_config.json",
                  R"({"do_lower_case":false,"strip_accents":true,"tokenizer_class":"BertTokenizer"})"}});
  for (const char* name : {"T5Tokenizer", "XLMRobertaTokenizer", "AlbertTokenizer", "LlamaTokenizer"})
    out.push_back({{"tokenizer.model", sentencepiece_model()},
                   {"tokenizer_config.json",
                    std::string(R"({"legacy":false,"extra_ids":5,"add_bos_token":true,"tokenizer_class":")") +
                        name + "\"}"}});
  out.push_back({{"tokenizer.model", model}});
  out.push_back({{"spiece.model", unigram}, {"tokenizer_config.json", R"({"add_eos_token":true})"}});
  out.push_back({{"source.spm", sentencepiece_model()},
                 {"vocab.json", R"({"</s>":0,"<unk>":1,"a":2,"ab":3,"<pad>":4,">>ko<<":5})"}});
  for (Files& files : out) files[kText] = kFirstText;
  return out;
}

bool read_older(const Files& files) {
  const std::string folder = on_disk(files);
  const auto made = open_tokenizer(folder);
  if (!made) return refused(made.error());
  read_text(**made, text_among(files));
  return true;
}

// ---- the vocabulary of a GGUF file ----
json vocabulary(const char* model, const char* pre, std::vector<std::string> tokens,
                const json& more = json::object()) {
  json out{{"model", model}, {"pre", pre}, {"tokens", std::move(tokens)}};
  out.update(more);
  return out;
}

std::vector<Files> vocabulary_seeds() {
  std::vector<json> all;
  for (const char* pre :
       {"default", "gpt-2", "llama-bpe", "qwen2", "tekken", "deepseek-v3", "viking", "falcon"})
    all.push_back(vocabulary("gpt2", pre, {"a", "b", "ab", "\xC4\xA0", "<s>", "</s>"},
                             {{"merges", {"a b"}}, {"types", {1, 1, 1, 1, 3, 4}}, {"bos", 4}, {"eos", 5}}));
  all.push_back(vocabulary("llama", "",
                           {"<unk>", "<s>", "</s>", "<0x0A>", "\xE2\x96\x81", "a",
                            "\xE2\x96\x81"
                            "a"},
                           {{"scores", {0, 0, 0, 0, -1, -2, -0.5}},
                            {"types", {2, 3, 3, 6, 1, 1, 1}},
                            {"bos", 1},
                            {"eos", 2},
                            {"unknown", 0},
                            {"add_space_prefix", true},
                            {"add_eos", true}}));
  all.push_back(
      vocabulary("bert", "",
                 {"[UNK]", "[CLS]", "[SEP]",
                  "\xE2\x96\x81"
                  "a",
                  "b", "[MASK]"},
                 {{"unknown", 0}, {"cls", 1}, {"sep", 2}, {"mask", 5}, {"lowercase", true}, {"bos", 1}}));
  all.push_back(vocabulary("t5", "", {"<pad>", "</s>", "<unk>", "\xE2\x96\x81", "a", "b"},
                           {{"scores", {0, 0, 0, -1, -2, -3}},
                            {"types", {3, 3, 2, 1, 1, 1}},
                            {"eos", 1},
                            {"unknown", 2},
                            {"pad", 0},
                            {"remove_extra_whitespaces", true},
                            {"charsmap", std::string(4, '\0')}}));
  std::vector<Files> out;
  for (const json& one : all) out.push_back({{"vocabulary.json", one.dump()}, {kText, kFirstText}});
  return out;
}

template <class T>
void take(const json& object, const char* key, T& to) {
  const auto at = object.find(key);
  if (at == object.end()) return;
  try {
    to = at->get<T>();
  } catch (const json::exception&) {  // of another kind: as in a file without it
  }
}
void take_id(const json& object, const char* key, std::optional<int>& to) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_number_unsigned() || at->get<std::uint64_t>() > INT32_MAX) return;
  to = at->get<int>();
}
void take_flag(const json& object, const char* key, std::optional<bool>& to) {
  const auto at = object.find(key);
  if (at != object.end() && at->is_boolean()) to = at->get<bool>();
}

bool read_vocabulary(const Files& files) {
  const auto file = files.find("vocabulary.json");
  if (file == files.end()) return false;
  const json object = json::parse(file->second, nullptr, false);
  if (!object.is_object()) return false;
  GgufVocabulary parts;
  parts.what = "a.gguf";
  take(object, "model", parts.model);
  take(object, "pre", parts.pre);
  take(object, "tokens", parts.tokens);
  take(object, "merges", parts.merges);
  take(object, "charsmap", parts.charsmap);
  std::vector<double> scores, types;  // numbers of any size, as arrays of the file
  take(object, "scores", scores);
  take(object, "types", types);
  for (const double score : scores)
    parts.scores.push_back(static_cast<float>(std::clamp(score, -1e30, 1e30)));
  for (const double type : types) parts.types.push_back(static_cast<int>(std::clamp(type, -1e9, 1e9)));
  for (const auto& [key, id] : {std::pair{"bos", &parts.bos},
                                {"eos", &parts.eos},
                                {"unknown", &parts.unknown},
                                {"sep", &parts.sep},
                                {"cls", &parts.cls},
                                {"pad", &parts.pad},
                                {"mask", &parts.mask}})
    take_id(object, key, *id);
  for (const auto& [key, flag] : {std::pair{"add_bos", &parts.add_bos},
                                  {"add_eos", &parts.add_eos},
                                  {"add_sep", &parts.add_sep},
                                  {"add_space_prefix", &parts.add_space_prefix},
                                  {"remove_extra_whitespaces", &parts.remove_extra_whitespaces},
                                  {"lowercase", &parts.lowercase},
                                  {"strip_accents", &parts.strip_accents}})
    take_flag(object, key, *flag);
  const auto made = make_gguf_tokenizer(parts);
  if (!made) return refused(made.error(), "a.gguf");
  read_text(**made, text_among(files));
  return true;
}

// ---- regular expressions: the first line; the rest is cut by it ----
std::vector<Files> pattern_seeds() {
  return {{{"pattern", "\\p{L}+|\\h{2,3}+|[^\\H\\s]*\\w?(?i:'s)\nThe cat's 42"}},
          {{"pattern", "(?:a|[\\h\\d])+?(?=b)\nab1b"}}};
}

const std::vector<std::string> kPatternWords = split("\\h|\\H|\\p{|(?:|(?<!|{1,9}|+|?|]|[^|((((((((|&&", '|');

bool read_pattern(const Files& files) {
  const std::string& all = only_file(files);
  const std::size_t line = std::min(all.find('\n'), all.size());
  const auto pattern = Pattern::regex(std::string_view(all).substr(0, line));
  if (!pattern) return refused(pattern.error());
  const std::string text = valid_utf8(std::string_view(all).substr(line).substr(0, 4000));
  const auto cut = pattern->cut(text);
  if (!cut) return refused(cut.error());
  for (const auto& match : *cut) use(static_cast<double>(match.begin));
  return true;
}

// ---- vocabularies learned from a text; what they spell; and merges that somebody else learned ----
std::vector<Files> learned_seeds() {
  return {{{kText, "the cat sat on the mat, the cat sat"}, {"said.txt", "the hat"}, {"merges", "t h\nth e"}},
          {{kText, "\xEA\xB3\xA0\xEC\x96\x91\xEC\x9D\xB4 \xEA\xB3\xA0\xEC\x96\x91"},
           {"said.txt", "\xF0\x9F\x98\x80"}}};
}

bool read_learned(const Files& files) {
  const auto part = [&](const char* name) {
    const auto at = files.find(name);
    return at == files.end() ? std::string() : at->second.substr(0, 4000);
  };
  const std::string text = part(kText);
  const std::string_view texts[] = {text};
  const auto merges = learn_merges(texts, 20);
  must(merges.size() <= 20, "more merges than were asked for");
  const std::atomic<bool> cancel{true};
  must(learn_merges(texts, 20, &cancel).empty(), "merges after the answer is no longer wanted");
  const auto pairs = tokenizer_of_merges(merges, merges.size());
  must(pairs.ok(), "merges that make no vocabulary");
  for (const std::string& said : {text, part("said.txt")})
    if (const auto coded = (*pairs)->encode(said); coded && is_valid_utf8(said))
      must((*pairs)->decode(coded->ids()) == said, "bytes that are not given back");
  const auto pieces = unigram_of_merges(texts, merges, merges.size());
  if (!pieces) return refused(pieces.error());
  use(static_cast<double>((*pieces)->vocab_size()));
  const auto others = tokenizer_of_merges(split(part("merges"), '\n'), part("merges").empty() ? 0 : 20);
  return others.ok() || refused(others.error());
}

const std::vector<std::string> kFormatsTextWords{"a",
                                                 "'ll",
                                                 "<s>",
                                                 "\n",
                                                 "\xED\x95\x9C",
                                                 "e\xCC\x81",
                                                 "\xF0\x9F\x98\x80",
                                                 "\xE2\x82",
                                                 "123",
                                                 "<0x0A>",
                                                 "\xEF\xAC\x81",
                                                 "\xE2\x96\x81",
                                                 "##",
                                                 "</w>",
                                                 "[UNK]",
                                                 "(?",
                                                 "\\p{L}+",
                                                 "[^a]",
                                                 "(a|b)*",
                                                 "\\h+\\H",
                                                 "[\\h]",
                                                 "a{2}+",
                                                 "(?>a)",
                                                 "(?<n>a)",
                                                 "(a+)+$",
                                                 std::string(3000, '('),
                                                 "\\s+(?!\\S)",
                                                 "$A",
                                                 "type",
                                                 "pattern",
                                                 "Regex",
                                                 "String",
                                                 "content",
                                                 "BPE",
                                                 "Unigram",
                                                 "WordPiece",
                                                 "WordLevel",
                                                 "WhitespaceSplit",
                                                 "ByteLevel",
                                                 "Metaspace",
                                                 "Split",
                                                 "Sequence",
                                                 "Replace",
                                                 "Prepend",
                                                 "NFKC",
                                                 "Precompiled",
                                                 "Strip",
                                                 "Fuse",
                                                 "CTC",
                                                 "TemplateProcessing",
                                                 "RobertaProcessing",
                                                 "Removed",
                                                 "Isolated",
                                                 "MergedWithPrevious",
                                                 "Contiguous",
                                                 "first",
                                                 "never",
                                                 "always",
                                                 "prepend_scheme",
                                                 "byte_fallback",
                                                 "unk_token",
                                                 "unk_id",
                                                 "ignore_merges",
                                                 "dropout",
                                                 "#version: 0.2\n",
                                                 "a b\n",
                                                 "llama",
                                                 "bert",
                                                 "t5",
                                                 "gpt2"};

}  // namespace

std::vector<Format> formats_of_text() {
  return {{"tokenizer-json", tokenizer_seeds, read_tokenizer_json, kFormatsTextWords, tokenizer_misses},
          {"tokenizer-files", older_seeds, read_older, kFormatsTextWords},
          {"gguf-vocabulary", vocabulary_seeds, read_vocabulary, kFormatsTextWords},
          {"pattern", pattern_seeds, read_pattern, kPatternWords},
          {"learned-vocabulary",
           learned_seeds,
           read_learned,
           {" ", "\n", "\xEA\xB3\xA0", "\xF0\x9F\x98\x80", "\xFF", "aaaa"}}};
}

}  // namespace attnscope::fuzz
