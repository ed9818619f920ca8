// attnscope-cli tokenize: text to ids, spellings and byte spans.
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/arch/gguf_tokenizer.h"
#include "core/base/text.h"
#include "core/io/mapped_file.h"

namespace attnscope::cli {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;

struct TokenizeOptions {
  std::string model, text, file;
  bool json = false, plain = false;
};

void print_tokens(const Tokenizer& tokenizer, const Encoding& encoding) {
  for (const Token& token : encoding.tokens) {
    std::printf("%8d  %4lld-%-4lld  %s\n", token.id, static_cast<long long>(token.begin),
                static_cast<long long>(token.end), tokenizer.token_display(token.id).c_str());
  }
}

Status run_tokenize(const TokenizeOptions& options) {
  TRY(const std::shared_ptr<const Tokenizer> tokenizer, open_any_tokenizer(options.model));
  std::string text = options.text;
  if (!options.file.empty()) {
    TRY(text, read_file(options.file, kMostBytes));
  }
  TRY(const Encoding encoding, tokenizer->encode(text, !options.plain));
  if (!options.json) {
    print_tokens(*tokenizer, encoding);
    return Done{};
  }
  nlohmann::json tokens = nlohmann::json::array(), spans = nlohmann::json::array();
  for (const Token& token : encoding.tokens) {
    tokens.push_back(token.text);
    spans.push_back({token.begin, token.end});
  }
  print_json({{"ids", encoding.ids()}, {"tokens", tokens}, {"spans", spans}});
  return Done{};
}

}  // namespace

void add_tokenize(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("tokenize", "Show the tokens of a text");
  const auto options = std::make_shared<TokenizeOptions>();
  command
      ->add_option(
          "MODEL_OR_TOKENIZER", options->model,
          "model folder, or any tokenizer file: tokenizer.json, vocab.txt, vocab.json beside merges.txt, "
          "tokenizer.model, *.gguf")
      ->required();
  CLI::Option_group* input = command->add_option_group("input");
  input->add_option("--text", options->text, "the text");
  input->add_option("--file", options->file, "a file that holds the text");
  input->require_option(1);
  command->add_flag("--no-special", options->plain,
                    "leave out the tokens that the tokenizer adds around a text");
  command->add_flag("--json", options->json,
                    R"(as {"ids": [...], "tokens": [...], "spans": [[begin, end], ...]}, spans in bytes)");
  command->callback([options, &action] { action = [options] { return run_tokenize(*options); }; });
}

}  // namespace attnscope::cli
