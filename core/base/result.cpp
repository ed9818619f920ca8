#include "core/base/result.h"

#include <cstdio>
#include <cstdlib>

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

struct Error::Said {
  Code code = Code::bad_format;
  Text what, advice;
};

Error::Error(Code code, Text what, Text advice)
    : said_(std::make_shared<const Said>(Said{code, std::move(what), std::move(advice)})) {}

Error::Error() = default;
Error::Error(const Error&) = default;
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(const Error&) = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

const Error::Said& Error::said() const {
  static const Said nothing;
  return said_ ? *said_ : nothing;
}

Code Error::code() const { return said().code; }
const Text& Error::what() const { return said().what; }
const Text& Error::advice() const { return said().advice; }
Error Error::saying(Text what) const { return {code(), std::move(what), advice()}; }
Error Error::advising(Text advice) const { return {code(), what(), std::move(advice)}; }

std::string Error::sentence() const {
  const std::string todo = hint();
  const std::size_t left = kMostSaid - (todo.empty() ? 0 : utf8_length(todo) + 1);
  const std::string happened = what().str();
  return no_longer_than(printable(happened, happened.size()), left);
}

std::string Error::hint() const {
  if (!advice().has_words()) return {};
  const std::string todo = advice().str();
  return no_longer_than(printable(todo, todo.size()), kMostAdvised);
}

std::string Error::text() const {
  const std::string happened = sentence(), todo = hint();
  return todo.empty() ? happened : happened + " " + todo;
}

Text Error::whole() const {
  return advice().has_words() ? Text::of("error.whole", {what(), advice()}) : what();
}

Error fail(Code code, std::string_view key, TextArguments arguments) {
  return fail(code, key, texts_of(arguments));
}

Error fail(Code code, std::string_view key, std::vector<Text> arguments) {
  Text advice = Text::of(std::string(key) + ".hint", arguments);
  return {code, Text::of(key, std::move(arguments)), std::move(advice)};
}

Error within(const Text& where, const Error& error) {
  return error.saying(Text::of("error.about", {where, error.what()}));
}

Error about(std::string_view path, const Error& error) {
  const std::string quoted = quoted_path(path), name = quoted.substr(1, quoted.size() - 2);
  return error.sentence().find(name) != std::string::npos ? error : within(quoted, error);
}

void detail::check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: internal check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace attnscope
