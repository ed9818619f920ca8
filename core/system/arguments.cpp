#include "core/system/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "core/base/listed.h"
#include "core/base/markdown.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/system/system_language.h"

namespace attnscope {
namespace {

// The command that was chosen last.
const CLI::App& innermost(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

// CLI11 keeps what an error is about in its words alone: what stands before, between and behind these pieces.
// Nothing where they are others.
std::vector<std::string> around(const std::string& words, const std::vector<std::string_view>& pieces) {
  std::vector<std::string> out;
  std::size_t from = 0;
  for (const std::string_view piece : pieces) {
    const std::size_t at = words.find(piece, from);
    if (at == std::string::npos) return {};
    out.push_back(words.substr(from, at - from));
    from = at + piece.size();
  }
  out.push_back(words.substr(from));
  return out;
}

// The first option that the words name.
std::string option_in(const std::string& words) {
  for (std::string word : split(words, ' ')) {
    while (!word.empty() && std::string_view(":,.").find(word.back()) != std::string_view::npos)
      word.pop_back();
    if (starts_with(word, "-")) return word;
  }
  return words.substr(0, words.find(':'));
}

std::string quoted_all(const std::vector<std::string>& words) {
  constexpr std::size_t kNamed = 5;
  std::vector<std::string> out;
  for (const std::string& word : words) out.push_back(in_quotes(word, 80));
  return some_of(out, kNamed).str();
}

std::string raw_sentence(const CLI::App& app, const CLI::ParseError& error) {
  const std::string kind = error.get_name(), words = error.what();
  if (kind == "RequiredError" && innermost(app).get_require_subcommand_min() > 0)
    return tr("arguments.no_command");
  if (kind == "RequiredError")
    if (const auto parts = around(words, {"[", "]"}); !parts.empty())
      return tr("arguments.one_option", {parts[1]});
  if (kind == "RequiredError")
    if (const auto parts = around(words, {" is required"}); !parts.empty())
      return tr("arguments.required", {parts[0]});
  // Of a command's own the error bears the name of the command.
  if (kind == "ExtrasError" || starts_with(words, "The following argument"))
    return tr("arguments.unknown", {quoted_all(app.remaining(true))});
  if (kind == "ExcludesError")
    if (const auto parts = around(words, {" excludes "}); !parts.empty())
      return tr("arguments.excludes", {parts[0], parts[1]});
  if (kind == "RequiresError")
    if (const auto parts = around(words, {" requires "}); !parts.empty())
      return tr("arguments.requires", {parts[0], parts[1]});
  if (kind == "ArgumentMismatch") return tr("arguments.count", {option_in(words)});
  if (kind == "ConversionError")
    if (const auto parts = around(words, {"Could not convert: ", " = "}); !parts.empty())
      return tr("arguments.value", {parts[1], in_quotes(parts[2], 80)});
  if (kind == "ValidationError") return words;  // "--seq: " and the sentence of our own check
  return tr("arguments.other");
}

// Those that help shows but for --help itself; of groups of options, which are commands without a name, too.
std::vector<const CLI::Option*> options_with_groups(const CLI::App& app) {
  std::vector<const CLI::Option*> out;
  for (const CLI::Option* option : app.get_options())
    if (option != app.get_help_ptr() && !option->get_group().empty()) out.push_back(option);
  for (const CLI::App* group : app.get_subcommands({}))
    if (group->get_name().empty())
      for (const CLI::Option* option : options_with_groups(*group)) out.push_back(option);
  return out;
}

// CLI11 writes its own headings in capitals since 2.5.
bool is_called(const std::string& group, std::string_view name) {
  return std::equal(group.begin(), group.end(), name.begin(), name.end(),
                    [](char a, char b) { return (a | 0x20) == (b | 0x20); });
}

void translate(CLI::App& app) {
  for (CLI::Option* option : app.get_options(std::function<bool(CLI::Option*)>()))
    if (is_called(option->get_group(), "Options")) option->group(tr("arguments.options"));
  for (CLI::App* command : app.get_subcommands(std::function<bool(CLI::App*)>())) {
    if (is_called(command->get_group(), "Subcommands")) command->group(tr("arguments.commands"));
    translate(*command);
  }
}

}  // namespace

std::string wanted_language(int count, const char* const* arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    if (word == "--lang" && i + 1 < count) return arguments[i + 1];
    if (starts_with(word, "--lang=")) return std::string(word.substr(7));
  }
  return system_language();
}

void translate_help(CLI::App& app) {
  for (const auto& [label, key] : {std::pair{"Usage", "arguments.usage"},
                                   {"OPTIONS", "arguments.options"},
                                   {"Positionals", "arguments.positionals"},
                                   {"POSITIONALS", "arguments.positionals"},
                                   {"SUBCOMMAND", "arguments.command"},
                                   {"REQUIRED", "arguments.is_required"},
                                   {"Needs", "arguments.needs"},
                                   {"Excludes", "arguments.not_with"},
                                   {"Env", "arguments.environment"}})
    app.get_formatter()->label(label, tr(key));
  translate(app);
}

std::string flags_table(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : options_with_groups(app)) {
    const std::string name = option->get_name(false, true);
    const bool takes = starts_with(name, "-") && option->get_items_expected_max() > 0;
    out += "| `" + name + "` | " + (takes ? markdown_cell(option->get_type_name()) : "") + " | " +
           markdown_cell(option->get_description()) + " |\n";
  }
  if (out.empty()) return out;
  return "| " + join({tr("arguments.flag"), tr("arguments.takes"), tr("arguments.meaning")}, " | ") +
         " |\n|---|---|---|\n" + out;
}

std::string sentence_of(const CLI::App& app, const CLI::ParseError& error) {
  std::string out = printable(raw_sentence(app, error), kMostOfSentence);
  while (!out.empty() && out.back() == '.') out.pop_back();
  return out + ".";
}

void add_value_flags(CLI::App& app, const std::vector<ValueFlag>& flags) {
  for (const ValueFlag& flag : flags) {
    CLI::Option* option = flag.once ? app.add_option_function<std::string>(
                                          flag.names, [](const std::string&) {}, flag.help)
                                    : app.add_option_function<std::vector<std::string>>(
                                          flag.names, [](const std::vector<std::string>&) {}, flag.help);
    option->allow_extra_args(false)->type_name(flag.type);
    if (flag.check) option->transform(CLI::Validator(flag.check, ""));
  }
}

std::vector<std::string> given_words(const CLI::App& app, const std::vector<ValueFlag>& flags) {
  std::vector<std::string> out;
  std::map<const CLI::Option*, std::size_t> taken;
  for (const CLI::Option* option : app.parse_order()) {
    const std::string name = option->get_name();
    const bool ours = std::any_of(flags.begin(), flags.end(), [&](const ValueFlag& flag) {
      return flag.names.substr(0, flag.names.find(',')) == name;
    });
    if (!ours || taken[option] >= option->results().size()) continue;
    out.push_back(name);
    out.push_back(option->results()[taken[option]++]);
  }
  return out;
}

std::function<std::string(std::string&)> one_word_of(std::vector<std::string> words) {
  return [words = std::move(words)](std::string& value) {
    if (std::find(words.begin(), words.end(), value) != words.end()) return std::string();
    return tr("arguments.one_of", {in_quotes(value, 80), join(words, ", ")});
  };
}

}  // namespace attnscope
