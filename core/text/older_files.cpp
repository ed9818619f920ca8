// vocab.txt and vocab.json + merges.txt, converted to the tokenizer.json they stand for. What the files leave
// open (words, case, tokens around the text) follows from the tokenizer class, by the rules of Hugging
// Face transformers. Error: a class whose files look alike but are read in another way.
#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/text/tokenizer_files.h"

namespace attnscope {

namespace {

using Json = nlohmann::json;

// Lines without their ends; the text's last line end opens no further line.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t next = end + 1;
    if (end > at && text[end - 1] == '\r') --end;
    out.emplace_back(text.substr(at, end - at));
    at = next;
  }
  return out;
}

Json added_entry(const AddedToken& token) {
  return {{"id", token.id},
          {"content", token.content},
          {"special", token.special},
          {"lstrip", token.lstrip},
          {"rstrip", token.rstrip},
          {"single_word", token.single_word},
          {"normalized", token.normalized}};
}

// The special tokens the settings name, where the vocabulary has them, and the ones they add.
Json added_list(const Json& vocab, const TokenizerSettings& settings,
                const std::vector<std::pair<const char*, const char*>>& specials) {
  std::vector<AddedToken> tokens = settings.added_tokens();
  for (const auto& [key, fallback] : specials) {
    const std::string spelling = settings.token(key, fallback);
    const bool known = std::any_of(tokens.begin(), tokens.end(),
                                   [&](const AddedToken& token) { return token.content == spelling; });
    if (known || spelling.empty() || !vocab.contains(spelling)) continue;
    if (!vocab[spelling].is_number_unsigned() || vocab[spelling].get<std::uint64_t>() > kMaxTokenId) continue;
    AddedToken token;
    token.content = spelling;
    token.id = vocab[spelling].get<int>();
    token.special = true;
    token.lstrip = std::string_view(key) == "mask_token" && spelling == "<mask>";
    tokens.push_back(std::move(token));
  }
  std::stable_sort(tokens.begin(), tokens.end(),
                   [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
  Json out = Json::array();
  for (const AddedToken& token : tokens) out.push_back(added_entry(token));
  return out;
}

// BertProcessing or RobertaProcessing; null where the vocabulary lacks one of the two tokens.
Json older_files_around(const Json& vocab, const char* type, const std::string& begin,
                        const std::string& end) {
  if (!vocab.contains(begin) || !vocab.contains(end)) return nullptr;
  return {{"type", type}, {"cls", {begin, vocab[begin]}}, {"sep", {end, vocab[end]}}};
}

// "$A" and the tokens around it as a TemplateProcessing; null where there is none to add.
Json older_files_template_of(const Json& vocab, const std::string& begin, const std::string& end) {
  Json single = Json::array(), specials = Json::object();
  const auto add = [&](const std::string& spelling) {
    if (spelling.empty() || !vocab.contains(spelling)) return;
    single.push_back({{"SpecialToken", {{"id", spelling}, {"type_id", 0}}}});
    specials[spelling] = {{"id", spelling}, {"ids", {vocab[spelling]}}, {"tokens", {spelling}}};
  };
  add(begin);
  single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
  add(end);
  if (specials.empty()) return nullptr;
  return {{"type", "TemplateProcessing"}, {"single", single}, {"special_tokens", specials}};
}

Json split_by(const char* expression, const char* behavior, bool invert) {
  return {
      {"type", "Split"}, {"pattern", {{"Regex", expression}}}, {"behavior", behavior}, {"invert", invert}};
}

constexpr const char* kQwenWords =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kClipWords = R"('s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)";

const std::vector<std::pair<const char*, const char*>> kGptSpecials = {{"unk_token", "<|endoftext|>"},
                                                                       {"bos_token", "<|endoftext|>"},
                                                                       {"eos_token", "<|endoftext|>"},
                                                                       {"pad_token", ""}};
const std::vector<std::pair<const char*, const char*>> kRobertaSpecials = {
    {"bos_token", "<s>"}, {"eos_token", "</s>"},  {"unk_token", "<unk>"},  {"sep_token", "</s>"},
    {"cls_token", "<s>"}, {"pad_token", "<pad>"}, {"mask_token", "<mask>"}};
const std::vector<std::pair<const char*, const char*>> kBertSpecials = {{"unk_token", "[UNK]"},
                                                                        {"sep_token", "[SEP]"},
                                                                        {"pad_token", "[PAD]"},
                                                                        {"cls_token", "[CLS]"},
                                                                        {"mask_token", "[MASK]"}};

Json byte_level(const TokenizerSettings& settings, bool use_regex) {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", settings.flag("add_prefix_space", false)},
          {"trim_offsets", true},
          {"use_regex", use_regex}};
}

Json merge_list(std::string_view merges) {
  Json out = Json::array();
  for (std::string& line : lines_of(merges)) {
    if (!line.empty() && !starts_with(line, "#version")) out.push_back(std::move(line));
  }
  return out;
}

void make_clip(Json& document, const Json& vocab, const TokenizerSettings& settings) {
  document["model"]["end_of_word_suffix"] = "</w>";
  document["model"]["unk_token"] = settings.token("unk_token", "<|endoftext|>");
  document["normalizer"] = {{"type", "Sequence"},
                            {"normalizers",
                             {{{"type", "NFC"}},
                              {{"type", "Replace"}, {"pattern", {{"Regex", "\\s+"}}}, {"content", " "}},
                              {{"type", "Lowercase"}}}}};
  document["pre_tokenizer"] = {
      {"type", "Sequence"},
      {"pretokenizers", {split_by(kClipWords, "Removed", true), byte_level(settings, false)}}};
  document["post_processor"] =
      older_files_around(vocab, "BertProcessing", settings.token("bos_token", "<|startoftext|>"),
                         settings.token("eos_token", "<|endoftext|>"));
  document["decoder"] = {{"type", "Sequence"},
                         {"decoders",
                          {{{"type", "ByteLevel"}},
                           {{"type", "Replace"}, {"pattern", {{"String", "</w>"}}}, {"content", " "}}}}};
}

Status older_files_check_class(const std::string& name, const std::set<std::string>& read,
                               const char* files) {
  if (name.empty() || read.count(name) > 0) return Done{};
  return fail(Code::unsupported, "error.text.class", {printable(name, 60), files});
}

}  // namespace

