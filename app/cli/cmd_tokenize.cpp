// attnscope-cli tokenize: text to ids, token texts and byte spans.
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "core/arch/gguf_tokenizer.h"
#include "core/arch/random_model.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/export/carried.h"
#include "core/session/document.h"
#include "core/session/session_file.h"
#include "core/system/mapped_file.h"
#include "core/system/typed_text.h"

namespace attnscope::cli {
namespace {

constexpr std::uint64_t kCmdTokenizeMostBytes = std::uint64_t{256} << 20;

struct TokenizeOptions {
  std::string model, text, file;
  bool json = false, plain = false, given = false;  // a text is
};

// A text as tokens, and the display form of each token.
struct Tokenized {
  Encoding encoding;
  std::function<std::string(int)> label;
  std::vector<std::string> unknown = {};
  nlohmann::json run = {};  // what was run
};

// Pieces that are not in the vocabulary; also printed to stderr.
std::vector<std::string> told_unknown(const Tokenizer& tokenizer, const std::string& text,
                                      const Encoding& encoding) {
  std::vector<std::string> pieces = unknown_pieces(tokenizer, text, encoding.tokens);
  if (!pieces.empty())
    std::fprintf(stderr, "attnscope-cli: %s\n", told_of_unknown(tokenizer, pieces).c_str());
  return pieces;
}

// With the model's tokenizer, or the vocabulary of a scene.
Result<Tokenized> by_model(OpenedModel opened, const TokenizeOptions& options, const std::string& text) {
  const auto model = std::make_shared<const OpenedModel>(std::move(opened));
  Tokenized out{{}, [model](int id) { return token_label(*model, id); }};
  if (options.json) out.run = run_json(*model, options.model);
  if (model->tokenizer) {
    TRY(out.encoding, model->tokenizer->encode(text, !options.plain));
    out.unknown = told_unknown(*model->tokenizer, text, out.encoding);
    std::vector<int> ids;
    for (const Token& token : out.encoding.tokens) ids.push_back(token.id);
    if (const std::string doubled = told_of_doubled(*model, ids); !doubled.empty())
      std::fprintf(stderr, "attnscope-cli: %s\n", doubled.c_str());
  } else if (model->scene && !model->scene->words.empty()) {
    TRY(Sequence sequence, sequence_from_text(*model, text));
    out.encoding.tokens = std::move(sequence.tokens);
  } else {
    return fail(Code::unsupported, "error.cli.tokenizer_none", {in_quotes(options.model)});
  }
  return out;
}

Result<Tokenized> by_tokenizer(const std::shared_ptr<const Tokenizer>& tokenizer,
                               const TokenizeOptions& options, const std::string& text) {
  TRY(Encoding encoding, tokenizer->encode(text, !options.plain));
  std::vector<std::string> unknown = told_unknown(*tokenizer, text, encoding);
  return Tokenized{std::move(encoding),
                   [tokenizer](int id) { return std::string(tokenizer->token_display(id)); },
                   std::move(unknown), run_json()};
}

// The text of a session's first sequence. Errors: it has none.
Result<std::string> text_of_session(const RunModel& opened, const std::string& name) {
  const auto& sequences = opened.session->sequences;
  const std::string text = sequences.empty()                  ? std::string()
                           : opened.model->config().encoder() ? sequences.front().source_text
                                                              : sequences.front().text;
  if (text.empty()) return fail(Code::not_found, "error.cli.tokenize_session", {quoted_path(name)});
  return text;
}

// With a tokenizer file if `model` is one, else with the model that `info` opens.
Result<Tokenized> tokenized(const TokenizeOptions& options, const std::string& text) {
  const std::string& name = options.model;
  const bool shipped =
      starts_with(name, "model:") || starts_with(name, "scene:") || starts_with(name, kRandomPrefix);
  if (shipped) {
    TRY(OpenedModel opened, open_named(name));
    return by_model(std::move(opened), options, text);
  }
  const auto tokenizer = open_any_tokenizer(name);
  if (tokenizer) return by_tokenizer(*tokenizer, options, text);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(name, ignored)) return tokenizer.error();
  auto other = open_named(name);
  if (!other) return tokenizer.error();
  return by_model(std::move(*other), options, text);
}

// Prints rows and lists token by token: as one JSON document a long text would need 100 times its size.
void print_tokens(const std::vector<Token>& tokens, const Tokenized& found) {
  const auto dumped = [](const nlohmann::json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  std::int64_t pos = 0;
  const auto list = [&](const char* begin, const auto& item) {
    say(begin);
    for (std::size_t i = 0; i < tokens.size(); ++i) say((i == 0 ? "" : ",") + item(tokens[i]));
  };
  list("{\"ids\":[", [](const Token& token) { return std::to_string(token.id); });
  list("],\"spans\":[", [](const Token& token) {
    return format("[%lld,%lld]", static_cast<long long>(token.begin), static_cast<long long>(token.end));
  });
  list("],\"tokens\":[", [&](const Token& token) { return dumped(token.text); });
  list("],\"rows\":[", [&](const Token& token) {
    return dumped(
        {{"pos", pos++}, {"id", token.id}, {"text", token.text}, {"begin", token.begin}, {"end", token.end}});
  });
  say("]");
  if (!found.unknown.empty()) say(",\"unknown\":" + dumped(found.unknown));
  say(",\"run\":" + dumped(found.run) + "}\n");
}

Result<Tokenized> by_session(const TokenizeOptions& options, std::string& text) {
  TRY(RunModel opened, open_to_run(options.model));
  if (options.text.empty() && options.file.empty()) {
    TRY(text, text_of_session(opened, options.model));
  }
  return by_model(std::move(opened), options, text);
}

Status run_tokenize(const TokenizeOptions& options) {
  TRY(std::string text, typed_text(options.text));
  if (!options.file.empty()) {
    TRY(text, read_file(options.file, kCmdTokenizeMostBytes));
  }
  const bool session = is_session_path(options.model) || is_figure_path(options.model);
  if (!session && !options.given) return fail(Code::bad_format, "error.cli.tokenize_text");
  const auto made = session ? by_session(options, text) : tokenized(options, text);
  if (!made) return about(options.model, made.error());
  const Tokenized& found = *made;
  if (!options.json) {
    for (const Token& token : found.encoding.tokens)
      std::printf("%8d  %4lld-%-4lld  %s\n", token.id, static_cast<long long>(token.begin),
                  static_cast<long long>(token.end), printable(found.label(token.id), 200).c_str());
    return Done{};
  }
  print_tokens(found.encoding.tokens, found);
  return Done{};
}

}  // namespace

void add_tokenize(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("tokenize", tr("cli.tokenize"));
  const auto options = std::make_shared<TokenizeOptions>();
  command->add_option("MODEL_OR_TOKENIZER", options->model, tr("cli.tokenize.model"))->required();
  CLI::Option_group* input = command->add_option_group("input");
  input->add_option("--text", options->text, tr("cli.tokenize.text"));
  input->add_option("--file", options->file, tr("cli.tokenize.file"));
  input->require_option(0, 1);
  command->add_flag("--no-special", options->plain, tr("cli.tokenize.no_special"));
  command->add_flag("--json", options->json, tr("cli.tokenize.json"));
  command->callback([options, input, &action] {
    options->given = input->count_all() > 0;
    action = [options] { return run_tokenize(*options); };
  });
}

}  // namespace attnscope::cli
