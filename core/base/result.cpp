#include "core/base/result.h"

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::size_t kMostSaid = 900, kMostAdvised = 500;  // code points; the longest name two paths

}  // namespace

std::string Error::sentence() const { return printable(what.str(), kMostSaid); }

std::string Error::hint() const {
  return advice.has_words() ? printable(advice.str(), kMostAdvised) : std::string();
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
