// attnscope-cli serve: the other commands, asked for by lines of JSON on standard input and answered by lines
// of JSON on standard output; models stay open between them. No socket: whoever started it holds both ends.
//   {"id": 1, "command": ["ablate", "model:storyteller", "--measure", "kl", "--json"]}
//   {"id": 1, "status": 0, "out": {...}, "err": ""}
// `out` is what the command printed: JSON as such, other text as a string, bytes that are no text as
// {"base64": ...}.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "app/cli/command.h"
#include "core/arch/memory_limit.h"
#include "core/base/markup.h"
#include "core/base/text.h"
#include "core/base/thread_pool.h"
#include "core/base/words.h"
#include "core/system/captured_output.h"
#include "core/system/output.h"
#include "core/system/signals.h"

namespace attnscope::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // of a line
constexpr std::size_t kModelsOpen = 4;                     // kept open
constexpr int kRefused = 2;                                // as of a command line that does not parse

// The lines of standard input; nothing of what comes behind them is read ahead by a library.
class RequestLines {
 public:
  struct Line {
    std::string text;
    bool too_long = false;  // the text is empty
  };
  /// Nothing: the end.
  std::optional<Line> next() {
    Line line;
    for (;;) {
      const std::size_t end = waiting_.find('\n');
      if (end == std::string::npos && waiting_.size() > kMostBytes) line.too_long = true;
      if (line.too_long && end == std::string::npos) waiting_.clear();
      if (end != std::string::npos) {
        if (!line.too_long) line.text = waiting_.substr(0, end);
        waiting_.erase(0, end + 1);
        return line;
      }
      if (more()) continue;
      if (waiting_.empty() && !line.too_long) return std::nullopt;
      if (!line.too_long) line.text = std::exchange(waiting_, {});  // the last one without an end
      return line;
    }
  }

 private:
  bool more() {
    char block[1 << 16];
    for (;;) {
      const ssize_t got = ::read(STDIN_FILENO, block, sizeof block);
      if (got < 0 && errno == EINTR) continue;
      if (got > 0) waiting_.append(block, static_cast<std::size_t>(got));
      return got > 0;
    }
  }
  std::string waiting_;
};

struct ServedRequest {
  nlohmann::json id;
  std::vector<std::string> words;
};

Result<ServedRequest> served_request(const RequestLines::Line& line, nlohmann::json& id) {
  if (line.too_long) return fail(Code::out_of_range, "error.cli.serve.long", {format_bytes(kMostBytes)});
  nlohmann::json given = nlohmann::json::parse(line.text, nullptr, false);
  if (!given.is_object())
    return fail(Code::bad_format, "error.cli.serve.no_object", {in_quotes(line.text, 60)});
  if (given.contains("id")) id = given["id"];
  for (const auto& [key, value] : given.items())
    if (key != "id" && key != "command")
      return fail(Code::bad_format, "error.cli.serve.key", {in_quotes(key)});
  ServedRequest out{id, {}};
  const auto command = given.find("command");
  const bool words =
      command != given.end() && command->is_array() && !command->empty() &&
      std::all_of(command->begin(), command->end(), [](const nlohmann::json& one) {
        return one.is_string() && one.get_ref<const std::string&>().find('\0') == std::string::npos;
      });
  const bool zero =
      command != given.end() && command->is_array() &&
      std::any_of(command->begin(), command->end(), [](const nlohmann::json& one) {
        return one.is_string() && one.get_ref<const std::string&>().find('\0') != std::string::npos;
      });
  if (zero) return fail(Code::bad_format, "error.cli.serve.zero");
  if (!words) return fail(Code::bad_format, "error.cli.serve.words");
  for (const nlohmann::json& one : *command) out.words.push_back(one.get<std::string>());
  return out;
}

std::string in_one_line(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// What a command printed, as a value of JSON in one line: JSON as it is written, text, or bytes.
std::string printed(std::string text) {
  if (!is_valid_utf8(text)) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    return in_one_line({{"base64", base64({bytes, text.size()})}});
  }
  const bool json = (text.starts_with('{') || text.starts_with('[')) && nlohmann::json::accept(text);
  if (!json) return in_one_line(text);
  std::replace(text.begin(), text.end(), '\n', ' ');  // within a text of JSON no line ends
  return text;
}

// One answer, in the order of the letters, as nlohmann writes objects.
std::string answer_line(const nlohmann::json& id, int status, const std::string& out,
                        const std::string& err) {
  return "{\"err\":" + in_one_line(err) + ",\"id\":" + in_one_line(id) + ",\"out\":" + out +
         ",\"status\":" + std::to_string(status) + "}";
}

// Runs the words as a command line of their own, under the options that serve was given.
Result<std::string> served(const ServedRequest& request, const std::vector<std::string>& options) {
  const auto has = [&](const std::string& word) {
    return std::any_of(request.words.begin(), request.words.end(),
                       [&](const std::string& one) { return one == word || one.starts_with(word + "="); });
  };
  if (request.words.front() == "serve") return fail(Code::bad_format, "error.cli.serve.itself");
  if (has("--allow-outside")) return fail(Code::bad_format, "error.cli.serve.outside");
  std::vector<std::string> words = options;
  std::erase_if(words, [&](const std::string& one) { return has(one.substr(0, one.find('='))); });
  words.insert(words.begin(), request.words.begin(), request.words.end());
  TRY(CapturedOutput captured, CapturedOutput::begin());
  set_memory_limit(-1);  // what an earlier request asked for was for itself
  const int status = run_words(words);
  return answer_line(request.id, status, printed(captured.out()), captured.err());
}

Status serve(const std::vector<std::string>& options) {
  survive_closed_pipes();
  keep_opened(kModelsOpen);
  RequestLines lines;
  while (const auto line = lines.next()) {
    if (line->text.find_first_not_of(" \t\r") == std::string::npos && !line->too_long) continue;
    nlohmann::json id = nullptr;
    const auto request = served_request(*line, id);
    const Result<std::string> answer =
        request ? served(*request, options) : Result<std::string>(request.error());
    say((answer ? *answer : answer_line(id, kRefused, "\"\"", answer.error().text() + "\n")) + "\n");
    TRY_OK(finish_output());
  }
  return Done{};
}

}  // namespace

void add_serve(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("serve", tr("cli.serve"));
  const auto threads = std::make_shared<int>(0);
  command->add_option("--threads", *threads, tr("cli.serve.threads"))->transform(whole(1, 4096));
  command->callback([&app, &action, threads] {
    set_thread_count(*threads);
    std::vector<std::string> options;
    for (const char* name : {"--memory-limit", "--lang"})
      if (const CLI::Option* option = app.get_option(name); option->count() > 0)
        options.push_back(std::string(name) + "=" + option->as<std::string>());
    action = [options] { return serve(options); };
  });
}

}  // namespace attnscope::cli
