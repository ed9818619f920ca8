// open_tokenizer, for all kinds of files. A folder is searched for what it has, the newest kind first; the
// kind of a file follows from its name.
#include <filesystem>

#include "core/base/text.h"
#include "core/text/json_node.h"
#include "core/text/tokenizer_files.h"

namespace attnscope {

namespace {

namespace fs = std::filesystem;
using MadeTokenizer = Result<std::shared_ptr<const Tokenizer>>;

constexpr const char* kSentencePieceNames[] = {"tokenizer.model", "spiece.model", "sentencepiece.bpe.model",
                                               "source.spm"};

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// The file a folder's tokenizer lies in; empty where there is none.
fs::path file_in(const fs::path& folder) {
  if (is_there(folder / "tokenizer.json")) return folder / "tokenizer.json";
  for (const char* name : kSentencePieceNames) {
    if (is_there(folder / name)) return folder / name;
  }
  if (is_there(folder / "vocab.json") && is_there(folder / "merges.txt")) return folder / "vocab.json";
  if (is_there(folder / "vocab.txt")) return folder / "vocab.txt";
  return {};
}

Error named(const fs::path& file, const Error& error) { return about(file.string(), error); }

Result<Pipeline> parts_of_merges(const fs::path& vocab_file, const TokenizerSettings& settings) {
  const fs::path merges_file = vocab_file.parent_path() / "merges.txt";
  TRY(const std::string vocab_text, read_tokenizer_file(vocab_file));
  TRY(const std::string merges, read_tokenizer_file(merges_file));
  auto vocab = parse_json(vocab_text);
  if (!vocab) return named(vocab_file, vocab.error());
  if (!vocab->is_object())
    return named(vocab_file, JsonNode(*vocab, "").wrong(Text::of("error.text.wanted.object")));
  auto document = document_of_merges(*std::move(vocab), merges, settings);
  if (!document) return named(vocab_file, document.error());
  return parts_of_document(*document, quoted_path(vocab_file.string()));
}

Result<Pipeline> parts_of_word_list(const fs::path& file, const TokenizerSettings& settings) {
  TRY(const std::string text, read_tokenizer_file(file));
  auto document = document_of_word_list(text, settings);
  if (!document) return named(file, document.error());
  return parts_of_document(*document, quoted_path(file.string()));
}

Result<Pipeline> parts_of_model(const fs::path& file, const TokenizerSettings& settings) {
  TRY(const std::string bytes, read_tokenizer_file(file));
  nlohmann::json vocab;
  const fs::path beside = file.parent_path() / "vocab.json";
  if (file.extension() == ".spm" && is_there(beside)) {
    TRY(const std::string text, read_tokenizer_file(beside));
    auto read = parse_json(text);
    if (!read) return named(beside, read.error());
    vocab = *std::move(read);
  }
  auto parts = parts_of_sentencepiece(bytes, vocab, settings);
  if (!parts) return named(file, parts.error());
  return parts;
}

Result<Pipeline> parts_of_file(const fs::path& file, const TokenizerSettings& settings) {
  const std::string name = file.filename().string();
  if (file.extension() == ".model" || file.extension() == ".spm") return parts_of_model(file, settings);
  if (name == "merges.txt" || (name == "vocab.json" && is_there(file.parent_path() / "merges.txt")))
    return parts_of_merges(file.parent_path() / "vocab.json", settings);
  if (file.extension() == ".txt") return parts_of_word_list(file, settings);
  TRY(const std::string text, read_tokenizer_file(file));
  return parts_of_json(text, quoted_path(file.string()));
}

}  // namespace

bool has_tokenizer(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? !file_in(path).empty() : is_there(path);
}

MadeTokenizer open_tokenizer(const std::string& path) {
  std::error_code ignored;
  fs::path file(path);
  if (fs::is_directory(file, ignored)) {
    file = file_in(file);
    if (file.empty()) {
      return fail(Code::not_found, "error.text.none", {quoted_path(path)});
    }
  }
  const TokenizerSettings settings = settings_beside(file);
  auto opened = parts_of_file(file, settings);
  if (!opened) return with_full_stop(opened.error());
  Pipeline parts = *std::move(opened);
  for (const auto& [key, id] : {std::pair{"bos_token", &parts.bos}, std::pair{"eos_token", &parts.eos}}) {
    const auto found = first_known(parts, {settings.token(key, "")});
    if (found) *id = found;
  }
  return std::shared_ptr<const Tokenizer>(std::make_shared<PipelineTokenizer>(std::move(parts)));
}

}  // namespace attnscope
