#include "core/arch/gguf_tokenizer.h"

#include <cmath>
#include <filesystem>

namespace attnscope {

namespace {

const GgufValue* entry(const Gguf& file, const char* key) {
  return file.find("tokenizer.ggml." + std::string(key));
}

std::string gguf_tokenizer_text_at(const Gguf& file, const char* key) {
  const GgufValue* value = entry(file, key);
  return std::string(value ? value->text().value_or("") : "");
}

std::optional<bool> flag_at(const Gguf& file, const char* key) {
  const GgufValue* value = entry(file, key);
  return value ? value->flag() : std::nullopt;
}

std::optional<int> id_at(const Gguf& file, const char* key) {
  const GgufValue* value = entry(file, key);
  const auto id = value ? value->integer() : std::nullopt;
  if (!id || *id < 0 || *id > INT32_MAX) return std::nullopt;
  return static_cast<int>(*id);
}

std::vector<std::string> texts_at(const Gguf& file, const char* key) {
  std::vector<std::string> out;
  const GgufValue* value = entry(file, key);
  if (const auto texts = value ? value->texts() : std::nullopt) out.assign(texts->begin(), texts->end());
  return out;
}

std::vector<double> numbers_at(const Gguf& file, const char* key) {
  const GgufValue* value = entry(file, key);
  const auto numbers = value ? value->numbers() : std::nullopt;
  return numbers.value_or(std::vector<double>{});
}

// Those that are no int, which stand for nothing here, are 0.
std::vector<int> ints_at(const Gguf& file, const char* key) {
  std::vector<int> out;
  for (const double number : numbers_at(file, key))
    out.push_back(std::fabs(number) <= INT32_MAX ? static_cast<int>(number) : 0);
  return out;
}

// An array of bytes, signed or not.
std::string bytes_at(const Gguf& file, const char* key) {
  std::string out;
  for (const int byte : ints_at(file, key)) out.push_back(static_cast<char>(byte & 0xFF));
  return out;
}

}  // namespace

GgufVocabulary gguf_vocabulary(const Gguf& file) {
  GgufVocabulary out;
  out.what = file.what;
  out.model = gguf_tokenizer_text_at(file, "model");
  out.pre = gguf_tokenizer_text_at(file, "pre");
  out.tokens = texts_at(file, "tokens");
  for (const double score : numbers_at(file, "scores")) out.scores.push_back(static_cast<float>(score));
  out.types = ints_at(file, "token_type");
  out.merges = texts_at(file, "merges");
  out.charsmap = bytes_at(file, "precompiled_charsmap");
  out.bos = id_at(file, "bos_token_id");
  out.eos = id_at(file, "eos_token_id");
  out.unknown = id_at(file, "unknown_token_id");
  out.sep = id_at(file, "seperator_token_id");  // spelled so in the files
  if (!out.sep) out.sep = id_at(file, "separator_token_id");
  out.cls = id_at(file, "cls_token_id");
  out.pad = id_at(file, "padding_token_id");
  out.mask = id_at(file, "mask_token_id");
  out.add_bos = flag_at(file, "add_bos_token");
  out.add_eos = flag_at(file, "add_eos_token");
  out.add_sep = flag_at(file, "add_sep_token");
  out.add_space_prefix = flag_at(file, "add_space_prefix");
  out.remove_extra_whitespaces = flag_at(file, "remove_extra_whitespaces");
  out.lowercase = flag_at(file, "normalizer.lowercase");
  out.strip_accents = flag_at(file, "normalizer.strip_accents");
  return out;
}

Result<std::shared_ptr<const Tokenizer>> open_any_tokenizer(const std::string& path) {
  const std::filesystem::path file(path);
  if (file.extension() == ".gguf") {
    TRY(const Gguf opened, open_gguf(path));
    return make_gguf_tokenizer(gguf_vocabulary(opened));
  }
  const bool beside = file.filename() == "config.json" || file.extension() == ".safetensors";
  if (!beside) return open_tokenizer(path);
  return open_tokenizer(file.has_parent_path() ? file.parent_path().string() : ".");
}

}  // namespace attnscope
