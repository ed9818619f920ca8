// open_tokenizer and tokenizer_from_json: a tokenizer.json (Hugging Face tokenizers 0.x, version "1.0") with
// a BPE model. Refuses other models by name, and vocabularies that contradict themselves. Truncation and
// padding are left alone: see tokenizer.h.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/base/text.h"
#include "core/text/json_parts.h"
#include "core/text/pipeline.h"

namespace attnscope {

namespace {

using Made = Result<std::shared_ptr<const Tokenizer>>;

constexpr std::uintmax_t kMaxFile = std::uintmax_t{256} << 20;  // bytes; the largest in use have about 35 MB

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
  if (id < 0 || id > kMaxTokenId) return node.wrong("an added token with an id that a vocabulary can have");
  if (!known && vocabulary.has(static_cast<int>(id))) {
    return fail(Code::bad_format,
                format("%s (\"%.60s\") has the id %lld of another token, \"%.60s\"", node.path().c_str(),
                       out.content.c_str(), static_cast<long long>(id),
                       std::string(vocabulary.spelling(static_cast<int>(id))).c_str()),
                "Each id may have one spelling only.");
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

// "<s>" or {"content": "<s>", ...}, as tokenizer_config.json has them.
std::optional<int> configured_token(const Pipeline& parts, const nlohmann::json& config, const char* key) {
  const JsonNode node(config, "");
  if (!node.has(key)) return std::nullopt;
  const auto text = node.at(key).value().is_object() ? node.at(key).text("content", "") : node.at(key).text();
  return text ? first_known(parts, {*text}) : std::nullopt;
}

Made finish(Pipeline parts) {
  return std::shared_ptr<const Tokenizer>(std::make_shared<PipelineTokenizer>(std::move(parts)));
}

Result<Pipeline> pipeline_of(std::string_view text, const std::string& what) {
  const auto named = [&](const Error& error) {
    return fail(error.code, what + ": " + error.sentence, error.hint);
  };
  try {
    const auto root = parse_json(text);
    if (!root) return named(root.error());
    auto parts = pipeline_from(JsonNode(*root, ""));
    if (!parts) return named(parts.error());
    return parts;
  } catch (const std::exception& error) {
    return named(fail(Code::no_memory, format("it cannot be read (%.100s)", error.what()),
                      "There may be too little memory."));
  }
}

Result<std::string> read_file(const std::filesystem::path& path) {
  std::error_code problem;
  const auto size = std::filesystem::file_size(path, problem);
  if (problem) {
    return fail(Code::not_found, "cannot open " + path.string() + ": " + problem.message(),
                "Check the path.");
  }
  if (size > kMaxFile) {
    return fail(Code::out_of_range, path.string() + " has " + format_bytes(size),
                "A tokenizer.json has at most " + format_bytes(kMaxFile) + "; this is another kind of file.");
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file)
    return fail(Code::io_failed, "cannot read " + path.string(), "Check the permissions and the disk.");
  return std::move(text).str();
}

}  // namespace

Made tokenizer_from_json(std::string_view text, const std::string& what) {
  TRY(auto parts, pipeline_of(text, what));
  return finish(std::move(parts));
}

Made open_tokenizer(const std::string& path) {
  std::error_code ignored;
  std::filesystem::path file(path);
  if (std::filesystem::is_directory(file, ignored)) {
    file /= "tokenizer.json";
    if (!std::filesystem::exists(file, ignored)) {
      return fail(Code::not_found, path + " has no tokenizer.json",
                  "Without a tokenizer, token ids can still be given.");
    }
  }
  TRY(const auto text, read_file(file));
  TRY(auto parts, pipeline_of(text, file.string()));
  const auto beside = read_file(file.parent_path() / "tokenizer_config.json");
  const auto config = beside ? parse_json(*beside) : Result<nlohmann::json>(nlohmann::json());
  if (config) {
    if (const auto id = configured_token(parts, *config, "bos_token")) parts.bos = id;
    if (const auto id = configured_token(parts, *config, "eos_token")) parts.eos = id;
  }
  return finish(std::move(parts));
}

}  // namespace attnscope
