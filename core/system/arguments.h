// The command line of both programs: errors of CLI11 and the headings of its help, translated into the
// current language. The range of a value is checked where its option is declared.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace attnscope {

/// The value of --lang, else the language of the system's locale; read before the arguments are parsed.
std::string wanted_language(int count, const char* const* arguments);
/// The headings of the help of a program and its commands. Call it when everything is declared.
void translate_help(CLI::App& app);
/// What it takes, as a Markdown table: flag, value, meaning. Empty where it takes nothing but --help.
std::string flags_table(const CLI::App& app);
/// What is wrong, in a sentence.
std::string sentence_of(const CLI::App& app, const CLI::ParseError& error);
/// A flag that takes a value: "--text", or "--clean-text,--clean".
struct ValueFlag {
  std::string names, type, help;
  bool once = false;                               ///< all others may be repeated
  std::function<std::string(std::string&)> check;  ///< as of CLI::Validator; null: any value
};
void add_value_flags(CLI::App& app, const std::vector<ValueFlag>& flags);
/// What was given of them, in order: "--text", "the cat", "--ids", "1,2".
std::vector<std::string> given_words(const CLI::App& app, const std::vector<ValueFlag>& flags);
/// For CLI::Validator: a value that is one of these words.
std::function<std::string(std::string&)> one_word_of(std::vector<std::string> words);

}  // namespace attnscope
