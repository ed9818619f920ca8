#include "core/system/typed_text.h"

#include "core/base/text.h"
#include "core/system/mapped_file.h"

namespace attnscope {

Result<std::string> typed_or_file(const std::string& argument) {
  if (!argument.starts_with('@')) return argument;
  TRY(std::string text, read_file(argument.substr(1), kMostCopied));
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

Result<std::string> typed_text(const std::string& argument) {
  if (argument.starts_with("@@")) return argument.substr(1);
  auto text = typed_or_file(argument);
  if (!text)
    return Error{text.error().code(), Text::of("error.system.typed_text", {text.error().what()}),
                 Text::of("error.system.typed_text.hint", {in_quotes("@" + argument, 80)})};
  return text;
}

}  // namespace attnscope
