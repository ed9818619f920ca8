#include "core/base/result.h"

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::size_t kMostSaid = 300, kMostAdvised = 150;  // code points of both with what they end with

// Cut behind a word where one ends near the limit.
std::string no_longer_than(const std::string& text, std::size_t limit) {
  if (utf8_length(text) <= limit) return text;
  const std::string cut = printable(text, limit - 3);
  const std::size_t space = cut.rfind(' ', cut.size() - 4);
  return space != std::string::npos && space + 24 > cut.size() ? cut.substr(0, space) + "..." : cut;
}

}  // namespace

Error::Error() = default;
Error::Error(Code kind, Text happened, Text to_do)
    : code(kind), what(std::move(happened)), advice(std::move(to_do)) {}
Error::Error(const Error&) = default;
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(const Error&) = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

std::string Error::sentence() const {
  const std::string todo = hint();
  const std::size_t left = kMostSaid - (todo.empty() ? 0 : utf8_length(todo) + 1);
  const std::string said = what.str();
  return no_longer_than(printable(said, said.size()), left);
}

std::string Error::hint() const {
  if (!advice.has_words()) return {};
  const std::string todo = advice.str();
  return no_longer_than(printable(todo, todo.size()), kMostAdvised);
}

std::string Error::text() const {
  const std::string said = sentence(), todo = hint();
  return todo.empty() ? said : said + " " + todo;
}

Text Error::whole() const { return advice.has_words() ? Text::of("error.whole", {what, advice}) : what; }

Error fail(Code code, std::string_view key, std::vector<Text> arguments) {
  const Text advice = Text::of(std::string(key) + ".hint", arguments);
  return Error{code, Text::of(key, std::move(arguments)), advice};
}

Error within(Text where, const Error& error) {
  return Error{error.code, Text::of("error.about", {std::move(where), error.what}), error.advice};
}

Error about(std::string_view path, const Error& error) {
  const std::string quoted = quoted_path(path), name = quoted.substr(1, quoted.size() - 2);
  return error.sentence().find(name) != std::string::npos ? error : within(quoted, error);
}

}  // namespace attnscope
