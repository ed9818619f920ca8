// The small files beside a vocabulary: tokenizer_config.json, special_tokens_map.json, added_tokens.json.
// They hold anything, so whatever is not as expected counts as absent.
#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "core/system/mapped_file.h"
#include "core/text/json_node.h"
#include "core/text/tokenizer_files.h"

namespace attnscope {

namespace {

using Json = nlohmann::json;

constexpr std::uintmax_t kMaxFile = std::uintmax_t{256} << 20;  // bytes; the largest in use have about 35 MB

Json object_in(const std::filesystem::path& file) {
  const auto text = read_tokenizer_file(file);
  if (!text) return Json::object();
  auto read = parse_json(*text);
  return read && read->is_object() ? *std::move(read) : Json::object();
}

std::string spelling_in(const Json& object, const char* key) {
  const JsonNode node(object, "");
  if (!node.has(key)) return {};
  const auto text = node.at(key).value().is_object() ? node.at(key).text("content", "") : node.at(key).text();
  return text ? *text : std::string();
}

std::optional<int> id_in(const Json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  const auto id = value.is_number_unsigned() && value.get<std::uint64_t>() > INT32_MAX
                      ? std::int64_t{-1}
                      : value.get<std::int64_t>();
  if (id < 0 || id > kMaxTokenId) return std::nullopt;
  return static_cast<int>(id);
}

std::optional<int> id_in(const std::string& digits) {
  int id = -1;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  if (read.ec != std::errc() || id < 0 || id > kMaxTokenId) return std::nullopt;
  return id;
}

AddedToken token_of(const Json& entry, int id) {
  const JsonNode node(entry, "");
  const auto flag = [&](const char* key, bool fallback) {
    const auto read = node.flag(key, fallback);
    return read ? *read : fallback;
  };
  AddedToken out;
  out.content = spelling_in(Json{{"token", entry}}, "token");
  out.id = id;
  out.special = flag("special", false);
  out.single_word = flag("single_word", false);
  out.lstrip = flag("lstrip", false);
  out.rstrip = flag("rstrip", false);
  out.normalized = flag("normalized", !out.special);
  return out;
}

}  // namespace

Result<std::string> read_tokenizer_file(const std::filesystem::path& path) {
  std::error_code problem;
  const auto size = std::filesystem::file_size(path, problem);
  if (problem) {
    return fail(Code::not_found, "error.text.open", {quoted_path(path.string()), problem.message()});
  }
  if (size > kMaxFile) {
    return fail(Code::out_of_range, "error.text.file_size",
                {quoted_path(path.string()), format_bytes(size), format_bytes(kMaxFile)});
  }
  return read_file(path.string(), kMaxFile);
}

TokenizerSettings settings_beside(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  TokenizerSettings out;
  out.config = object_in(folder / "tokenizer_config.json");
  out.specials = object_in(folder / "special_tokens_map.json");
  out.added = object_in(folder / "added_tokens.json");
  out.model_type = spelling_in(object_in(folder / "config.json"), "model_type");
  return out;
}

std::string TokenizerSettings::tokenizer_class() const {
  std::string name = spelling_in(config, "tokenizer_class");
  if (ends_with(name, "Fast")) name.resize(name.size() - 4);
  if (!name.empty()) return name;
  static const std::pair<const char*, const char*> kByType[] = {{"bert", "BertTokenizer"},
                                                                {"roberta", "RobertaTokenizer"},
                                                                {"bart", "BartTokenizer"},
                                                                {"gpt2", "GPT2Tokenizer"},
                                                                {"t5", "T5Tokenizer"},
                                                                {"llama", "LlamaTokenizer"},
                                                                {"mistral", "LlamaTokenizer"},
                                                                {"gemma", "GemmaTokenizer"},
                                                                {"gemma2", "GemmaTokenizer"},
                                                                {"marian", "MarianTokenizer"},
                                                                {"qwen2", "Qwen2Tokenizer"},
                                                                {"qwen3", "Qwen2Tokenizer"},
                                                                {"clip", "CLIPTokenizer"},
                                                                {"longformer", "RobertaTokenizer"},
                                                                {"xlm-roberta", "XLMRobertaTokenizer"},
                                                                {"camembert", "CamembertTokenizer"},
                                                                {"paligemma", "GemmaTokenizer"},
                                                                {"mt5", "T5Tokenizer"},
                                                                {"albert", "AlbertTokenizer"}};
  for (const auto& [type, class_name] : kByType) {
    if (model_type == type) return class_name;
  }
  return {};
}

std::string TokenizerSettings::token(const char* key, const std::string& fallback) const {
  for (const Json* place : {&config, &specials}) {
    std::string found = spelling_in(*place, key);
    if (!found.empty()) return found;
  }
  return fallback;
}

bool TokenizerSettings::flag(const char* key, bool fallback) const {
  const auto found = JsonNode(config, "").flag(key, fallback);
  return found ? *found : fallback;
}

std::int64_t TokenizerSettings::integer(const char* key, std::int64_t fallback) const {
  const auto found = JsonNode(config, "").integer(key, fallback);
  return found ? *found : fallback;
}

std::vector<AddedToken> TokenizerSettings::added_tokens() const {
  std::vector<AddedToken> out;
  const auto take = [&](AddedToken token) {
    const bool known = std::any_of(out.begin(), out.end(), [&](const AddedToken& other) {
      return other.content == token.content || other.id == token.id;
    });
    if (!known && !token.content.empty()) out.push_back(std::move(token));
  };
  const auto decoder = config.find("added_tokens_decoder");
  if (decoder != config.end() && decoder->is_object()) {
    for (const auto& [key, entry] : decoder->items()) {
      if (const auto id = id_in(key)) take(token_of(entry, *id));
    }
  }
  for (const auto& [spelling, value] : added.items()) {
    const auto id = id_in(value);
    if (!id) continue;
    AddedToken token;
    token.content = spelling;
    token.id = *id;
    take(std::move(token));
  }
  return out;
}

}  // namespace attnscope