Result<Json> document_of_word_list(std::string_view text, const TokenizerSettings& settings) {
  static const std::set<std::string> kClasses = {
      "BertTokenizer",  "DistilBertTokenizer", "ElectraTokenizer",  "MobileBertTokenizer",
      "MPNetTokenizer", "RetriBertTokenizer",  "LayoutLMTokenizer", "SqueezeBertTokenizer"};
  TRY_OK(older_files_check_class(settings.tokenizer_class(), kClasses, "vocab.txt"));
  Json vocab = Json::object();
  const std::vector<std::string> lines = lines_of(text);
  for (std::size_t id = 0; id < lines.size(); ++id) {
    if (!is_valid_utf8(lines[id])) {
      return fail(Code::bad_format, "error.text.line_utf8", {id + 1});
    }
    vocab[lines[id]] = id;
  }
  const std::string unknown = settings.token("unk_token", "[UNK]");
  if (!vocab.contains(unknown)) {
    return fail(Code::bad_format, "error.text.line_unknown", {unknown});
  }
  Json document = {{"added_tokens", added_list(vocab, settings, kBertSpecials)}};
  document["normalizer"] = {{"type", "BertNormalizer"},
                            {"clean_text", true},
                            {"handle_chinese_chars", settings.flag("tokenize_chinese_chars", true)},
                            {"lowercase", settings.flag("do_lower_case", true)}};
  if (settings.config.contains("strip_accents") && settings.config["strip_accents"].is_boolean())
    document["normalizer"]["strip_accents"] = settings.config["strip_accents"];
  document["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  document["post_processor"] = older_files_around(
      vocab, "BertProcessing", settings.token("cls_token", "[CLS]"), settings.token("sep_token", "[SEP]"));
  document["decoder"] = {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}};
  document["model"] = {{"type", "WordPiece"}, {"unk_token", unknown}, {"vocab", std::move(vocab)}};
  return document;
}

Result<Json> document_of_merges(Json vocab, std::string_view merges, const TokenizerSettings& settings) {
  static const std::set<std::string> kRoberta = {"RobertaTokenizer", "BartTokenizer", "LongformerTokenizer",
                                                 "LEDTokenizer"};
  static const std::set<std::string> kClasses = {
      "RobertaTokenizer", "BartTokenizer", "LongformerTokenizer", "LEDTokenizer",     "GPT2Tokenizer",
      "Qwen2Tokenizer",   "CLIPTokenizer", "GPTNeoXTokenizer",    "CodeGenTokenizer", "PreTrainedTokenizer"};
  const std::string name = settings.tokenizer_class();
  TRY_OK(older_files_check_class(name, kClasses, "vocab.json"));
  if (!is_valid_utf8(merges)) return fail(Code::bad_format, "error.text.merges_utf8");
  const bool roberta = kRoberta.count(name) > 0;
  Json document = {{"model", {{"type", "BPE"}, {"merges", merge_list(merges)}}}};
  document["added_tokens"] = added_list(vocab, settings, roberta ? kRobertaSpecials : kGptSpecials);
  document["decoder"] = {{"type", "ByteLevel"}};
  document["pre_tokenizer"] = byte_level(settings, true);
  if (name == "CLIPTokenizer") {
    make_clip(document, vocab, settings);
  } else if (name == "Qwen2Tokenizer") {
    document["normalizer"] = {{"type", "NFC"}};
    document["pre_tokenizer"] = {
        {"type", "Sequence"},
        {"pretokenizers", {split_by(kQwenWords, "Isolated", false), byte_level(settings, false)}}};
  } else if (roberta) {
    document["post_processor"] = older_files_around(
        vocab, "RobertaProcessing", settings.token("cls_token", "<s>"), settings.token("sep_token", "</s>"));
  } else {
    const bool begins = settings.flag("add_bos_token", false), ends = settings.flag("add_eos_token", false);
    document["post_processor"] =
        older_files_template_of(vocab, begins ? settings.token("bos_token", "<|endoftext|>") : "",
                                ends ? settings.token("eos_token", "<|endoftext|>") : "");
  }
  document["model"]["vocab"] = std::move(vocab);
  return document;
}

}  // namespace attnscope
